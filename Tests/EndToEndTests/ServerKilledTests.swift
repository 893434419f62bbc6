import Base
import Foundation
import ProgramTesting
import RegistryTesting
import Testing

/// The server is killed while a push's answer is under way, and started again: every device gets the push once.
@Suite struct ServerKilledTests {
    private struct Stage {
        let folder: URL
        var data: String { folder.appending(path: "data.sqlite").path }

        func point(at server: ServerProcess) throws {
            let text = """
                kind: Workspace
                name: giants
                remotes:
                  local:
                    type: leancloud
                    url: http://127.0.0.1:\(server.port)
                    appId: giants-demo
                    masterKey: {env: BUGLE_SERVER_KEY}
                    # The longest: until then an answer that does not come is waited for.
                    timeout: 60s
                ---
                kind: Channel
                name: Giants
                """
            try Data(text.utf8).write(to: folder.appending(path: "bugle.yaml"))
        }

        func bugle(
            _ arguments: String..., started: @escaping @Sendable (Int32) -> Void = { _ in }
        ) async throws -> Run {
            try await Program.run(
                arguments, environment: ["BUGLE_SERVER_KEY": World.masterKey], folder: folder, started: started)
        }
    }

    private func onStage(_ test: (Stage) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "killed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(String.campaign("one").utf8).write(to: folder.appending(path: "one.yaml"))
        try await test(Stage(folder: folder))
    }

    @Test(.onlyInSQLite) func aSecondServerOnTheSameDataIsRefused() async throws {
        try await onStage { stage in
            let first = try await ServerProcess.start(data: stage.data)
            let second = try await FinishedProgram.run(
                "bugle-server", ["--listen", "127.0.0.1:0", "--data", stage.data, "--app-id", "giants-demo"],
                environment: ["BUGLE_SERVER_KEY": World.masterKey])
            #expect(second.ending != .exited(0))
            #expect(second.errors.contains("bugle-server, process"), "\(second)")
            await first.kill()
            // Nothing is left of the lock of one that was killed.
            await (try await ServerProcess.start(data: stage.data)).kill()
        }
    }

    @Test func aPushTakenByAServerThatDiesBeforeItAnswersIsFoundAfterItsRestart() async throws {
        try await onStage { stage in
            let first = try await ServerProcess.start(data: stage.data)
            try stage.point(at: first)
            let device: JSONValue = ["deviceType": "ios", "deviceToken": "d0", "channels": ["Giants"]]
            _ = try await first.call("POST", "/installations", device)
            let fault: JSONValue = ["method": "POST", "path": "/1.1/push", "nth": 1, "fault": "delay", "value": 600]
            _ = try await first.call("POST", "/bugle/faults", fault)

            let apply = Promise<Int32>()
            async let run = stage.bugle("apply", "--auto-approve", "--retries", "0") { apply.fulfil($0) }
            try await eventually {
                try await first.call("GET", "/bugle/devices/d0/inbox")["results"]?.array?.isEmpty == false
            }
            await first.kill()
            // Nobody will answer: it need not wait for that.
            kill(await apply.value, SIGTERM)
            let interrupted = try await run
            #expect(interrupted.status != 0, "\(interrupted.everything)")

            let second = try await ServerProcess.start(data: stage.data)
            try stage.point(at: second)
            // The dead apply's lock holds for two minutes of the server's clock.
            _ = try await second.call("POST", "/bugle/clock", ["advance": 130])
            let again = try await stage.bugle("apply", "--auto-approve")
            #expect(again.status == 0, "\(again.everything)")
            let inbox = try await second.call("GET", "/bugle/devices/d0/inbox")["results"]?.array
            #expect(inbox?.count == 1)
            #expect(try await stage.bugle("plan", "--detailed-exitcode").status == 0)
            await second.kill()
        }
    }
}
