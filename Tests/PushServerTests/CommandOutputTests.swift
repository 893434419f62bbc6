import Base
import Foundation
import RegistryTesting
import Testing

/// What the commands of `bugle-server` print is theirs, whatever others wrote into it.
@Suite struct CommandOutputTests {
    private static let hostile = "a\r\n::error::b\n  ::error::c ##[command]d\u{1B}[2J\u{202E}\u{85}e"

    private func expectHarmless(_ text: String, lines: Int) {
        #expect(!text.unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || [0x85, 0x202E].contains($0.value)) })
        #expect(!text.contains("##["))
        let all = text.split(separator: "\n")
        #expect(all.count == lines, "\(text)")
        #expect(!all.contains { $0.drop { $0 == " " }.hasPrefix("::") }, "\(text)")
    }

    @Test func whatARemoteAnsweredIsOneLine() async throws {
        try await inFolder { (folder) async throws in
            let backend = try RecordingBackend()
            let body = JSONValue.object(["code": 1, "error": .string(Self.hostile)]).canonicalText
            let answer =
                "HTTP/1.1 400 Bad Request\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            // It is asked whose server it is; of a scan that fails, a query is tried.
            async let seen = [backend.serve(answer), backend.serve(answer), backend.serve(answer)]
            let run = try await Program.run(
                ["pull", "--from", backend.url, "--app-id", "giants", "--data", folder.appending(path: "d").path],
                environment: ["LEANCLOUD_MASTER_KEY": TestServer.masterKey])
            _ = try await seen
            #expect(run.status == 1)
            #expect(run.errors.contains("::error::b"), "\(run.errors)")
            expectHarmless(run.errors, lines: 1)
        }
    }

    @Test func theNameOfAFileIsOneLine() async throws {
        try await inFolder { (folder) async throws in
            let missing = folder.path + "/" + Self.hostile
            let data = folder.appending(path: "d").path
            let run = try await Program.run(["import", missing, "--data", data])
            #expect(run.status == 1)
            expectHarmless(run.errors, lines: 1)
            let copied = try await Program.run(["backup", missing, "--data", missing])
            expectHarmless(copied.errors, lines: 1)
        }
    }

    /// The words of libpq name the folder of a socket, and those of a server the database.
    private func expectHarmlessFailure(at url: String) async throws {
        let run = try await Program.run(["held", "--data", url])
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.errors.contains("::error::b") && run.errors.contains("\\u{1b}"), "\(run.errors)")
        expectHarmless(run.errors, lines: 1)
    }

    @Test func whatLibpqSaysOfADatabaseIsOneLine() async throws {
        let folder = try #require(Self.hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        try await expectHarmlessFailure(at: "postgresql://bugle@/x?host=/tmp/\(folder)")
    }

    @Test(
        .enabled(
            if: PostgresServer.programs != nil, "Debian's package 'postgresql' is not installed: 'make' installs it"))
    func whatAServerSaysOfADatabaseIsOneLine() async throws {
        let name = try #require(Self.hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let folder = try await PostgresServer.shared.folder()
        try await expectHarmlessFailure(at: "postgresql://bugle@/\(name)?host=\(folder)&connect_timeout=600")
    }

    @Test func aClassOfAnExportAndAWrongOptionAreTheirLinesOnly() async throws {
        try await inFolder { (folder) async throws in
            let file = folder.appending(path: "_Installation.jsonl")
            try Data("#filetype:JSON-streaming {\"type\":\"Class\",\"class\":\"_Installation\"}\n".utf8).write(to: file)
            let line = JSONValue.object(["objectId": "a", Self.hostile: 1]).canonicalText + "\n"
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(line.utf8))
            try handle.close()
            let run = try await Program.run(["import", file.path, "--data", folder.appending(path: "d").path])
            expectHarmless(run.output, lines: run.output.split(separator: "\n").count)
            let wrong = try await Program.run(["held", "--" + Self.hostile, "--data", "x"])
            #expect(wrong.status == 64)
            expectHarmless(wrong.errors, lines: wrong.errors.split(separator: "\n").count)
        }
    }

    @Test(arguments: [
        ["check", "--app-id", "giants", "--data"], ["serve", "--app-id", "giants", "--data"], ["held", "--data"],
        ["copy", "--to", "x", "--from"], ["copy", "--from", "x", "--to"],
        ["pull", "--from", "https://a.example", "--app-id", "a", "--data"],
    ])
    func anArgumentWithAPasswordIsRefusedWithWhatToDo(arguments: [String]) async throws {
        let environment = Program.environment.merging(["LEANCLOUD_MASTER_KEY": TestServer.masterKey]) { $1 }
        let run = try await Program.run(
            arguments + ["postgres://u:hunter2@db.invalid/d"], environment: environment)
        #expect(run.status == 64)
        #expect(run.errors.contains("\(arguments.last ?? "") holds a password") && run.errors.contains("PGPASSFILE"))
        #expect(!(run.output + run.errors).contains("hunter2"))
    }

    @Test func aVariableMayHoldAPassword() async throws {
        let environment = Program.environment.merging([
            "BUGLE_SERVER_DATA": "postgres://u:hunter2@db.invalid/d"
        ]) { $1 }
        let run = try await Program.run(["check", "--app-id", "giants"], environment: environment)
        #expect(run.status == 0, "\(run.errors)")
    }
}
