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
    static func ready(in db: any RegistryTransaction) throws -> Set<String> {
        Set(try db.texts("SELECT name FROM indexedField WHERE filledTo IS NULL"))
    }

    /// Adds an index over a field, unless there are enough.
    static func declare(_ field: String, in db: any RegistryTransaction) throws {
        try db.execute(
            """
            INSERT INTO indexedField(name, path, filledTo) SELECT CAST(? AS text), CAST(? AS text), 0
            WHERE (SELECT COUNT(*) FROM indexedField) < CAST(? AS bigint) ON CONFLICT DO NOTHING
            """, [field, "$.\"\(field)\"", mostFields])
    }
}
