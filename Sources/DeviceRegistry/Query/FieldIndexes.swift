internal import GRDB
internal import JSONValue
internal import Synchronization

/// The custom fields of devices whose values are indexed, and those that are asked for often and ought to be.
///
/// Values stand in a table, as channels do, kept by triggers: so an index holds the elements of lists, and one over a
/// million devices is filled step by step, between other changes.
final class FieldIndexes: Sendable {
    private let asked = Mutex<[String: Int]>([:])

    /// A field that was asked for this often, with no index to lead, gets one.
    static let oftenAsked = 20
    /// So many fields get an index; each makes every registration a little slower.
    static let mostFields = 16
    /// A step reads this many devices.
    static let devicesPerStep = 1000
    /// Longer texts are not indexed.
    static let longestText = 200

    /// Counts queries.
    ///
    /// - Returns: the fields that have now been asked for often.
    func note(_ fields: Set<String>) -> [String] {
        asked.withLock { asked in
            // Names are the caller's: their number has an end.
            if asked.count > 1000 { asked.removeAll() }
            for field in fields { asked[field, default: 0] += 1 }
            return fields.filter { asked[$0] == Self.oftenAsked }.sorted()
        }
    }

    /// The fields whose index is complete.
    static func ready(in db: Database) throws -> Set<String> {
        try String.fetchSet(db.cachedStatement(sql: "SELECT name FROM indexedField WHERE filledTo IS NULL"))
    }

    /// A value as the index holds it; `nil` for what it does not hold.
    static func value(_ value: TypedValue) -> SQLValue? {
        switch value {
        case .text(let text): text.unicodeScalars.count <= longestText ? .text(text) : nil
        case .number(let number): number.sqlNumber
        case .bool(let flag): .bytes([flag ? 1 : 0])
        case .pointer(_, let objectID): .bytes(Array(("p" + objectID).utf8))
        case .null, .date, .point, .whole: nil
        }
    }

    /// Begins an index over a field, unless there are enough.
    static func declare(_ field: String, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO indexedField(name, path, filledTo) SELECT ?, ?, 0
                WHERE (SELECT COUNT(*) FROM indexedField) < ?
                """, arguments: [field, "$.\"\(field)\"", mostFields])
    }

    /// Fills the indexes one step further; `false` when all are complete.
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
