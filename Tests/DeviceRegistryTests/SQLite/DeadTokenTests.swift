import Base
import GRDB
import RegistryTesting
import Testing

@testable import DeviceRegistry

@Suite struct DeadTokenTests {
    private let registry: Registry

    init() async throws {
        registry = try await Registry.test()
    }

    /// Pushes at once and gives what the record says of simulated devices.
    private func push(_ audience: PushOrder.Audience) async throws -> JSONValue {
        let order = PushOrder(to: audience, data: ["alert": "x", "badge": "Increment"], incrementsBadge: true)
        _ = try await registry.accept(order, at: .noon)
        try await registry.deliver(objectID: order.objectID, at: .noon)
        let record = try #require(try await registry.record(notificationID: order.notificationID, at: .noon))
        #expect(record["devices"] == 0 && record["successes"] == 0 && record["invalidTokens"] == 0)
        return try #require(record["simulated"])
    }

    private func isBlackListed(_ token: String) async throws -> Bool {
        try await registry.read { db in try DeadTokens(db: db).isListed(token) }
    }

    @Test func aDeadTokenIsFoundOutOnlyByAPushThatMeansIt() async throws {
        try await registry.register("a", ["n": 1])
        try await registry.register("b", ["n": 2])
        try await registry.killToken("a")
        #expect(try await push(.query(["n": 2]))["invalidTokens"] == nil)
        #expect(try await registry.deviceCount() == 2)
        #expect(try await !isBlackListed("a"))
        let record = try await push(.query([:]))
        #expect(record["devices"] == 2)
        #expect(record["successes"] == 1)
        #expect(record["invalidTokens"] == 1)
        #expect(try await registry.deviceCount() == 1)
        #expect(try await isBlackListed("a"))
        #expect(try await registry.inbox(of: "a").isEmpty)
    }

    @Test func aDeadTokenOfADeviceThatIsNotServedIsNotFoundOut() async throws {
        let id = try await registry.register("a", ["valid": false]).objectID
        try await registry.killToken("a")
        #expect(try await push(.query([:]))["devices"] == 0)
        #expect(try await registry.object(id, in: .installation, as: .master) != nil)
    }

    @Test func whatIsReportedIsRemovedAndDroppedUntilItRegistersAnew() async throws {
        try await registry.register("a")
        try await registry.write { db in try DeadTokens(db: db).record(["a", "never"], at: .noon) }
        #expect(try await registry.deviceCount() == 0)
        for _ in 0..<2 {
            let record = try await push(.devices(platform: "ios", ids: ["a", "b"], vendor: nil))
            #expect(record["devices"] == 2)
            #expect(record["iosSuccesses"] == 1)
            #expect(record["invalidTokens"] == 1)
        }
        try await registry.register("a")
        #expect(try await push(.devices(platform: "ios", ids: ["a"], vendor: nil))["invalidTokens"] == nil)
        #expect(try await registry.inbox(of: "a").count == 1)
    }

    @Test func anUpdateOfADeviceDoesNotBringItsTokenBack() async throws {
        let id = try await registry.register("a").objectID
        try await registry.killToken("a")
        #expect(try await registry.register("a", ["n": 2]).objectID == id)
        #expect(try await push(.query([:]))["invalidTokens"] == 1)
        #expect(try await registry.deviceCount() == 0)
    }

    @Test func aDeviceThatGetsADeadTokenAnewIsAlive() async throws {
        let id = try await registry.register("a").objectID
        try await registry.write { db in try DeadTokens(db: db).record(["b"], at: .noon) }
        _ = try await registry.update(id, in: .installation, with: ["deviceToken": "b"], as: .client, at: .noon)
        let record = try await push(.query([:]))
        #expect(record["successes"] == 1)
        #expect(record["invalidTokens"] == nil)
        #expect(try await !isBlackListed("b"))
    }

    @Test func anAndroidIDOfTheSameTextIsNoToken() async throws {
        _ = try await registry.create(
            ["deviceType": "android", "installationId": "a"], in: .installation, as: .master, at: .noon)
        try await registry.killToken("a")
        #expect(try await push(.devices(platform: "android", ids: ["a"], vendor: nil))["invalidTokens"] == nil)
        #expect(try await push(.query([:]))["invalidTokens"] == nil)
        #expect(try await registry.inbox(of: "a").count == 2)
    }

    @Test(.onlyInSQLite) func deadTokensAreLookedUpAndNotTheDevices() async throws {
        let plan = try await registry.sqlite.read { db in
            let search = DeadTokens(db: SQLiteTransaction(db: db)).search(among: PushDelivery.isReached([1, 2, 3]))
            let sql = SQL(sql: "EXPLAIN QUERY PLAN ") + search.literal
            return try Row.fetchAll(db, SQLRequest<Row>(literal: sql)).map { $0["detail"] as String }
        }
        #expect(plan.contains { $0.contains("deadTokenUnreported") }, "\(plan)")
        #expect(plan.contains { $0.hasPrefix("SEARCH t0 USING INDEX installationByToken") }, "\(plan)")
    }

    @Test(
        arguments: [
            (.max, 1), (.min, 1), (2_147_483_647, 1), (2_147_483_646, 2_147_483_647), (-5, -4), (0, 1),
        ] as [(Int64, Int64)])
    func aStoredBadgeThatIsNoneCountsAsNone(badge: Int64, result: Int64) async throws {
        let id = try await registry.register("a").objectID
        // Written past the rules, as an older file may hold it.
        _ = try await registry.write { db in
            let changed =
                db.dialect == .sqlite
                ? "json_set(document, '$.badge', ?)"
                : "jsonb_set(document, '{badge}', to_jsonb(CAST(? AS bigint)))"
            try db.execute("UPDATE installation SET document = \(changed)", [badge])
        }
        _ = try await push(.query([:]))
        #expect(try await registry.inbox(of: "a").map(\.badge) == [result])
        let device = try await registry.object(id, in: .installation, as: .master)
        #expect(device?.fields["badge"] == .integer(result))
    }
}
