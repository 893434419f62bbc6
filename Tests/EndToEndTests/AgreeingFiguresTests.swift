import Base
import DeviceRegistry
import Foundation
import FoundationNetworking
import ProgramTesting
import Push
import RegistryTesting
import Testing

/// One delivery through bugle-server, as everything that tells of it says how many devices it reached by what.
@Suite struct AgreeingFiguresTests {
    private static let campaign = """
        kind: Campaign
        name: one
        audience: {channels: [Giants], platforms: [ios, android]}
        message: {body: one}
        expiration: {after: 7d}

        """

    private static let (apple, android) = (6000, 4000)

    /// A registry of iPhones and Android devices that all subscribe to the campaign's channel.
    private func register(in world: AppleWorld) async throws {
        try await world.devices(Self.apple, isKnown: false)
        let registry = try Registry.test(at: world.path("devices.sqlite"))
        defer { registry.close() }
        let time = AppleWorld.now.isoText
        let objects = try (0..<Self.android).map { index in
            try TransferredObject([
                "objectId": .string("android\(index)"), "createdAt": .string(time), "updatedAt": .string(time),
                "deviceType": "android", "installationId": .string("a\(index)"), "channels": ["Giants"],
                "valid": true,
            ])
        }
        _ = try await registry.transfer(objects, into: .installation)
    }

    private func workspace(_ server: ServerProcess) -> String {
        """
        kind: Workspace
        name: giants
        defaultRemote: local
        remotes:
          local:
            type: leancloud
            url: http://127.0.0.1:\(server.port)
            appId: giants-demo
            masterKey: {env: BUGLE_SERVER_KEY}

        """
    }

    /// The page of a push, for whoever logs in.
    private func console(_ server: ServerProcess, push: String) async throws -> String {
        let session = URLSession(configuration: .ephemeral)
        let base = "http://127.0.0.1:\(server.port)/console"
        var login = URLRequest(url: try #require(URL(string: base + "/login")))
        login.httpMethod = "POST"
        login.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        login.httpBody = Data("key=\(World.masterKey)".utf8)
        _ = try await session.data(for: login)
        let (data, _) = try await session.data(from: try #require(URL(string: base + "/pushes/" + push)))
        return String(decoding: data, as: UTF8.self)
    }

    private func metrics(_ server: ServerProcess) async throws -> String {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/metrics"))
        return String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
    }

    @Test(.timeLimit(.minutes(10)), arguments: [true, false])
    func recordsConsoleMetricsStatusAndPlanAgreeOnWhoWasReachedByWhat(isReal: Bool) async throws {
        try await AppleSimulator.run(["--accept-every-token"]) { simulator in
            let files = ["a.yaml": String.giants, "one.yaml": Self.campaign]
            try await AppleWorld.run(files, on: simulator, variables: ["BUGLE_SERVER_KEY": World.masterKey]) { world in
                try await register(in: world)
                let host = simulator.url.replacing("https://", with: "")
                let server = try await ServerProcess.start(
                    data: world.path("devices.sqlite"),
                    isReal
                        ? [
                            "--workspace", world.folder.path, "--apple-production", host, "--apple-ca",
                            world.path("ca.pem"),
                        ] : [])
                do {
                    try world.write("bugle.yaml", workspace(server))
                    try await check(world, server, isReal: isReal)
                } catch {
                    await server.kill()
                    throw error
                }
                await server.kill()
            }
        }
    }

    private func check(_ world: AppleWorld, _ server: ServerProcess, isReal: Bool) async throws {
        let (apple, all) = (Int64(Self.apple), Int64(Self.apple + Self.android))
        let left = Int64(Self.android)
        #expect(server.ways.hasPrefix(isReal ? "Apple's devices are reached by main" : "all devices are simulated"))
        // The plan.
        let plan = try await world.bugle("plan", "--format", "json")
        let changes = try JSONValue(parsing: plan.output)["changes"]?.array ?? []
        let planned = try #require(changes.first { $0["name"] == "one" }?["audience"], "\(plan.everything)")
        #expect(planned["devices"] == .integer(isReal ? apple : all))
        #expect(planned["leftOut"] == (isReal ? ["android": .integer(left)] : nil))
        #expect(planned["explanation"]?["skipped"] == planned["leftOut"])
        let run = try await world.apply()
        #expect(run.output.contains(isReal ? "6,000 devices" : "10,000 simulated devices"), "\(run.everything)")
        // The record, once the server is done: an apply waits a minute for that, and no longer.
        let push = try #require(try await world.status("one")["objectId"]?.string)
        var record: JSONValue = [:]
        try await eventually {
            record = try await server.call("GET", "/tables/Notifications/\(push)")
            try #require(record["status"] != "error", "\(record)")
            return record["status"] == "done"
        }
        #expect(record["devices"] == .integer(isReal ? apple : 0), "\(record)")
        #expect(record["successes"] == .integer(isReal ? apple : 0))
        #expect(record["leftOut"] == (isReal ? ["notApple": .integer(left)] : nil))
        #expect(record["simulated"]?["successes"] == (isReal ? nil : .integer(all)))
        // The status.
        let status = try await world.status("one")
        #expect(status["devices"] == .integer(isReal ? apple : 0), "\(status)")
        #expect(status["successes"] == .integer(isReal ? apple : 0))
        #expect(status["simulated"] == .integer(isReal ? 0 : all))
        // The metrics.
        let metrics = try await metrics(server)
        #expect(metrics.contains("bugle_simulated_messages_total \(isReal ? 0 : all)\n"))
        #expect(
            metrics.contains("bugle_notifications_total{service=\"apple\",outcome=\"accepted\"} \(apple)\n") == isReal)
        // The console.
        let page = try await console(server, push: push)
        #expect(page.contains("<dt>Devices</dt><dd>\(isReal ? "6,000" : "10,000")</dd>"))
        #expect(page.contains("<dt>Successes</dt><dd>\(isReal ? "6,000" : "10,000")</dd>"))
        #expect(page.contains("<dt>Left out</dt><dd>4,000</dd>") == isReal)
        #expect(page.contains("All devices are simulated: nothing leaves this server.") == !isReal)
        #expect(page.contains("<span class=\"chip still\">simulated</span>") == !isReal)
        // And Apple.
        #expect(try await world.received().messages == (isReal ? Self.apple : 0))
    }
}
