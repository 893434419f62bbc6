import Base
import Foundation
import Testing

/// `bugle validate --fix`: a difference, a question, and files that hold nothing else that is new.
@Suite struct FixCommandTests {
    private static let wrong = """
        kind: Campaign   # the first
        name: one
        audience: {channels: Giants}
        mesage: {body: hi}
        expiration: 7d
        schedule: {at: 2026-12-27T20:00:00}

        """
    private static let right = wrong.replacing("Giants}", with: "[Giants]}").replacing("mesage", with: "message")
        .replacing(" 7d", with: " {after: 7d}")

    private func inWorkspace(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in [
            ("bugle.yaml", "kind: Workspace\nname: giants\n"), ("a.yaml", String.giants), ("one.yaml", Self.wrong),
        ] { try Data(text.utf8).write(to: folder.appending(path: name)) }
        try await test(folder)
    }

    @Test func whereNobodyCanBeAskedTheDifferenceIsShownAndNothingWritten() async throws {
        try await inWorkspace { folder in
            let run = try await Program.run(["validate", "--fix"], folder: folder)
            #expect(run.status == 10)
            #expect(run.errors == "bugle: nothing was changed: there is nobody to ask; use --auto-approve\n")
            #expect(
                run.output == """
                    --- one.yaml
                    +++ one.yaml
                    @@ -3 +3 @@
                    -audience: {channels: Giants}
                    +audience: {channels: [Giants]}
                    @@ -4 +4 @@
                    -mesage: {body: hi}
                    +message: {body: hi}
                    @@ -5 +5 @@
                    -expiration: 7d
                    +expiration: {after: 7d}

                    """)
            #expect(try String(contentsOf: folder.appending(path: "one.yaml"), encoding: .utf8) == Self.wrong)
        }
    }

    @Test func theMendedFilesAreCheckedAgain() async throws {
        try await inWorkspace { folder in
            let file = folder.appending(path: "one.yaml")
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
            let run = try await Program.run(["validate", "--fix", "--auto-approve"], folder: folder)
            #expect(run.status == 3, "the offset is a person's to give: \(run.everything)")
            #expect(run.errors.contains("add the offset from UTC") && !run.errors.contains("mesage"))
            #expect(try String(contentsOf: file, encoding: .utf8) == Self.right)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o640)
            let again = try await Program.run(["validate", "--fix", "--auto-approve"], folder: folder)
            #expect(again.status == 3 && again.errors.contains("nothing that can be meant in one way only"))
        }
    }

    @Test(arguments: ["yes\n", "y\n"]) func atATerminalOnlyATypedYesWrites(answer: String) async throws {
        try await inWorkspace { folder in
            let session = try await Terminal.run(
                ["validate", "--fix", "-C", folder.path], environment: [:],
                typing: [("Write these changes? Only 'yes' is accepted: ", answer)])
            let text = try String(contentsOf: folder.appending(path: "one.yaml"), encoding: .utf8)
            #expect(session.status == (answer == "yes\n" ? 3 : 10), "\(session.screen)")
            #expect(text == (answer == "yes\n" ? Self.right : Self.wrong))
            #expect(session.screen.contains("+message: {body: hi}"), "the difference is shown before the question")
        }
    }

    @Test func aSecretIsInNoDifference() async throws {
        try await inWorkspace { folder in
            let secret = String(repeating: "0a", count: 20)
            let text =
                "kind: Workspace\nname: giants\nremotes:\n  l: {type: leancloud, apId: a, masterKey: \(secret)}\n"
            try Data(text.utf8).write(to: folder.appending(path: "bugle.yaml"))
            let run = try await Program.run(["validate", "--fix"], folder: folder)
            #expect(run.output.contains("+(a line that may hold a secret)"))
            #expect(!run.everything.contains(secret))
        }
    }

    @Test func optionsThatDoNotGoTogetherAreWrongUsage() async throws {
        try await inWorkspace { folder in
            for options in [["--fix", "--changed-since", "main"], ["--auto-approve"], ["--fix", "--yes"]] {
                let run = try await Program.run(["validate"] + options, folder: folder)
                #expect(run.status == 64, "\(options)")
            }
        }
    }

    @Test func codeScanningGetsTheSameMends() async throws {
        try await inWorkspace { folder in
            let run = try await Program.run(["validate", "--format", "sarif"], folder: folder)
            let results = try #require(JSONValue(parsing: run.output)["runs"]?.array?.first?["results"]?.array)
            let fixes = results.compactMap { $0["fixes"]?.array?.first }
            #expect(fixes.count == 3 && results.count > 3)
            let change = try #require(fixes.last?["artifactChanges"]?.array?.first)
            #expect(change["artifactLocation"]?["uri"]?.string == "one.yaml")
            let replacement = try #require(change["replacements"]?.array?.first)
            #expect(replacement["insertedContent"]?["text"]?.string == "{after: 7d}")
            #expect(replacement["deletedRegion"]?["startLine"]?.integer == 5)
        }
    }
}
