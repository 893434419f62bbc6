import APNsSimulator
import Base
import DeviceRegistry
import Push
import Testing

/// Pushes that are refused before they are taken. Source: docs/background/leancloud/push.md#refusals.
@Suite struct AppleRefusalTests {
    private static let past = AppleWorld.now - .seconds(60)
    private static let expired: JSONValue = ["code": 1, "error": "The iOS certificate file is expired or disabled."]

    private func answer(_ world: AppleWorld, _ members: JSONValue) async throws -> Answer {
        var body: JSONValue = ["data": ["alert": "x"]]
        for (key, value) in members.object ?? [:] { body[key] = value }
        return try await world.server.call("POST", "/push", body)
    }

    @Test(arguments: [AppleWorld.profile(expiresAt: past), AppleWorld.profile(isHere: false)])
    func anExpiredOrMissingCertificateRefusesWhatMayReachAnIPhone(profile: DeviceProfile) async throws {
        try await AppleWorld.run(profiles: [profile]) { (world) async throws in
            for condition in [
                [:], ["deviceType": "ios"], ["deviceType": ["$in": ["android", "ios"]]], ["$or": [["a": 1], ["b": 2]]],
                ["deviceType": ["$exists": true]],
            ] as [JSONValue] {
                let refused = try await answer(world, ["where": condition])
                #expect(refused.status == 400, "\(condition)")
                #expect(refused.body == Self.expired)
            }
            for condition in [
                ["deviceType": "android"], ["deviceType": ["$ne": "ios"]], ["deviceType": ["$nin": ["ios"]]],
                ["$and": [["deviceType": "android"]]], ["$or": [["deviceType": "android"], ["deviceType": "web"]]],
            ] as [JSONValue] {
                #expect(try await answer(world, ["where": condition]).status == 200, "\(condition)")
            }
            #expect(world.apple.statistics.requests == 0)
        }
    }

    @Test func aCertificateThatExpiresMeanwhileFailsAScheduledPush() async throws {
        // Later than any run of the tests lasts.
        let soon = AppleWorld.now + .seconds(4 * 3600)
        try await AppleWorld.run(profiles: [AppleWorld.profile(expiresAt: soon)], allowsFaults: true) {
            (world) async throws in
            try await world.device(1)
            let time = Instant.system.advanced(bySeconds: 5 * 3600).isoText
            let id = try await answer(world, ["push_time": .string(time)]).body["objectId"]?.string ?? ""
            try await world.server.advance(5 * 3600 + 1)
            await world.server.waitUntil { try await world.record(id)["status"] != "scheduled" }
            let record = try await world.record(id)
            #expect(record["status"] == "error")
            #expect(record["errors"] == "The iOS certificate file is expired or disabled.")
        }
    }

    @Test func anEnvironmentWithoutAProfileIsNamed() async throws {
        try await AppleWorld.run { (world) async throws in
            let refused = try await answer(world, ["prod": "dev"])
            #expect(refused.status == 400)
            #expect(refused.body["code"] == 1)
            #expect(refused.body["error"]?.string?.contains("找不到 iOS 测试环境推送证书") == true)
        }
    }

    @Test(
        arguments: [
            (["where": ["deviceProfile": "nobody"]], "nobody"), (["topic": "com.example.other"], "com.example.other"),
            (["data": ["alert": "x", "apns-push-type": "voip"]], "voip"),
            (["apns_team_id": "ZZZZZ12345"], "production"),
            (["data": ["alert": "x", "apns-priority": 3]], "apns-priority"),
        ] as [(JSONValue, String)])
    func whatNoProfilePushesIsNamed(members: JSONValue, word: String) async throws {
        let profile = AppleWorld.profile(topics: ["com.example.app"])
        try await AppleWorld.run(profiles: [profile]) { (world) async throws in
            let refused = try await answer(world, members)
            #expect(refused.status == 400)
            #expect(refused.body["error"]?.string?.contains(word) == true, "\(refused.body)")
        }
    }

    @Test func theTopicOfARequestChoosesTheProfileOfDevicesThatNameNone() async throws {
        let profiles = [
            AppleWorld.profile("a", topic: "com.example.a", isDefault: true),
            AppleWorld.profile("b", topic: "com.example.b"),
        ]
        try await AppleWorld.run(profiles: profiles) { (world) async throws in
            let token = try await world.device(1, topic: "com.example.b")
            try await world.push(["data": ["alert": "x"], "topic": "com.example.b", "apns_team_id": "ABCDE12345"])
            #expect(world.apple.inbox(of: token).map(\.topic) == ["com.example.b"])
        }
    }

    @Test func aPayloadThatAppleWouldNotTakeIsRefused() async throws {
        try await AppleWorld.run { (world) async throws in
            let long = String(repeating: "新", count: 1400)
            let refused = try await world.server.call(
                "POST", "/push/devices",
                ["device_type": "ios", "device_ids": [.string(AppleWorld.token(1))], "data": ["alert": .string(long)]])
            #expect(refused.status == 413)
            #expect(refused.body["code"] == 413)
        }
    }
}
