import Base
import Foundation
import ProgramTesting
import Testing

/// A running `bugle-server demo` on a free port, with what it printed.
struct Demo {
    let folder: URL
    let program: BackgroundProgram

    var url: String { String(program.head[0].dropFirst("listening on ".count)) }
    var key: String { said("master key") }
    /// The commands that it prints.
    var commands: [String] { program.head.suffix(3).map { $0.trimmingCharacters(in: .whitespaces) } }
    var temporary: URL { folder.appending(path: "temporary") }

    func said(_ word: String) -> String {
        let line = program.head.first { $0.trimmingCharacters(in: .whitespaces).hasPrefix(word) } ?? ""
        return line.replacing(word, with: "").trimmingCharacters(in: .whitespaces)
    }

    func call(_ path: String) async throws -> JSONValue {
        try await LoopbackHTTP.send(
            try #require(URL(string: url + "/1.1" + path)), method: "GET", body: nil, key: key)
    }

    func count(_ condition: JSONValue) async throws -> Int {
        let allowed = CharacterSet.alphanumerics
        let text = condition.canonicalText.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        return try await call("/installations?count=1&limit=0&where=\(text)")["count"]?.integer.map { Int($0) } ?? 0
    }

    /// Runs a test with a demo of its own, and ends it.
    static func run(_ test: (Demo) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "demo-\(UUID().uuidString)")
        let temporary = folder.appending(path: "temporary")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = try await BackgroundProgram.start(
            "bugle-server", ["demo", "--listen", "127.0.0.1:0"],
            environment: ["TMPDIR": temporary.path, "BUGLE_SERVER_KEY": "a-key-of-something-else"], lines: 14)
        do {
            try await test(Demo(folder: folder, program: program))
        } catch {
            await program.kill()
            throw error
        }
        await program.kill()
    }

    /// Goes the way from nothing to a delivered push in four commands: what each prints is the next one. Returns the number
    /// of devices that the campaign's comment promises, and that the apply then names.
    func walk() async throws -> Int {
        var environment = try PrintedPage.environment([:])
        // The terminal in which the demo's words are pasted.
        func paste(_ line: String, answer: String = "") async throws -> String {
            let typed = "\(answer.isEmpty ? "" : "echo \(answer) | ")script -qec '\(line)' /dev/null"
            let run = try await PrintedPage.shell(typed, in: folder, environment)
            #expect(run.status == 0, "\(line)\n\(run.output)")
            return run.output.replacing("\r\n", with: "\n")
        }
        // The last line says it.
        func next(_ output: String) throws -> String {
            let line = try #require(output.split(separator: "\n").last)
            return String(try #require(line.firstMatch(of: #/Next: (.*)$/#), "\(output)").output.1)
        }
        let made = try await paste(commands[0])
        let setting = try #require(commands[0].firstMatch(of: #/^export (\w+)=(\S+) && /#)).output
        environment[String(setting.1)] = String(setting.2)
        let planning = try next(made)
        #expect(planning == commands[1])
        let planned = try await paste(planning)
        let campaign = try String(
            contentsOf: folder.appending(path: "my-app/campaigns/welcome.yaml"), encoding: .utf8)
        let promised = try #require(campaign.firstMatch(of: #/# ([0-9,]+) of the demo's 10,000 devices/#)).output.1
        #expect(planned.contains("\(promised) devices"), "\(planned)")
        let applying = try next(planned)
        #expect(applying == commands[2])
        let applied = try await paste(applying, answer: "yes")
        #expect(applied.contains("sent, \(promised) simulated devices"), "\(applied)")
        return try #require(Int(promised.replacing(",", with: "")))
    }
}
