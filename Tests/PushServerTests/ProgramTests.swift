import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import PushServer
import RegistryTesting
import Testing

@Suite struct ProgramTests {
    @Test func sigtermStopsItGracefully() async throws {
        try await inFolder { (folder) async throws in
            let program = try await Program.start(data: folder.appending(path: "d.sqlite"))
            #expect(try await program.call("GET", "/date").status == 200)
            program.send(SIGTERM)
            #expect(try await program.ending == .exited(0))
        }
    }

    @Test func seedingHappensOnce() async throws {
        try await inFolder { (folder) async throws in
            let data = folder.appending(path: "d.sqlite")
            for _ in 0..<2 {
                let program = try await Program.start(data: data, ["--seed-devices", "50"])
                let answer = try await program.call("GET", "/installations?count=1&limit=0")
                #expect(answer.body["count"] == 50)
                program.kill()
                _ = try await program.ending
            }
        }
    }

    @Test func theFieldsThatTheSettingsNameAreIndexed() async throws {
        try await inFolder { (folder) async throws in
            let data = folder.appending(path: "d.sqlite")
            let program = try await Program.start(data: data, ["--indexed-fields", "city, level"])
            defer { program.kill() }
            let registry = try Registry.test(at: data.path)
            defer { registry.close() }
            try await eventually { try await registry.indexedFields() == ["city", "level"] }
        }
    }

    @Test(arguments: [
        (["--listen", "nonsense"], 64, "listen"), (["--listen", "127.0.0.1:99999"], 64, "listen"),
        (["--pushes-per-minute", "0"], 64, "pushes-per-minute"), (["--seed-devices", "-1"], 64, "seed-devices"),
        (["--indexed-fields", "city,a.b"], 64, "indexed-fields"),
        (["--clients-may-push", "yes"], 64, "clients-may-push"),
        (["--data", "/nonexistent/d.sqlite"], 1, "/nonexistent/d.sqlite"),
        (["--listen", "203.0.113.1:1"], 1, "203.0.113.1:1"),
    ])
    func wrongOptionsAreClearErrors(options: [String], status: Int32, word: String) async throws {
        try await inFolder { (folder) async throws in
            var arguments = ["--app-id", "giants"] + options
            for (name, value) in [("--data", folder.appending(path: "d.sqlite").path), ("--listen", "127.0.0.1:0")]
            where !options.contains(name) {
                arguments += [name, value]
            }
            let ended = try await Program.run(arguments)
            #expect(ended.status == status)
            #expect(ended.errors.contains(word), "\(ended.errors)")
            #expect(ended.output.isEmpty)
        }
    }

    @Test func aMissingMasterKeyIsNamed() async throws {
        try await inFolder { (folder) async throws in
            let arguments = [
                "--listen", "127.0.0.1:0", "--data", folder.appending(path: "d").path, "--app-id", "giants",
            ]
            let ended = try await Program.run(arguments, environment: [:])
            #expect(ended.status == 64)
            #expect(ended.errors.contains("BUGLE_SERVER_KEY"))
        }
    }

    @Test func keysAreNeverPrinted() {
        let configuration = TestServer.configuration
        for text in ["\(configuration)", String(reflecting: configuration), "\(configuration.masterKey)"] {
            #expect(!text.contains(TestServer.masterKey))
            #expect(!text.contains(TestServer.appKey))
        }
    }
}
