import Base
import GRDB
import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

@Suite struct OverviewTests {
    private static let seeded = Task {
        let registry = try await Registry.test()
        _ = try await registry.seed(devices: 2000, at: .noon)
        return registry
    }

    private static func filter(_ change: (inout InstallationFilter) -> Void) -> InstallationFilter {
        var filter = InstallationFilter()
        change(&filter)
        return filter
    }

    private static let filters: [InstallationFilter] = [
        filter { _ in }, filter { $0.deviceType = "ios" }, filter { $0.deviceProfile = "driver" },
        filter { $0.isValid = true }, filter { $0.isValid = false }, filter { $0.channel = "Giants" },
        filter {
            $0.deviceType = "android"
            $0.deviceProfile = "driver"
            $0.channel = "Mets"
            $0.isValid = true
        },
        filter { $0.condition = ["scores": true] }, filter { $0.condition = ["channels": "新闻", "valid": true] },
        filter { $0.condition = ["deviceToken": "aa"] }, filter { $0.condition = ["objectId": "aa", "scores": true] },
        filter { $0.condition = ["valid": false, "deviceType": "ios"] },
    ]

    @Test(.onlyInSQLite, arguments: filters) func everyFilterWalksAnIndexInItsOrder(filter: InstallationFilter)
        async throws
    {
        let plans = try await Self.seeded.value.sqlite.read { db in
            let walk = try InstallationWalk(filter, after: InstallationCursor(row: 5, count: 0))
            let request = SQLRequest<Row>(literal: SQL(sql: "EXPLAIN QUERY PLAN ") + walk.statement.literal)
            return try Row.fetchAll(db, request).map { $0["detail"] as String }
        }
        for step in plans where step.contains(" t0") || step.contains(" c ") || step.contains("TEMP") {
            #expect(step.hasPrefix("SEARCH"), "\(plans)")
        }
    }

    @Test func aPageEndsAfterSoManyDevicesAndTheNextGoesOnBehindThem() async throws {
        let registry = try await Self.seeded.value
        let filter = Self.filter { $0.condition = ["timeZone": "Asia/Tokyo", "deviceType": ["$ne": "ios"]] }
        let query = ObjectQuery(where: filter.condition ?? [:], limit: 1000)
        let expected = try await registry.find(query, in: .installation, as: .master).results
        var seen: [String] = []
        var pages = 0
        var cursor: InstallationCursor?
        repeat {
            let page = try await registry.installations(filter, after: cursor, limit: 10, mostExamined: 70)
            #expect(page.examined <= 70)
            #expect(page.stoppedEarly == (page.next != nil && page.objects.count < 10))
            seen += page.objects.map(\.objectID)
            cursor = page.next
            pages += 1
        } while cursor != nil
        #expect(pages >= 2000 / 70)
        #expect(Set(seen).count == seen.count)
        #expect(Set(seen) == Set(expected.compactMap { $0["objectId"]?.string }))
    }

    @Test func devicesThatWereWrittenAtTheSameInstantAreEachMetOnce() async throws {
        let registry = try await Registry.test()
        for index in 0..<57 {
            try await registry.register("t\(index)", ["valid": .bool(index % 3 > 0), "channels": ["c"]])
        }
        for filter in [
            InstallationFilter(), Self.filter { $0.deviceType = "ios" }, Self.filter { $0.channel = "c" },
        ] {
            var seen: [String] = []
            var cursor: InstallationCursor?
            repeat {
                let page = try await registry.installations(filter, after: cursor, limit: 7)
                seen += page.objects.map(\.objectID)
                cursor = page.next
            } while cursor != nil
            #expect(seen.count == 57 && Set(seen).count == 57)
        }
    }

    @Test func theCensusCountsEachDeviceOnce() async throws {
        let registry = try await Registry.test()
        let token = String(repeating: "0", count: 60)
        func devices(_ type: String, _ name: String, _ numbers: Range<Int>, days: Int64 = 0, valid: Bool = true)
            async throws
        {
            for number in numbers {
                let members: JSONObject = [
                    "deviceType": .string(type), name: .string(token + "\(number)"), "valid": .bool(valid),
                ]
                _ = try await registry.create(
                    members, in: .installation, as: .master, at: Instant.noon.advanced(byDays: -days))
            }
        }
        try await devices("ios", "deviceToken", 1000..<1007)
        try await devices("macos", "deviceToken", 1007..<1008, days: 90)
        try await devices("ios", "deviceToken", 2000..<2004, days: 91)
        try await devices("ios", "deviceToken", 3000..<3003, days: 91, valid: false)
        try await devices("android", "installationId", 4000..<4005, days: 91)
        try await devices("web", "installationId", 5000..<5001)
        let census = try await registry.census(at: .noon)
        #expect(
            [census.reachable, census.android, census.stale, census.dead, census.other, census.all]
                == [8, 5, 4, 3, 1, 21])
    }

    @Test func aCursorIsReadAsItWasWritten() {
        let cursor = InstallationCursor(row: .max, count: 26)
        #expect(InstallationCursor(cursor.text) == cursor)
        for text in ["", "1", "0-0", "-1-0", "x", "1_1-0", " 1-0", "1--1", "1-x", "1-2-3", "9223372036854775808-0"] {
            #expect(InstallationCursor(text) == nil)
        }
    }

    @Test func theSampleHasBothPlatformsAndPrefersDevicesThatReceivedSomething() async throws {
        let registry = try await Registry.test()
        _ = try await registry.seed(devices: 300, at: .noon)
        #expect(
            try await registry.sampleScreens(apple: 3, others: 2, limit: 5).map(\.device.isApple) == [
                true, true, true, false, false,
            ])
        let order = PushOrder(to: .query(["channels": "Giants"]))
        try await registry.deliver(objectID: try await registry.accept(order, at: .noon).objectID, at: .noon)
        let screens = try await registry.sampleScreens(apple: 3, others: 2, limit: 5)
        #expect(screens.count == 5)
        #expect(screens.allSatisfy { $0.messages.map(\.objectID) == [order.objectID] })
        let first = try #require(screens.first)
        #expect(try await registry.screen(ofDevice: first.device.objectID, limit: 5) == first)
        #expect(try await registry.screen(ofDevice: "nothing", limit: 5) == nil)
    }

    @Test func anInboxIsReadFromItsNewestMessage() async throws {
        let registry = try await Registry.test()
        let members: JSONObject = ["deviceType": "android", "installationId": "i", "deviceToken": "t"]
        let device = try await registry.create(members, in: .installation, as: .master, at: .noon).object
        // Under its installation id, and under its token: both are the device's.
        let audiences: [PushOrder.Audience] = [.query([:]), .devices(platform: "ios", ids: ["t"], vendor: nil)]
        for index in 0..<6 {
            let order = PushOrder(to: audiences[index % 2], id: "n\(index)")
            try await registry.deliver(objectID: try await registry.accept(order, at: .noon).objectID, at: .noon)
        }
        let screen = try #require(try await registry.screen(ofDevice: device.objectID, limit: 4))
        #expect(screen.messages.map(\.notificationID) == ["n5", "n4", "n3", "n2"])
    }
}
