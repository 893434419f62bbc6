import Base
import Foundation
import Testing

/// `bugle schema`, the modeline of `bugle init`, and `bugle fmt`.
@Suite struct EditorCommandTests {
    private func inFolder(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(folder)
    }

    private func write(_ text: String, to name: String, in folder: URL) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func text(_ name: String, in folder: URL) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test func initWritesTheSchemaAndLeadsEditorsToIt() async throws {
        try await inFolder { folder in
            let made = try await Program.run(["init", "app"], folder: folder)
            #expect(made.status == 0, "\(made.everything)")
            let schema = try await Program.run(["schema"], folder: folder)
            #expect(schema.status == 0)
            #expect(try text("app/bugle.schema.json", in: folder) == schema.output)
            for (name, way) in [("bugle.yaml", ""), ("channels.yaml", ""), ("campaigns/welcome.yaml", "../")] {
                let line = "# yaml-language-server: $schema=\(way)bugle.schema.json\n"
                #expect(try text("app/" + name, in: folder).hasPrefix(line))
            }
            let check = try await Program.run(["fmt", "-C", "app", "--check"], folder: folder)
            #expect(check.status == 0, "\(check.everything)")
        }
    }

    @Test func theSchemaIsJSONAndOthersAreRefused() async throws {
        let run = try await Program.run(["schema", "--of", "configuration"])
        let schema = try JSONValue(parsing: run.output)
        #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
        #expect(run.errors.isEmpty)
        #expect(try await Program.run(["schema", "--of", "nonsense"]).status == 64)
    }

    @Test func fmtChangesWhatItCanAndSaysWhatItCannot() async throws {
        try await inFolder { folder in
            try write("kind:   Workspace\r\nname: a\r\nexclude: [\"x*\"]\r\n", to: "w/bugle.yaml", in: folder)
            try write("kind: Channel   # why\nname:\t a", to: "w/sub/c.yml", in: folder)
            try write("a:    1\n", to: "w/x.yaml", in: folder)
            try write("a: [\n", to: "w/broken.yaml", in: folder)
            let check = try await Program.run(["fmt", "-C", "w", "--check"], folder: folder)
            #expect(check.status == 3)
            #expect(check.output == "w/bugle.yaml\nw/sub/c.yml\n")
            #expect(check.errors.contains("w/broken.yaml:") && check.errors.contains("[yaml-syntax]"))
            #expect(try text("w/bugle.yaml", in: folder).contains("\r\n"))
            let permissions: [FileAttributeKey: Any] = [.posixPermissions: 0o640]
            let file = folder.appending(path: "w/sub/c.yml").path
            try FileManager.default.setAttributes(permissions, ofItemAtPath: file)
            #expect(try await Program.run(["fmt", "-C", "w"], folder: folder).status == 3)
            #expect(try text("w/bugle.yaml", in: folder) == "kind: Workspace\nname: a\nexclude: [\"x*\"]\n")
            #expect(try text("w/sub/c.yml", in: folder) == "kind: Channel   # why\nname: a\n")
            #expect(try text("w/x.yaml", in: folder) == "a:    1\n")
            #expect(try text("w/broken.yaml", in: folder) == "a: [\n")
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o640)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/w").count == 4)
        }
    }

    @Test func fmtTakesFilesAndFoldersAndChecksThemForCI() async throws {
        try await inFolder { folder in
            try write("a:    1\n", to: "one.yaml", in: folder)
            try write("b:    1\n", to: "more/two.yaml", in: folder)
            let both = ["fmt", "--check", "one.yaml", "more"]
            let check = try await Program.run(both, folder: folder)
            #expect(check.status == 1)
            #expect(check.output == "one.yaml\nmore/two.yaml\n")
            #expect(
                check.errors.contains("one.yaml:1:1: warning:") && check.errors.contains("run 'bugle fmt'"))
            #expect(try await Program.run(["fmt", "one.yaml", "more"], folder: folder).status == 0)
            #expect(try await Program.run(both, folder: folder).status == 0)
            let link = folder.appending(path: "link.yaml").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "one.yaml")
            #expect(try await Program.run(["fmt", "link.yaml"], folder: folder).status == 1)
            try write("{\"a\":1}", to: "data.json", in: folder)
            #expect(try await Program.run(["fmt", "data.json"], folder: folder).status == 64)
            #expect(try await Program.run(["fmt", "nothing.yaml"], folder: folder).status == 1)
        }
    }

    @Test func aPlanIsTheSameBeforeAndAfter() async throws {
        try await World.run(devices: 50) { world in
            let examples = ["giants", "driver-passenger", "silent", "localized", "rich"]
            for name in examples {
                let source = ExamplesTests.root.appending(path: "examples/\(name)")
                for path in try FileManager.default.subpathsOfDirectory(atPath: source.path).sorted()
                where path.hasSuffix(".yaml") || path.hasSuffix(".xcstrings") {
                    let whole = try String(contentsOf: source.appending(path: path), encoding: .utf8)
                    let text = whole.replacingOccurrences(of: "http://127.0.0.1:8710", with: world.url)
                        .replacingOccurrences(of: "\n  ", with: "\n      ")
                        .replacingOccurrences(of: "\n", with: "  \r\n")
                    try world.write("\(name)/\(path)", path.hasSuffix(".yaml") ? text : whole)
                }
                let arguments = ["plan", "-C", name, "--format", "json"]
                let before = try await world.bugle(arguments)
                let formatted = try await world.bugle("fmt", "-C", name)
                #expect(formatted.status == 0 && !formatted.output.isEmpty, "\(formatted.everything)")
                let after = try await world.bugle(arguments)
                // Of so few devices some audiences are empty: blocked.
                #expect([0, 6].contains(before.status) && after.status == before.status, "\(before.everything)")
                #expect(Self.withoutPlaces(after.output) == Self.withoutPlaces(before.output))
            }
        }
    }

    /// A plan file without where things stand in the files, and without the hash over that.
    private static func withoutPlaces(_ plan: String) -> [Substring] {
        let places = ["\"line\":", "\"column\":", "\"endLine\":", "\"endColumn\":", "\"integrity\":"]
        return plan.split(separator: "\n").filter { line in !places.contains { line.contains($0) } }
    }
}
