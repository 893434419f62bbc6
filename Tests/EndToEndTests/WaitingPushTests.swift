import Base
import CLibrary
import Foundation
import FoundationNetworking
import ProgramTesting
import Testing

/// bugle-server took a push, and Apple cannot be reached from there.
@Suite struct WaitingPushTests {
    /// Runs a test with a server that cannot reach Apple, and a workspace that is applied to it.
    private static func run(_ test: (AppleWorld, ServerProcess) async throws -> Void) async throws {
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
            try await test(world, server)
            await server.kill()
        }
    }

    /// The record of the one push.
    private static func record(at server: ServerProcess) async throws -> JSONValue? {
        try await server.call("GET", "/notifications")["results"]?.array?.first
    }

    /// Submits the form of the console that stops a push or decides about one that was stopped.
    private static func decide(_ decision: String, _ push: String, at server: ServerProcess) async throws {
        let session = URLSession(configuration: .ephemeral)
        let base = "http://127.0.0.1:\(server.port)/console"
        func submit(_ form: String, to path: String) async throws {
            var request = URLRequest(url: try #require(URL(string: base + path)))
            request.httpMethod = "POST"
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(form.utf8)
            _ = try await session.data(for: request)
        }
        try await submit("key=\(World.masterKey)", to: "/login")
        let (data, _) = try await session.data(from: try #require(URL(string: base + "/pushes/" + push)))
        let page = String(decoding: data, as: UTF8.self)
        let token = try #require(page.firstMatch(of: /name="token" value="([^"]+)"/), "\(page)").output.1
        try await submit("token=\(token)&push=\(push)&decision=\(decision)&why=wrong%20link", to: "/stop")
    }

    @Test func aPushThatTheServerHasNotHandedOnIsOngoingInResultStatusAndDoctor() async throws {
        try await Self.run { world, server in
            let process = Promise<Int32>()
            async let applied = world.apply(expecting: nil, started: process.fulfil)
            let id = await process.value
            try await eventually { try await Self.record(at: server)?["waiting"]?.string != nil }
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
        }
    }

    @Test func aPushThatWasStoppedInTheConsoleWaitsForAPersonInEveryApplyPlanAndStatus() async throws {
        try await Self.run { world, server in
            let process = Promise<Int32>()
            async let applied = world.apply(expecting: nil, started: process.fulfil)
            let id = await process.value
            try await eventually { try await Self.record(at: server)?["waiting"]?.string != nil }
            let push = try #require(try await Self.record(at: server)?["objectId"]?.string)
            try await Self.decide("stop", push, at: server)
            #expect(try await Self.record(at: server)?["stopped"]?["reason"] == "wrong link")
            kill(id, SIGTERM)
            let run = try await applied
            // On a slow machine its minute may have been over before the stop.
            #expect(run.status == 7 || !run.everything.contains("stopped by"), "\(run.everything)")
            let plan = try await world.bugle("plan")
            #expect(plan.status == 7, "\(plan.everything)")
            #expect(plan.output.contains("one@1: stopped by the console, 127.0.0.1"), "\(plan.everything)")
            _ = try await world.apply(expecting: 7)
            let resolve = try await world.bugle("resolve", "one", "--as", "proceed", "--reason", "mended")
            #expect(resolve.status == 64, "\(resolve.everything)")
            #expect(resolve.errors.contains("/console/pushes/" + push), "\(resolve.everything)")
            let status = try await world.bugle("status")
            #expect(status.status == 7 && status.output.contains("halted"), "\(status.everything)")
            #expect(try await world.status("one")["reasonCode"] == "stoppedAtServer")
            try await Self.decide("proceed", push, at: server)
            #expect(try await Self.record(at: server)?["stopped"] == nil)
            #expect(try await world.bugle("plan").status == 0)
        }
    }
}
