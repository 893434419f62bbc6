import Base
import DeviceRegistry
import Push
import RegistryTesting
import Testing

@testable import PushServer

/// Registrations of the same devices, in every order: what stays depends on what they are, not on when they came.
@Suite struct RivalOrderTests {
    /// A device's registration: who, when, and by what it can be reached.
    private struct Row: Hashable, CustomStringConvertible {
        let id: Int
        let time: Int
        let token: String
        let installation: String?

        var description: String { "id\(id)@\(time) \(token) \(installation ?? "-")" }

        var json: JSONValue {
            let updated = "2026-10-\(time < 9 ? "0" : "")\(time + 1)T00:00:00.000Z"
            return device(
                id, token: token, updated: updated,
                ["installationId": installation.map { .string($0) } ?? .null, "version": .integer(Int64(time))])
        }

        func isNewer(than other: Row) -> Bool {
            (time, "id\(id)") > (other.time, "id\(other.id)")
        }
        func isSameDevice(as other: Row) -> Bool {
            token == other.token || installation != nil && installation == other.installation
        }
    }

    /// What ought to stay: of the newest versions, the newest first, each that nobody stands against who stays.
    private static func wanted(_ rows: [Row]) -> [String] {
        let newest = rows.filter { row in !rows.contains { $0.id == row.id && $0.time > row.time } }
        var kept: [Row] = []
        for row in Set(newest).sorted(by: { $0.isNewer(than: $1) }) {
            if !kept.contains(where: { $0.isSameDevice(as: row) }) { kept.append(row) }
        }
        return kept.map { "id\($0.id)@\($0.time)" }.sorted()
    }

    private static func stay(_ rows: [Row], in registry: Registry, batch: Int = 1000) async throws -> [String] {
        var rest = rows[...]
        while !rest.isEmpty {
            let text = rest.prefix(batch).map(\.json.canonicalText).joined(separator: "\n")
            #expect(try await imported(text, into: registry).skippedCount == 0)
            rest = rest.dropFirst(batch)
        }
        return try await registry.contents().map { text in
            let value = try JSONValue(parsing: text)
            return "\(value["objectId"]?.string ?? "")@\(value["version"]?.integer ?? -1)"
        }.sorted()
    }

    private static func orders<Element>(of elements: [Element]) -> [[Element]] {
        guard let first = elements.first else { return [[]] }
        return orders(of: Array(elements.dropFirst())).flatMap { order in
            (0...order.count).map { Array(order[..<$0]) + [first] + Array(order[$0...]) }
        }
    }

    /// The middle one takes the token of the first, and loses its own id to the last: the first has its token again.
    private static let chain = [
        Row(id: 1, time: 1, token: "t1", installation: "i1"), Row(id: 2, time: 2, token: "t1", installation: "i2"),
        Row(id: 3, time: 3, token: "t3", installation: "i2"), Row(id: 4, time: 3, token: "t3", installation: nil),
    ]
    /// A device moves on to another token: who had given way to it there has its own again.
    private static let moved = [
        Row(id: 1, time: 2, token: "t1", installation: nil), Row(id: 2, time: 3, token: "t1", installation: nil),
        Row(id: 2, time: 5, token: "t2", installation: nil), Row(id: 3, time: 9, token: "t2", installation: nil),
    ]

    @Test(arguments: [chain, moved])
    private func aChainOfRivalsEndsTheSameInEveryOrder(rows: [Row]) async throws {
        for order in Self.orders(of: rows) {
            #expect(try await Self.stay(order, in: try await Registry.test()) == Self.wanted(rows), "\(order)")
        }
    }

    @Test(arguments: 1...8)
    func manyRivalsEndTheSameHoweverTheyComeAndWhereverItWasKilled(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        let count = 3 + below(17)
        var rows: [Row] = []
        for _ in 0..<count {
            let row = Row(
                id: below(count), time: below(12), token: "t\(below(1 + count / 2))",
                installation: below(4) == 0 ? nil : "i\(below(1 + count / 2))")
            // Two versions of one time are one version.
            if !rows.contains(where: { $0.id == row.id && $0.time == row.time }) { rows.append(row) }
        }
        let wanted = Self.wanted(rows)
        for _ in 0..<3 {
            rows.shuffle(using: &random)
            let registry = try await Registry.test()
            // A part of it is on the disk, and the whole comes again.
            _ = try await Self.stay(Array(rows.prefix(below(rows.count + 1))), in: registry, batch: 1)
            #expect(try await Self.stay(rows, in: registry, batch: 1 + below(9)) == wanted, "\(rows)")
            #expect(try await Self.stay(rows.shuffled(using: &random), in: registry) == wanted, "again: \(rows)")
        }
    }

    /// A chain as an app could register it: each of them takes from the one before what that one took.
    /// In PostgreSQL each step walks over the rows that the earlier ones of its transaction left behind.
    @Test(.onlyInSQLite, .timeLimit(.minutes(10))) func aLongChainOfRivalsTakesNoLongTime() async throws {
        let registry = try await Registry.test()
        let rows = (0..<2500).map { number in
            let time = Instant(milliseconds: Instant.noon.milliseconds + Int64(number)).isoText
            let installation = "i\((number + 1) / 2)"
            return device(number, token: "t\(number / 2)", updated: time, ["installationId": .string(installation)])
        }
        _ = try await imported(rows.map(\.canonicalText).joined(separator: "\n"), into: registry)
        #expect(try await registry.contents().count == 1250)
        #expect(try await registry.supersededDevices() == 1250)
    }

    /// What was set aside is the device as it came.
    @Test func whoComesBackIsWhole() async throws {
        let registry = try await Registry.test()
        let acl: JSONValue = ["*": ["read": true]]
        let first = device(1, token: "t", updated: "2026-10-02T00:00:00.000Z", ["ACL": acl, "valid": false])
        _ = try await imported(first.canonicalText, into: registry)
        _ = try await imported(device(2, token: "t", updated: "2026-10-03T00:00:00.000Z").canonicalText, into: registry)
        #expect(try await registry.contents().count == 1)
        _ = try await imported(device(2, token: "u", updated: "2026-10-04T00:00:00.000Z").canonicalText, into: registry)
        #expect(try JSONValue(parsing: try await registry.contents()[0]) == first)
        let query = ObjectQuery(where: ["channels": "Giants"], countsAll: true)
        #expect(try await registry.find(query, in: .installation, as: .master).count == 2)
    }
}
