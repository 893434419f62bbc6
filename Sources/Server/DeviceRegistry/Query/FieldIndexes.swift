internal import GRDB
internal import JSONValue
internal import Synchronization

/// The custom fields of devices whose values are indexed, and those that are queried often enough to be.
///
/// Values are in a table, like channels, maintained by triggers: so an index covers the elements of lists, and one over
/// a million devices is filled step by step, between other changes.
final class FieldIndexes: Sendable {
    private let asked = Mutex<[String: Int]>([:])

    /// The number of queries without a usable index after which a field gets one.
    static let oftenAsked = 20
    /// The maximum number of indexed fields; each makes every registration a little slower.
    static let mostFields = 16
    /// The number of devices per step.
    static let devicesPerStep = 1000

    /// Counts queries.
    ///
    /// - Returns: the fields that have just become frequent.
    func note(_ fields: Set<String>) -> [String] {
        asked.withLock { asked in
            // Names come from clients, so their number is bounded.
            if asked.count > 1000 { asked.removeAll() }
            for field in fields { asked[field, default: 0] += 1 }
            return fields.filter { asked[$0] == Self.oftenAsked }.sorted()
        }
    }

    /// Returns the fields whose index is complete.
    static func ready(in db: Database) throws -> Set<String> {
        try String.fetchSet(db.cachedStatement(sql: "SELECT name FROM indexedField WHERE filledTo IS NULL"))
    }

    /// Adds an index over a field, unless there are enough.
    static func declare(_ field: String, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO indexedField(name, path, filledTo) SELECT ?, ?, 0
                WHERE (SELECT COUNT(*) FROM indexedField) < ?
                """, arguments: [field, "$.\"\(field)\"", mostFields])
    }

    /// Fills the indexes by one step; `false` when all are complete.
    static func fill(in db: Database) throws -> Bool {
        let sql = "SELECT id, filledTo FROM indexedField WHERE filledTo IS NOT NULL LIMIT 1"
        guard let row = try Row.fetchOne(db, sql: sql) else { return false }
        let (field, done): (Int64, Int64) = (row["id"], row["filledTo"])
        let last = try Int64.fetchOne(
            db, sql: "SELECT MAX(id) FROM (SELECT id FROM installation WHERE id > ? ORDER BY id LIMIT ?)",
            arguments: [done, devicesPerStep])
        if let last {
            try db.execute(
                sql: Schema.addedValues(
                    of: "device", from: " CROSS JOIN installation AS device",
                    where: "f.id = ? AND device.id > ? AND device.id <= ?"),
                arguments: [field, done, last])
        }
        try db.execute(sql: "UPDATE indexedField SET filledTo = ? WHERE id = ?", arguments: [last, field])
        return true
    }
}
