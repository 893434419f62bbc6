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

    @Test(
        arguments: [
            ([:], ["a", "b", "c"]), (["channels": ["Giants", "Mets"]], ["a", "b"]), (["channels": "Mets"], ["b"]),
            (["where": ["channels": "Giants"], "channels": "Mets"], ["b"]), (["where": [["n": 1]]], ["a"]),
            (["where": #"{"n":1}"#], ["a"]), (["where": ["n": ["$gte": 2]]], ["b", "c"]), (["where": ["n": 9]], []),
        ] as [(JSONValue, [String])])
    func channelsAndConditionsNarrowTheAudience(members: JSONValue, reached: [String]) async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a", ["n": 1, "channels": ["Giants"]])
            try await server.device("b", ["n": 2, "channels": ["Giants", "Mets"]])
            try await server.device("c", ["n": 3])
            _ = try await push(server, members)
            for device in ["a", "b", "c"] {
                #expect(try await server.inbox(device).count == (reached.contains(device) ? 1 : 0), "\(device)")
            }
        }
    }

    @Test func aDeviceNotSeenForThreeMonthsGetsNothing() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("old")
            try await server.advance(91 * 86_400)
            try await server.device("new")
            _ = try await push(server, [:])
            #expect(try await server.inbox("old").isEmpty)
            #expect(try await server.inbox("new").count == 1)
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

    @Test func aRepeatedRequestWithinFiveMinutesIsOnePush() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a")
            let first = try await push(server, ["req_id": "r1", "notification_id": "n1"])
            try await server.advance(299)
            let second = try await push(server, ["req_id": "r1", "notification_id": "n1"])
            #expect(second.body == first.body)
            #expect(try await server.inbox("a").count == 1)
            try await server.advance(2)
            let third = try await push(server, ["req_id": "r1", "notification_id": "n1"])
            #expect(third.body["objectId"] != first.body["objectId"])
            #expect(try await server.inbox("a").count == 2)
            let summary = try await server.call("GET", "/bugle/inboxes?notificationId=n1").body
            #expect(summary == ["devices": 1, "messages": 2, "duplicates": 1])
        }
    }

    @Test func pushesOfOneNotificationShareARecord() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a", ["channels": ["x"]])
            try await server.device("b", ["channels": ["y"]])
            let first = try await push(server, ["channels": "x", "notification_id": "n1"])
            let second = try await push(server, ["channels": "y", "notification_id": "n1"])
            let record = try await server.call("GET", "/notifications/n1").body
            #expect(record["simulated"]?["devices"] == 2)
            for answer in [first, second] {
                let id = try #require(answer.body["objectId"]?.string)
                let found = try await server.call("GET", "/tables/Notifications/\(id)").body
                #expect(found["simulated"]?["devices"] == 2)
                #expect(found["objectId"] == .string(id))
            }
            #expect(try await server.call("GET", "/bugle/inboxes?notificationId=n1").body["duplicates"] == 0)
        }
    }

    @Test func theBodyIsUnder4096Bytes() async throws {
        try await TestServer.run { (server) async throws in
            func body(_ size: Int) -> [UInt8] {
                let frame = #"{"data":{"alert":""}}"#
                return Array(
                    #"{"data":{"alert":"\#(String(repeating: "新", count: (size - frame.utf8.count) / 3))"#.utf8)
                    + Array(repeating: UInt8(ascii: "x"), count: (size - frame.utf8.count) % 3) + Array(#""}}"#.utf8)
            }
            #expect(body(4095).count == 4095)
            #expect(try await server.send("POST", "/push", bytes: body(4095)).status == 200)
            let refused = try await server.send("POST", "/push", bytes: body(4096))
            #expect(refused.status == 413)
            #expect(refused.body == ["code": 413, "error": "Payload Too Large."])
        }
    }

    @Test func tooManyPushesAreRefusedUntilTheMinuteIsOver() async throws {
        try await TestServer.run(pushesPerMinute: 3) { (server) async throws in
            for _ in 0..<3 { #expect(try await push(server, [:]).status == 200) }
            try await server.advance(59)
            let refused = try await push(server, [:])
            #expect(refused.status == 429)
            #expect(refused.body == ["code": 429, "error": "Too many requests."])
            #expect(try await server.call("GET", "/notifications").status == 200)
            try await server.advance(1)
            #expect(try await push(server, [:]).status == 200)
        }
    }

    @Test(
        arguments: [
            (["data": nil], 1), (["data": "x"], 1), (["notification_id": "12345678901234567"], 1),
            (["req_id": "a-b"], 1),
            (["req_id": ""], 1), (["push_time": "tomorrow"], 152), (["expiration_interval": "soon"], 1),
            (["expiration_interval": 0], 1), (["expiration_time": "x"], 1), (["prod": "test"], 1), (["where": 5], 1),
            (["expiration_interval": 60, "expiration_time": "2027-01-01T00:00:00Z"], 1), (["channels": "a b"], 112),
            (["channels": [1]], 112), (["channels": []], 112), (["where": ["n": ["$foo": 1]]], 102),
            (["cql": "select * from _User"], 300),
            (["where": "{"], 107), (["topic": 1], 1), (["flow_control": "x"], 1),
        ] as [(JSONValue, Int64)])
    func wrongParametersAreRefusedAndSendNothing(members: JSONValue, code: Int64) async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a")
            let answer = try await push(server, members)
            #expect(answer.status == 400)
            #expect(answer.body["code"] == .integer(code))
            #expect(try await server.inbox("a").isEmpty)
            #expect(try await server.call("GET", "/notifications").body == ["results": []])
        }
    }

    @Test func parametersOfRealClientsAreTaken() async throws {
        try await TestServer.run { (server) async throws in
            let answer = try await push(
                server,
                [
                    "expiration_interval": "86400", "topic": "com.example.app", "apns_team_id": "ABCDE12345",
                    "flow_control": 1000, "_notificationChannel": "news", "appId": "giants", "prod": "dev",
                    "push_time": "2026-11-21T12:00:59.999Z",
                ])
            #expect(answer.status == 200)
            #expect(try await server.call("GET", "/scheduledPushMessages").body == ["results": []])
        }
    }

    @Test(
        arguments: [
            (nil, nil, "prod"), ("1", nil, "prod"), ("0", nil, "dev"), ("x", nil, "dev"), ("0", "prod", "prod"),
            ("1", "dev", "dev"),
        ] as [(String?, String?, String)])
    func theEnvironmentComesFromTheBodyElseTheHeader(header: String?, member: String?, prod: String) async throws {
        try await TestServer.run { (server) async throws in
            var body = Self.hello
            body["notification_id"] = "n1"
            body["prod"] = member.map { .string($0) }
            let headers = header.map { [("X-LC-Prod", $0)] } ?? []
            _ = try await server.call("POST", "/push", body, headers: headers)
            #expect(try await server.call("GET", "/notifications/n1").body["prod"]?.string == prod)
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

    @Test func recordsAreKeptSevenDays() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await push(server, ["notification_id": "n1"]).body["objectId"]?.string ?? ""
            try await server.advance(7 * 86_400 - 1)
            #expect(try await server.call("GET", "/notifications/n1").status == 200)
            try await server.advance(1)
            for path in ["/notifications/n1", "/tables/Notifications/\(id)"] {
                let answer = try await server.call("GET", path)
                #expect(answer.status == 404)
                #expect(answer.body["code"] == 101)
            }
        }
    }

    @Test func aRecordCanBeDeleted() async throws {
        try await TestServer.run { (server) async throws in
            _ = try await push(server, ["notification_id": "n1"])
            #expect(try await server.call("DELETE", "/notifications/n1").body == [:])
            #expect(try await server.call("DELETE", "/notifications/n1").status == 404)
        }
    }
}
