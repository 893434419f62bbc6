import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import PushServer
import RegistryTesting
import Testing

@Suite struct ScheduledPushTests {
    private func schedule(_ server: TestServer, _ members: JSONValue = [:]) async throws -> Answer {
        var body: JSONValue = [
            "data": ["alert": "later"], "push_time": "2026-11-21T13:00:00.000Z", "notification_id": "n1",
            "where": ["n": 1],
        ]
        for (key, value) in members.object ?? [:] { body[key] = value }
        return try await server.call("POST", "/push", body)
    }

    @Test func oneThatExpiredBeforeItCouldBeSentIsNotSent() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a", ["n": 1])
            _ = try await schedule(server, ["expiration_interval": 60])
            server.clock.advance(bySeconds: 3661)
            try await server.advance(0)
            #expect(try await server.inbox("a").isEmpty)
            #expect(try await server.call("GET", "/notifications/n1").body["status"] == "expired")
        }
    }

    @Test func theBackgroundFollowsTheClock() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a", ["n": 1])
            _ = try await schedule(server)
            server.clock.advance(bySeconds: 3600)
            try await eventually { try await !server.inbox("a").isEmpty }
        }
    }

    @Test func theNextStartSendsWhatCameDueMeanwhile() async throws {
        let registry = try await Registry.test()
        let clock = ServerClock(standingAt: .noon)
        let first = try await TestServer(registry, clock: clock)
        try await first.device("a", ["n": 1])
        _ = try await schedule(first)
        await first.server.stop()
        clock.advance(bySeconds: 86_400)
        let second = try await TestServer(registry, clock: clock)
        #expect(try await second.inbox("a") == [["alert": "later"]])
        await second.server.stop()
    }

    @Test func aRequestThatIsRepeatedSchedulesOnce() async throws {
        try await TestServer.run { (server) async throws in
            let first = try await schedule(server, ["req_id": "r1"])
            let second = try await schedule(server, ["req_id": "r1"])
            #expect(first.body == second.body)
            #expect(try await server.call("GET", "/scheduledPushMessages").body["results"]?.array?.count == 1)
        }
    }
}
