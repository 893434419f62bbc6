import Base
import Foundation
import Testing

@Suite struct PushTests {
    private static let hello: JSONValue = ["data": ["alert": "hello"]]

    private func push(_ server: TestServer, _ members: JSONValue) async throws -> Answer {
        var body = Self.hello
        for (key, value) in members.object ?? [:] { body[key] = value }
        return try await server.call("POST", "/push", body)
    }

    @Test func aPushReachesWhomItIsForAndIsCounted() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a1", ["channels": ["Giants"], "scores": true])
            try await server.device("a2", ["channels": ["Giants"]])
            try await server.device("a3", ["channels": ["Giants"], "scores": true, "valid": false])
            _ = try await server.call(
                "POST", "/installations",
                ["deviceType": "android", "installationId": "b1", "channels": ["Giants"], "scores": true])
            let answer = try await push(
                server, ["channels": "Giants", "where": ["scores": true], "notification_id": "n1"])
            #expect(answer.status == 200)
            let id = try #require(answer.body["objectId"]?.string)
            #expect(answer.body == ["objectId": .string(id), "createdAt": "2026-11-21T12:00:00.000Z"])
            #expect(id.count == 16)
            for (device, count) in [("a1", 1), ("a2", 0), ("a3", 0), ("b1", 1)] {
                #expect(try await server.inbox(device).count == count, "\(device)")
            }
            let record = try await server.call("GET", "/tables/Notifications/\(id)", key: .app).body
            #expect(
                record == [
                    "objectId": .string(id), "notificationId": "n1", "msg": ["alert": "hello"], "status": "done",
                    "devices": 0, "successes": 0, "iosSuccesses": 0, "lcSuccesses": 0, "invalidTokens": 0,
                    // Nothing left the server.
                    "simulated": ["devices": 2, "successes": 2, "iosSuccesses": 1, "lcSuccesses": 1],
                    "prod": "prod", "from-service": "push",
                    "where": ["scores": true, "channels": "Giants", "valid": true],
                    "createdAt": "2026-11-21T12:00:00.000Z", "updatedAt": "2026-11-21T12:00:00.000Z",
                ])
            #expect(try await server.call("GET", "/notifications/n1").body == record)
            #expect(try await server.call("GET", "/notifications?count=1").body == ["results": [record], "count": 1])
        }
    }

    @Test func aPlatformsPartOverridesTheDefaults() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a")
            _ = try await server.call(
                "POST", "/installations", ["deviceType": "android", "installationId": "b", "vendor": "mi"])
            _ = try await push(
                server,
                [
                    "data": [
                        "alert": "all", "title": "T", "news": 1, "ios": ["alert": "apple", "sound": "a.caf"],
                        "android": ["alert": "droid"], "mi": ["title": "Mi"],
                    ]
                ])
            #expect(try await server.inbox("a") == [["alert": "apple", "title": "T", "news": 1, "sound": "a.caf"]])
            #expect(try await server.inbox("b") == [["alert": "droid", "title": "Mi", "news": 1]])
        }
    }

    @Test func incrementRaisesEachDevicesBadge() async throws {
        try await TestServer.run { (server) async throws in
            let first = try await server.device("a", ["badge": 4])
            let second = try await server.device("b")
            _ = try await push(server, ["data": ["alert": "x", "badge": "Increment"], "notification_id": "n1"])
            _ = try await push(
                server, ["data": ["aps": ["alert": "x", "badge": "Increment"]], "notification_id": "n2"])
            _ = try await push(server, ["data": ["alert": "x", "badge": 9]])
            #expect(try await server.inbox("a").map { $0["badge"] ?? $0["aps"]?["badge"] } == [5, 6, 9])
            #expect(try await server.inbox("b").map { $0["badge"] ?? $0["aps"]?["badge"] } == [1, 2, 9])
            #expect(try await server.call("GET", "/installations/\(first)").body["badge"] == 6)
            #expect(try await server.call("GET", "/installations/\(second)").body["badge"] == 2)
        }
    }

    @Test func aPushToNamedDevicesAsksNoRegistry() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a", ["badge": 1, "valid": false])
            let ids: JSONValue = ["a", "unknown", "a"]
            let answer = try await server.call(
                "POST", "/push/devices",
                [
                    "device_type": "ios", "device_ids": ids, "data": ["alert": "x", "badge": "Increment"],
                    "notification_id": "n1", "device_profile": "driver", "prod": "prod",
                ])
            #expect(answer.status == 200)
            #expect(try await server.inbox("a") == [["alert": "x", "badge": 2]])
            #expect(try await server.inbox("unknown") == [["alert": "x", "badge": 1]])
            let record = try await server.call("GET", "/notifications/n1").body
            #expect(record["devices"] == 0)
            #expect(record["simulated"] == ["devices": 2, "successes": 2, "iosSuccesses": 2])
        }
    }

    @Test func fiveHundredNamedDevicesMayExceed4096Bytes() async throws {
        try await TestServer.run { (server) async throws in
            func body(_ count: Int) -> JSONValue {
                let ids = (0..<count).map { JSONValue.string(String(repeating: "a", count: 60) + "\($0)") }
                return ["device_type": "android", "device_ids": .array(ids), "data": ["alert": "x"]]
            }
            #expect(try await server.call("POST", "/push/devices", body(500)).status == 200)
            #expect(try await server.call("POST", "/push/devices", body(501)).body["code"] == 1)
            #expect(try await server.call("POST", "/push/devices", body(0)).body["code"] == 1)
        }
    }
}
