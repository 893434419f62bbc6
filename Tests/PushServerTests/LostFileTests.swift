import Base
import DeviceRegistry
import Foundation
import Push
import RegistryTesting
import Testing

/// The built server over a registry that is taken away, or was copied in part, or is to be copied.
@Suite struct LostFileTests {
    private static let device: JSONValue = ["deviceType": "ios", "deviceToken": "a1b2"]

    @Test func aServerWhoseFileIsTakenAwayIsNotReadyUntilItIsBack() async throws {
        try await inFolder { folder in
            let data = folder.appending(path: "d.sqlite")
            let program = try await Program.start(data: data)
            defer { program.kill() }
            func ready() async throws -> Answer {
                try await HTTPClient.send("GET", "/ready", port: program.port, headers: [], body: [])
            }
            #expect(try await ready().status == 200)
            let elsewhere = folder.appending(path: "e.sqlite")
            try FileManager.default.moveItem(at: data, to: elsewhere)
            let answer = try await ready()
            #expect(answer.status == 503)
            #expect(answer.body["error"]?.string?.contains("was removed or renamed") == true, "\(answer.body)")
            #expect(try await program.call("POST", "/installations", Self.device).status >= 500)
            #expect(try await program.call("POST", "/push", ["where": [:], "data": ["alert": "x"]]).status >= 500)
            try FileManager.default.moveItem(at: elsewhere, to: data)
            #expect(try await ready().status == 200)
            #expect(try await program.call("POST", "/installations", Self.device).status == 201)
            let inboxes = try await program.call("GET", "/notifications").body["results"]?.array
            #expect(inboxes?.isEmpty == true, "\(inboxes ?? [])")
        }
    }

    /// Copies until the ledger's turn, and no further.
    private func copyHalf(of source: Registry, to target: Registry) async {
        let copying = Task {
            try await target.copy(everythingOf: source) { table, _ in
                if table == "deployRecord" { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        _ = try? await copying.value
    }

    @Test(arguments: [false, true]) func aHalfCopyIsNotServedAndRunningCopyAgainFinishesIt(isFile: Bool) async throws {
        try await inFolder { folder in
            let source = folder.appending(path: "source.sqlite").path
            let filled = try Registry.test(at: source)
            _ = try await filled.seed(devices: 50, at: .noon)
            let url: String
            let target: Registry
            if isFile {
                url = folder.appending(path: "target.sqlite").path
                target = try Registry.test(at: url)
            } else {
                (url, target) = try await Registry.database()
            }
            await copyHalf(of: filled, to: target)
            filled.close()
            await target.shutDown()
            let serving = ["--listen", "127.0.0.1:0", "--data", url, "--app-id", "giants"]
            for arguments in [serving, ["copy", "--from", url, "--to", folder.path + "/third"]] {
                let run = try await Program.run(arguments)
                #expect(run.status != 0)
                #expect(run.errors.contains("run 'bugle-server copy"), "\(arguments): \(run)")
            }
            let copied = try await Program.run(["copy", "--from", source, "--to", url])
            #expect(copied.status == 0, "\(copied)")
            let program = try await Program.start(registry: url)
            defer { program.kill() }
            #expect(try await program.call("GET", "/installations?count=1&limit=0").body["count"] == 50)
        }
    }

    @Test func aDatabaseThatAServerUsesIsNeitherCopiedNorCopiedInto() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "d.sqlite").path
            try Registry.test(at: file).close()
            let (url, registry) = try await Registry.database()
            await registry.shutDown()
            let program = try await Program.start(registry: url)
            defer { program.kill() }
            for (arguments, name) in [
                (["--from", file, "--to", url], "target"), (["--from", url, "--to", file], "source"),
            ] {
                let run = try await Program.run(["copy"] + arguments)
                #expect(run.status == 1, "\(run)")
                #expect(run.errors.contains("the \(name) is in use"), "\(run)")
            }
            program.send(SIGTERM)
            _ = try await program.ending
            let run = try await Program.run(["copy", "--from", file, "--to", url])
            #expect(run.status == 0, "\(run)")
        }
    }
}
