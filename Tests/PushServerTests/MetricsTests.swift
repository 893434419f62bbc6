import APNsSimulator
import Base
import PushServer
import Testing

@testable import DeviceRegistry

/// `/metrics`: what it says, and to whom.
@Suite struct MetricsTests {
    /// The text of the page.
    private static func page(_ server: ServiceServer, _ headers: [String] = []) async throws -> RawConnection.Reply {
        try await server.reply(to: head("GET /metrics", headers, key: .none))
    }

    @Test func everythingThatHappensIsCountedByKind() async throws {
        try await ServiceServer.run { (server) async throws in
            let device: JSONValue = ["deviceType": "ios", "deviceToken": "secret-token"]
            _ = try await server.call("POST", "/1.1/installations", body: device.canonicalBytes)
            _ = try await server.call("GET", "/1.1/date", [])
            let push: JSONValue = ["where": [:], "data": ["alert": "x"]]
            _ = try await server.call("POST", "/1.1/push", TestServer.headers(.master), body: push.canonicalBytes)
            // Requests are counted, and their connections end, a moment after their answers.
            _ = await server.log.line(3)
            var reply = try await Self.page(server)
            while !["connections_open", "http_requests_in_flight"].allSatisfy({ reply.body.contains("bugle_\($0) 1\n") }
            ) {
                reply = try await Self.page(server)
            }
            #expect(reply.status == 200)
            #expect(reply.head.contains("text/plain; version=0.0.4"))
            for line in [
                #"bugle_http_requests_total{route="installations",status="201"} 1"#,
                #"bugle_http_requests_total{route="date",status="401"} 1"#,
                #"bugle_http_request_duration_seconds_bucket{route="push",le="+Inf"} 1"#,
                #"bugle_http_request_duration_seconds_count{route="push"} 1"#, "bugle_pushes_total 1",
                "bugle_simulated_messages_total 1", "bugle_installations 1", "bugle_connections_open 1",
                "bugle_http_requests_in_flight 1", "bugle_pushes_scheduled 0",
            ] {
                #expect(reply.body.contains(line + "\n"), "\(line)")
            }
            #expect(reply.body.contains("\nprocess_resident_memory_bytes "))
            #expect(reply.body.contains("\nprocess_start_time_seconds "))
        }
    }

    @Test func everyLineIsOfTheFormatAndNoClientChoosesALabel() async throws {
        try await ServiceServer.run { (server) async throws in
            for path in ["/1.1/installations/secret-token", "/1.1/classes/secret-token/x", "/secret-token", "/1.1/x"] {
                _ = try await server.call("GET", path)
            }
            let reply = try await Self.page(server)
            #expect(!reply.body.contains("secret-token"))
            let sample = /[a-z_]+(\{[a-z]+="[a-z0-9.+A-Z-]+"(,[a-z]+="[a-z0-9.+A-Z-]+")*\})? [0-9.e+-]+/
            for line in reply.body.split(separator: "\n") where !line.hasPrefix("#") {
                #expect(line.wholeMatch(of: sample) != nil, "\(line)")
            }
        }
    }

    @Test func onlyThisMachineReadsThemWithoutAToken() async throws {
        try await ServiceServer.run { (server) async throws in
            #expect(try await Self.page(server).status == 200)
            for header in ["X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1", "Via: 1.1 proxy"] {
                #expect(try await Self.page(server, [header]).status == 401)
            }
        }
    }

    @Test func withATokenItIsTheTokenThatCounts() async throws {
        try await ServiceServer.run({ $0.metricsToken = ServerKey("scrape") }) { (server) async throws in
            #expect(try await Self.page(server).status == 401)
            #expect(try await Self.page(server, ["Authorization: Bearer wrong"]).status == 401)
            #expect(try await Self.page(server, ["Authorization: Bearer scrape", "Via: 1.1 proxy"]).status == 200)
        }
    }

    @Test func theMetricsCountWhatBecameOfNotifications() async throws {
        try await AppleWorld.run { (world) async throws in
            for number in 1...3 { try await world.device(number) }
            try world.apple.forget(token: AppleWorld.token(3))
            try await world.push(["data": ["alert": "x"]])
            let page = try await HTTPClient.sendText("GET", "/metrics", port: world.server.port).text
            #expect(page.contains(#"bugle_notifications_total{service="apple",outcome="accepted"} 2"#), "\(page)")
            #expect(page.contains(#"bugle_notifications_total{service="apple",outcome="refused"} 1"#))
            #expect(page.contains(#"bugle_notifications_total{service="apple",outcome="in_doubt"} 0"#))
        }
    }

    @Test func devicesThatCannotBeCountedAreLeftOutAndTheRestIsAnswered() async throws {
        try await ServiceServer.run { (server) async throws in
            _ = try await server.registry.write { try $0.execute("ALTER TABLE installation RENAME TO elsewhere", []) }
            let reply = try await Self.page(server)
            #expect(reply.status == 200)
            #expect(reply.body.contains("bugle_pushes_total 0\n"))
            #expect(!reply.body.contains("bugle_installations"))
        }
    }

    @Test func devicesAreCountedAtMostOnceAMinute() async throws {
        #expect(ServerSettings().limits.countInterval == .seconds(60))
        // Of real time, in which a busy machine may not get from one page to the next.
        try await ServiceServer.run({ $0.limits.countInterval = .seconds(3600) }) { (server) async throws in
            #expect(try await Self.page(server).body.contains("bugle_installations 0\n"))
            let device: JSONValue = ["deviceType": "ios", "deviceToken": "t"]
            _ = try await server.call("POST", "/1.1/installations", body: device.canonicalBytes)
            #expect(try await Self.page(server).body.contains("bugle_installations 0\n"))
        }
    }
}
