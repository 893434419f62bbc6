import Base
import Foundation
import ProgramTesting
import Testing

/// The fence of a remote, on every way to a device.
@Suite struct FenceTests {
    private static let files = [
        "a.yaml": String.giants + "---\nkind: Segment\nname: testers\nwhere: {tester: true}\n",
        "one.yaml": String.campaign("one"),
    ]
    private static let fence = "audience: {segments: [testers]}"

    /// Three devices, and one that is within the fence.
    private static func devices(_ world: World) async throws {
        try await world.devices(3)
        _ = try await world.call(
            "POST", "/installations",
            ["deviceType": "ios", "deviceToken": "e0", "channels": ["Giants"], "tester": true])
    }

    @Test func nobodyOutsideIsReachedThroughAServiceWithLeanCloudsAPI() async throws {
        try await World.run(Self.files, timeout: "60s\n    " + Self.fence) { world in
            try await Self.devices(world)
            let plan = try await world.bugle("plan")
            #expect(plan.output.contains("channel Giants, on ios, fenced to segment testers"), "\(plan.output)")
            #expect(plan.output.contains("Merging sends 1 push to 1 device now"), "\(plan.output)")
            let preview = try await world.bugle("preview", "one", "--format", "json")
            #expect(preview.output.contains("fenced to segment testers"), "\(preview.everything)")
            let chinese = try await world.bugle("plan", "--language", "zh-Hans")
            #expect(chinese.output.contains("频道 Giants，平台 ios，限于分群 testers"), "\(chinese.output)")
            try await world.apply()
            #expect(try await world.inbox("e0").count == 1)
            for device in ["d0", "d1", "d2"] { #expect(try await world.inbox(device).isEmpty) }
        }
    }

    @Test func aTestPushReachesNobodyOutside() async throws {
        try await World.run(Self.files, timeout: "60s\n    " + Self.fence) { world in
            try await Self.devices(world)
            func test(_ device: String) async throws -> Run {
                try await world.bugle("test", "one", "--environment", "production", "--device", device)
            }
            let outside = try await test("d0")
            #expect(outside.status == 1 && outside.errors.contains("within the remote's audience, segment testers"))
            #expect(try await world.inbox("d0").isEmpty)
            #expect(try await test("e0").status == 0)
            #expect(try await world.inbox("e0").count == 1)
        }
    }

    @Test func aPushThatWaitsAtTheServiceIsRescheduledWithin() async throws {
        let later = String.campaign("one", more: "expiration: {after: 7d}\nschedule: {at: 2026-11-21T18:00:00Z}")
        try await World.run(Self.files.merging(["one.yaml": later]) { $1 }) { world in
            try await Self.devices(world)
            try await world.apply()
            let text = try String(contentsOf: URL(filePath: world.path("bugle.yaml")), encoding: .utf8)
            try world.write("bugle.yaml", text.replacing("timeout: 60s", with: "timeout: 60s\n    " + Self.fence))
            let plan = try await world.apply()
            #expect(plan.output.contains("reschedule"), "\(plan.everything)")
            world.advance(.seconds(8 * 3600))
            _ = try await world.bugle("status")
            try await eventually { try await world.inbox("e0").count == 1 }
            #expect(try await world.inbox("d0").isEmpty)
        }
    }

    @Test func nobodyOutsideIsReachedStraightToApple() async throws {
        try await AppleWorld.run(Self.files, timeout: "60s\n    " + Self.fence) { world in
            try await world.devices(0..<3)
            try await world.devices(3..<5, fields: ["tester": true])
            let plan = try await world.bugle("plan")
            #expect(plan.output.contains("fenced to segment testers"), "\(plan.output)")
            let outside = try await world.bugle(
                "test", "one", "--environment", "production", "--device", world.token(0))
            #expect(outside.status == 6, "\(outside.everything)")
            #expect(outside.errors.contains("apple has no such device within its audience, segment testers"))
            #expect(try await world.received().messages == 0)
            let inside = try await world.bugle("test", "one", "--environment", "production", "--device", world.token(3))
            #expect(inside.status == 0, "\(inside.everything)")
            try await world.apply()
            let received = try await world.received()
            #expect(received.devices == 2 && received.messages == 3)
        }
    }

    @Test func aRuleOfTheRemoteNamesIt() async throws {
        let own = "60s\n    policy: {maxAudience: 2}"
        try await World.run(Self.files, policy: "{maxAudience: 100}", timeout: own) { world in
            try await world.devices(3)
            let plan = try await world.bugle("plan")
            #expect(plan.status == 6, "\(plan.everything)")
            #expect(plan.output.contains("3 devices exceed maxAudience 2 (policy of remote local)"), "\(plan.output)")
        }
    }
}
