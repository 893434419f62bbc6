import Base
import DeliveryTesting
import DeviceRegistry
import Push
import RemoteTesting
import Testing

@testable import Delivery

@Suite struct ExplainingTests {
    private let world: RemoteWorld

    init() throws { world = try RemoteWorld() }

    private static func audience(
        _ condition: JSONValue, _ routes: [(profile: String, topic: String, isDefault: Bool)]
    ) -> JSONValue {
        let members = routes.map { route -> JSONValue in
            var member: JSONValue = ["profile": .string(route.profile), "topic": .string(route.topic)]
            if route.isDefault { member["default"] = true }
            return member
        }
        return ["where": condition, "routes": .array(members)]
    }

    private func register(_ index: Int, _ members: JSONValue, age: Duration = .zero) async throws {
        let all: JSONValue = ["deviceType": "ios", "deviceToken": .string(World.token(index)), "valid": true]
        _ = try await world.registry.create(
            (all.object ?? [:]).merging(members.object ?? [:]) { $1 }, in: .installation, as: .master,
            at: Instant(milliseconds: (world.clock.now - age).milliseconds))
    }

    @Test func whoIsSkippedIsToldByTheFirstReason() async throws {
        try await register(1, ["deviceProfile": "app", "timeZone": "Asia/Shanghai"])
        try await register(2, [:])
        let old = Duration.seconds(200 * 86_400)
        try await register(3, ["deviceType": "android", "installationId": "a", "valid": false], age: old)
        try await register(4, ["valid": false, "deviceProfile": "other"], age: old)
        try await register(5, ["deviceProfile": "other"], age: old)
        try await register(6, ["deviceProfile": "other"])
        try await register(7, ["apnsTopic": "com.example.other"])
        let reader = try world.reader()
        let audience = Self.audience([:], [("app", "com.example.app", true)])
        let explanation = try await reader.explain(audience, deviceProfiles: [])
        var expected = AudienceCount(
            devices: 2, platforms: ["ios": 2], deviceProfiles: ["app": 1, "": 1],
            timeZones: ["Asia/Shanghai": 1, "": 1],
            leftOut: [.android: 1, .invalid: 1, .stale: 1, .otherProfile: 2])
        expected.noWay = ["": 1]
        #expect(explanation == expected)
        let count = try await reader.count(audience)
        #expect(count.devices == 2 && count.leftOut == explanation.leftOut)
    }

    @Test func theTimeAfterWhichADeviceGetsNothingIsTheRegistrys() async throws {
        try await register(1, [:], age: .seconds(100 * 86_400))
        let audience = Self.audience([:], [("app", "com.example.app", true)])
        for (days, devices) in [(90, 0), (180, 1), (nil, 1)] as [(Int64?, Int)] {
            let reader = try world.reader(staleAfter: days.map { .seconds($0 * 86_400) })
            let count = try await reader.count(audience)
            #expect(count.devices == devices && count.leftOut == (devices == 0 ? [.stale: 1] : [:]))
            #expect(try await reader.explain(audience, deviceProfiles: []).devices == devices)
        }
    }

    @Test func developmentAndProductionAreExplainedByTheirRoutes() async throws {
        try await world.register(4, profile: "release")
        try await world.register(3, profile: "debug", from: 100)
        let reader = try world.reader()
        let production = Self.audience([:], [("release", "com.example.app", true)])
        let development = Self.audience([:], [("debug", "com.example.app", true)])
        #expect(try await reader.explain(production, deviceProfiles: []).deviceProfiles == ["release": 4])
        let debug = try await reader.explain(development, deviceProfiles: [])
        #expect(debug.deviceProfiles == ["debug": 3])
        #expect(debug.leftOut == [.otherProfile: 4])
    }

    @Test func broadcastsAndListsOfDevicesAreNoAudienceToExplain() async throws {
        let encoder = APNsEncoder()
        #expect(encoder.audience(of: world.order { $0.target = .devices(["00"]) }.request) == nil)
        #expect(
            encoder.audience(
                of: world.order { $0.target = .broadcast(channel: "scores", topic: "com.example.app") }.request) == nil)
        let reader = try world.reader()
        await #expect(throws: RemoteError.self) {
            try await reader.explain(["broadcast": "AAA="], deviceProfiles: [])
        }
    }

    // MARK: What two audiences share

    @Test func sharedDevicesFitBothConditionsAndGoByARouteOfBoth() async throws {
        try await register(1, ["deviceProfile": "app", "a": true, "b": true])
        try await register(2, ["deviceProfile": "app", "a": true])
        try await register(3, ["deviceProfile": "driver", "a": true, "b": true])
        try await register(4, ["a": true, "b": true])
        try await register(5, ["deviceProfile": "other", "a": true, "b": true])
        let reader = try world.reader()
        let (app, driver) = (("app", "com.example.app", true), ("driver", "com.example.driver", false))
        func shared(
            _ first: [(profile: String, topic: String, isDefault: Bool)],
            _ second: [(profile: String, topic: String, isDefault: Bool)]
        ) async throws -> Int? {
            let audience = reader.encoder.sharedAudience(
                Self.audience(["a": true], first), Self.audience(["b": true], second))
            guard let audience else { return nil }
            return try await reader.count(audience).devices
        }
        #expect(try await shared([app, driver], [app, driver]) == 3)
        #expect(try await shared([app], [app, driver]) == 2)
        #expect(try await shared([app], [driver]) == nil)
        #expect(try await shared([app], [("app", "com.example.app", false)]) == 1)
        // Two defaults of one topic: devices without a profile get both.
        #expect(try await shared([app], [("driver", "com.example.app", true)]) == 1)
        #expect(try await shared([app], [("driver", "com.example.driver", true)]) == nil)
    }

    @Test func whatIsSharedDoesNotDependOnTheOrderOfRoutes() {
        let encoder = APNsEncoder()
        let (one, other) = (("a", "t", true), ("b", "u", false))
        let condition: JSONValue = ["x": 1]
        let first = encoder.sharedAudience(
            Self.audience(condition, [one, other]), Self.audience(condition, [other, one]))
        let second = encoder.sharedAudience(
            Self.audience(condition, [other, one]), Self.audience(condition, [one, other]))
        #expect(first == second)
        #expect(first?["where"] == condition)
        #expect(encoder.sharedAudience([:], [:]) == nil)
    }
}
