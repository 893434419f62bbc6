import Base
import DeviceRegistry
import RegistryTesting
import Testing

@Suite struct SeedingTests {
    private static let seeded = Task {
        let registry = try await Registry.test()
        _ = try await registry.seed(devices: 1000, at: .noon)
        return registry
    }

    private func count(_ registry: Registry, _ condition: JSONValue) async throws -> Int {
        let query = ObjectQuery(where: condition, limit: 0, countsAll: true)
        return try await registry.find(query, in: .installation, as: .master).count ?? 0
    }

    @Test func theSameNumberGivesTheSameDevices() async throws {
        var texts: [String] = []
        for _ in 0..<2 {
            let registry = try await Registry.test()
            #expect(try await registry.seed(devices: 300, at: .noon) == 300)
            let query = ObjectQuery(limit: 1000)
            texts.append(
                JSONValue.array(try await registry.find(query, in: .installation, as: .master).results).canonicalText)
        }
        #expect(texts[0] == texts[1])
    }

    @Test func aRegistryThatHasDevicesIsLeftAlone() async throws {
        let registry = try await Registry.test()
        _ = try await registry.seed(devices: 10, at: .noon)
        #expect(try await registry.seed(devices: 20, at: .noon) == 0)
        #expect(try await registry.deviceCount() == 10)
    }

    @Test(
        arguments: [
            ["channels": "Giants"], ["channels": "Mets"], ["channels": "Indians"], ["channels": "suitcaseOwners"],
            ["channels": "public"], ["channels": "新闻"], ["scores": true], ["gameResults": true],
            ["injuryReports": true],
            ["channels": "news"], ["channels": "final"], ["fan": true], ["ticket": true], ["followsFinal": true],
            ["morningNews": true], ["language": "zh-Hans-CN"], ["language": "ar"],
            ["firstName": ["$exists": true]],
            ["deviceType": "ios"], ["deviceType": "android"], ["deviceProfile": "driver"],
            ["deviceProfile": "passenger"],
            ["deviceProfile": ["$exists": false]], ["valid": false], ["badge": ["$gt": 0]],
            ["timeZone": "Asia/Shanghai"],
            ["updatedAt": ["$lt": "2026-08-01T00:00:00Z"]],
            [
                "owner": [
                    "$inQuery": [
                        "location": [
                            "$nearSphere": ["__type": "GeoPoint", "latitude": 39.9869, "longitude": 116.3059],
                            "$maxDistanceInMiles": 10.0,
                        ]
                    ]
                ]
            ],
        ] as [JSONValue])
    func everyAudienceOfTheGuidesAndExamplesHasDevicesAndNotAll(condition: JSONValue) async throws {
        let count = try await count(try await Self.seeded.value, condition)
        #expect(count > 0)
        #expect(count < 1000)
    }
}
