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

    @Test func aScheduledPushIsListedInLeanCloudsShape() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await schedule(server).body["objectId"]
            let listed = try await server.call("GET", "/scheduledPushMessages").body
            #expect(
                listed == [
                    "results": [
                        [
                            "id": 1, "expire_time": 1_795_266_000_000, "createdAt": "2026-11-21T12:00:00.000Z",
                            "push_msg": [
                                "through?": nil, "app-id": "giants", "api-version": "1.1", "prod": "prod",
                                "where": ["sort": ["createdAt": 1], "query": ["n": 1, "valid": true]],
                                "msg": ["alert": "later"], "id": try #require(id), "notificationId": "n1",
                            ],
                        ]
                    ]
                ])
            let record = try await server.call("GET", "/notifications/n1").body
            #expect(record["status"] == "scheduled")
            #expect(record["push-time"] == "2026-11-21T13:00:00.000Z")
        }
    }

    @Test func itIsSentWhenItsTimeHasComeToWhomeverItReachesThen() async throws {
        try await TestServer.run { (server) async throws in
            _ = try await schedule(server)
            try await server.device("a", ["n": 1])
            try await server.advance(3599)
            #expect(try await server.inbox("a").isEmpty)
            try await server.advance(1)
            #expect(try await server.inbox("a") == [["alert": "later"]])
            #expect(try await server.call("GET", "/scheduledPushMessages").body == ["results": []])
            #expect(try await server.call("GET", "/notifications/n1").body["status"] == "done")
            try await server.advance(3600)
            #expect(try await server.inbox("a").count == 1)
        }
    }

    @Test func aCancelledOneIsNeverSentAndLeavesNoRecord() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a", ["n": 1])
            _ = try await schedule(server)
            #expect(try await server.call("DELETE", "/scheduledPushMessages/1").body == [:])
            #expect(try await server.call("DELETE", "/scheduledPushMessages/1").status == 404)
            #expect(try await server.call("DELETE", "/scheduledPushMessages/x").status == 404)
            try await server.advance(7200)
            #expect(try await server.inbox("a").isEmpty)
            #expect(try await server.call("GET", "/notifications/n1").status == 404)
        }
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
