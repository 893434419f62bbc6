import Base
import GRDB
import RegistryTesting
import Synchronization
import Testing

@testable import DeviceRegistry

/// What is asked of many devices reads the few that an index leads to.
@Suite struct QueryPlanTests {
    private let registry: Registry

    /// Three hundred devices, ten of them in the channel `few`.
    init() async throws {
        registry = try Registry.testInMemory()
        _ = try await registry.seed(devices: 300, at: .noon)
        for index in 0..<10 {
            try await registry.register(
                "few\(index)",
                [
                    "installationId": .string("few\(index)"), "channels": ["few"], "scores": true,
                    "deviceProfile": "rare", "level": .integer(Int64(index)),
                ])
        }
        try await registry.index(["scores", "injuryReports", "level"])
    }

    private static let conditions: [JSONValue] = [
        ["channels": "few"], ["channels": ["$in": ["few", "none"]]], ["channels": ["$all": ["few", "public"]]],
        ["channels": "few", "deviceType": "ios"], ["channels": "few", "valid": true],
        ["channels": "few", "scores": true],
        [
            "channels": "few", "scores": true, "valid": true, "deviceType": "ios",
            "updatedAt": ["$gt": "2020-01-01T00:00:00Z"],
        ],
        ["channels": "few", "badge": ["$gte": 0], "timeZone": ["$ne": "Asia/Tokyo"]],
        ["channels": "few", "createdAt": ["$gt": "2020-01-01T00:00:00Z"], "valid": ["$ne": false]],
        [["channels": "few"], ["deviceType": "ios"]],
        ["$or": [["channels": "few"], ["deviceToken": "none"]], "deviceType": "ios"],
        ["$and": [["$or": [["channels": "few"], ["channels": "none"]]], ["scores": true]]],
        ["deviceProfile": "rare"], ["deviceProfile": "rare", "deviceType": "ios"], ["deviceToken": "few1"],
        ["installationId": "few1", "deviceType": "ios"], ["deviceToken": ["$in": ["few1", "few2"]]],
        ["objectId": "none"], ["level": 3], ["level": 3, "deviceType": "ios"],
        ["updatedAt": ["$gt": "2026-11-21T11:59:59.999Z"], "deviceType": "ios"],
    ]

    @Test(arguments: conditions)
    func findingAndCountingDoNotReadAll(condition: JSONValue) async throws {
        let statements = try await statements {
            let query = ObjectQuery(where: condition, countsAll: true)
            let found = try await registry.find(query, in: .installation, as: .master)
            #expect(found.results.count == found.count && found.results.count <= 10)
        }
        try await expectNoScan(statements)
    }

    @Test(arguments: conditions)
    func pushingDoesNotReadAll(condition: JSONValue) async throws {
        let order = PushOrder(to: .query(condition), incrementsBadge: true)
        let statements = try await statements {
            _ = try await registry.accept(order, at: .noon)
            try await registry.deliver(objectID: order.objectID, at: .noon)
        }
        try await expectNoScan(statements)
        #expect(try await registry.record(objectID: order.objectID, at: .noon)?["status"] == "done")
    }

    @Test func countingHalfOfTheDevicesReadsTheIndexAlone() async throws {
        let statements = try await statements {
            let query = ObjectQuery(where: ["deviceType": "ios"], limit: 0, countsAll: true)
            let count = try await registry.find(query, in: .installation, as: .master).count ?? 0
            #expect(count > 150)
        }
        let plans = try await plans(of: statements)
        #expect(plans.contains { $0.contains("INDEX installationByType") }, "\(plans)")
        #expect(!plans.contains { $0.contains("t0") })
    }

    @Test func aRegistrationReadsOneDevice() async throws {
        let statements = try await statements {
            _ = try await registry.create(
                ["deviceType": "ios", "deviceToken": "few1", "channels": ["other"]], in: .installation, as: .client,
                at: .noon)
        }
        try await expectNoScan(statements)
    }

    @Test func theNewestComeFirstWithoutSorting() async throws {
        let statements = try await statements {
            _ = try await registry.find(ObjectQuery(order: ["-updatedAt"]), in: .installation, as: .master)
        }
        let plans = try await plans(of: statements)
        #expect(plans.contains { $0.contains("installationByUpdate") }, "\(plans)")
    }

    /// What runs on the one connection of a database in memory.
    private func statements(_ work: () async throws -> Void) async throws -> [String] {
        let box = LogBox()
        try await registry.sqlite.write { db in
            db.trace { event in
                if case .statement(let statement) = event { box.add(statement.expandedSQL) }
            }
        }
        try await work()
        try await registry.sqlite.write { $0.trace(options: []) }
        return box.lines
    }

    private func plans(of statements: [String]) async throws -> [String] {
        try await registry.sqlite.read { db in
            try statements.filter { $0.contains("installation") && !$0.hasPrefix("--") }.flatMap { sql in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
            }
        }
    }

    private func expectNoScan(_ statements: [String]) async throws {
        let plans = try await plans(of: statements)
        #expect(!plans.isEmpty)
        for table in ["t0", "installation", "channel", "device", "inbox", "fieldValue"] {
            #expect(
                !plans.contains { $0 == "SCAN \(table)" || $0.hasPrefix("SCAN \(table) ") }, "\(statements) \(plans)")
        }
    }
}

/// Collects lines from another thread.
private final class LogBox: Sendable {
    private let storage = Mutex<[String]>([])
    var lines: [String] { storage.withLock { $0 } }
    func add(_ line: String) { storage.withLock { $0.append(line) } }
}
