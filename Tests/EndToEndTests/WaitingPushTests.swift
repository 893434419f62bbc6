import Base
import CLibrary
import Foundation
import ProgramTesting
import Testing

/// bugle-server took a push, and Apple cannot be reached from there.
@Suite struct WaitingPushTests {
    @Test func aPushThatTheServerHasNotHandedOnIsOngoingInResultStatusAndDoctor() async throws {
        let files = ["a.yaml": String.giants, "one.yaml": String.campaign("one")]
        try await AppleWorld.run(files, variables: ["BUGLE_SERVER_KEY": World.masterKey]) { world in
            // A name that is never resolved.
            let server = try await ServerProcess.start(
                data: world.path("server.sqlite"),
                ["--workspace", world.folder.path, "--apple-production", "apple.invalid"])
            _ = try await server.call(
                "POST", "/installations",
                ["deviceType": "ios", "deviceToken": .string(world.token(0)), "channels": ["Giants"]])
            try world.write(
                "bugle.yaml",
                """
                kind: Workspace
                name: giants
                remotes:
                  local: {type: leancloud, url: "http://127.0.0.1:\(server.port)", appId: giants-demo, masterKey: {env: BUGLE_SERVER_KEY}}

                """)
            let process = Promise<Int32>()
            async let applied = world.apply(expecting: nil, started: process.fulfil)
            let id = await process.value
            func waits() async throws -> Bool {
                let records = try await server.call("GET", "/notifications")["results"]?.array
                return records?.first?["waiting"]?.string != nil
            }
            try await eventually(waits)
            // It need not wait for the end of a minute.
            kill(id, SIGTERM)
            let run = try await applied
            #expect(run.status == 8, "\(run.everything)")
            #expect(run.output.contains("the server waits for Apple: "), "\(run.everything)")
            #expect(!run.output.contains("✓ campaign"), "\(run.everything)")
            let status = try await world.bugle("status")
            #expect(
                status.output.contains("ongoing") && status.output.contains("the server waits for Apple: "),
                "\(status.everything)")
            #expect(try await world.status("one")["reason"]?.string?.contains("the server waits for Apple: ") == true)
            let doctor = try await world.bugle("doctor")
            #expect(doctor.status == 1, "\(doctor.everything)")
            #expect(doctor.output.contains("one@1: the server waits for Apple: "), "\(doctor.everything)")
            await server.kill()
        }
    }
}
