internal import Synchronization

/// A parsed condition, with the indexes that may drive it.
package struct QueryPlan {
    /// The table of the queried class.
    package let table: ObjectTable
    /// The tests, all of which must hold.
    package let terms: [Term]
    /// The distance that `$nearSphere` orders by, if the condition has one that must hold.
    package let nearness: SQLText?

    /// The condition without an index that drives it.
    package var clause: SQLText { .all(of: terms.map(\.clause)) }

    /// The condition, driven by the kind of index that usually has the fewest matches: for subqueries.
    var ledClause: SQLText {
        let leads = terms.enumerated().flatMap { index, term in term.leads.map { (index, $0) } }
        guard let best = leads.filter(\.1.fields.isEmpty).min(by: { $0.1.kind < $1.1.kind }) else { return clause }
        return clause(led: best.0, by: best.1)
    }

    /// The condition, driven by one of the indexes of the test at a place.
    package func clause(led index: Int, by lead: Lead) -> SQLText {
        var clauses = [SQLText(sql: "\(table.alias).id IN (") + lead.rows + SQLText(sql: ")")]
        for (position, term) in terms.enumerated() where position != index || !lead.isExact {
            clauses.append(term.clause)
        }
        return .all(of: clauses)
    }

    /// Selects the ids of all matches from a single index, if one suffices.
    package var rows: SQLText? {
        guard terms.count == 1 else { return nil }
        return terms[0].leads.first { $0.isExact && $0.isDistinct && $0.fields.isEmpty }?.rows
    }
}

/// One of the tests that a condition joins with "and".
package struct Term {
    /// The test as SQL.
    ///
    /// Its columns have a unary plus, which keeps SQLite from choosing an index itself: without statistics it assumes
    /// that `deviceType = 'ios'` matches ten rows.
    let clause: SQLText
    /// The indexes that find all objects that pass the test.
    package var leads: [Lead] = []
}

/// An index that returns the ids of all objects that pass a test, and possibly of others.
package struct Lead {
    /// Selects the ids, as `id`.
    package let rows: SQLText
    /// The kind of index.
    package let kind: Kind
    /// True if it returns no other objects.
    var isExact = true
    /// True if it returns each object once.
    var isDistinct = true
    /// The custom fields whose values must be indexed.
    package var fields: Set<String> = []

    /// The kinds of indexes, those that usually return the fewest objects first.
    package enum Kind: Int, Comparable {
        case unique
        case channel
        case profile
        case field
        case validity
        case platform
        case time
        /// A subquery, which is not run just to count its results.
        case query

        package static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// Returns the index for several tests of which one must hold; `nil` when one of them has none.
    static func union(_ branches: [[Term]]) -> Lead? {
        let leads = branches.compactMap { $0.flatMap(\.leads).min { $0.kind < $1.kind } }
        guard !leads.isEmpty, leads.count == branches.count, let kind = leads.map(\.kind).max() else { return nil }
        return Lead(
            rows: .list(leads.map(\.rows), by: " UNION ALL "), kind: kind, isExact: false, isDistinct: false,
            fields: leads.reduce(into: []) { $0.formUnion($1.fields) })
    }
}

// MARK: - Leads

/// The choice of the index that drives a condition.
///
/// SQLite has no statistics here, and statistics know little of channels: the plan probes the indexes instead. The cost
/// is a fraction of that of reading the best of them. PostgreSQL chooses itself: its plans have no leads.
extension QueryPlan {
    /// An index with at least this many matches is not used when only the first objects of a page are wanted: reading
    /// in order finds them.
    private static let manyRows = 100_000
    /// The number of devices below which a registry needs no index over a custom field.
    private static let fewDevices: Int64 = 10_000

    /// Returns the condition, driven by the index with the fewest matches.
    ///
    /// `stopsEarly` is true if the first objects in the order of an index are enough; `wish` is called with the custom
    /// fields over which an index would have helped.
    func clause(
        in db: any RegistryTransaction, stopsEarly: Bool = false, wish: (Set<String>) -> Void = { _ in }
    ) throws -> SQLText {
        guard let (index, lead) = try best(in: db, stopsEarly: stopsEarly, wish) else {
            return clause
        }
        return clause(led: index, by: lead)
    }

    private func best(
        in db: any RegistryTransaction, stopsEarly: Bool, _ wish: (Set<String>) -> Void
    ) throws -> (Int, Lead)? {
        var leads = terms.enumerated().flatMap { index, term in term.leads.map { (index, $0) } }
        let wanted = leads.reduce(into: Set<String>()) { $0.formUnion($1.1.fields) }
        if !wanted.isEmpty {
            let known = try FieldIndexes.ready(in: db)
            leads.removeAll { !$0.1.fields.isSubset(of: known) }
            if leads.isEmpty, try isLarge(db) { wish(wanted.subtracting(known)) }
        }
        leads.sort { $0.1.kind < $1.1.kind }
        guard let first = leads.first else { return nil }
        if first.1.kind == .unique || leads.count == 1 && !stopsEarly { return first }
        let counted = leads.filter { $0.1.kind != .query }
        var limit = counted.isEmpty ? .max : 1000
        while limit <= Self.manyRows {
            var smallest: (count: Int, lead: (Int, Lead))?
            for lead in counted {
                let count = try count(lead.1, upTo: limit, in: db)
                if count < min(limit, smallest?.count ?? .max) { smallest = (count, lead) }
            }
            if let smallest { return smallest.lead }
            limit *= 10
        }
        return leads.last.flatMap { $0.1.kind == .query ? $0 : nil } ?? (stopsEarly ? nil : first)
    }

    private func count(_ lead: Lead, upTo limit: Int, in db: any RegistryTransaction) throws -> Int {
        let sql =
            SQLText(sql: "SELECT COUNT(*) FROM (SELECT id FROM (") + lead.rows
            + SQLText(sql: ") LIMIT ?)", arguments: [limit])
        return try db.number(sql)
    }

    private func isLarge(_ db: any RegistryTransaction) throws -> Bool {
        try db.integer("SELECT MAX(id) FROM installation") ?? 0 > Self.fewDevices
    }
}

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

// MARK: - Indexes

extension Registry {
    /// Indexes custom fields of devices, and returns when that is done; also continues what an earlier process started.
    ///
    /// Equality with a string, a number, a Boolean or a pointer is then answered from the index. At most 16 fields have
    /// one; further ones are ignored. It is built in small steps, between other changes; a cancelled task leaves the
    /// rest to the next time the registry is opened.
    ///
    /// - Throws: ``RegistryError`` with code 105 for a name that is not a key without dots.
    package func index(_ fields: [String]) async throws(RegistryError) {
        for field in fields { try Self.checkIndexable(field) }
        try await write { db in
            for field in fields { try FieldIndexes.declare(field, in: db) }
        }
        while !Task.isCancelled, try await database.fillIndexes() {}
    }

    /// The maximum number of indexed custom fields.
    package static var mostIndexedFields: Int { FieldIndexes.mostFields }

    /// Checks the name of a field to index.
    ///
    /// - Throws: ``RegistryError`` with code 105 for a name that is not a key without dots.
    package static func checkIndexable(_ field: String) throws(RegistryError) {
        guard try FieldPath(field).simpleKey != nil else {
            throw RegistryError(.invalidKey, "'\(field.prefix(64))' cannot be indexed: it has dots.")
        }
    }

    /// Indexes fields in the background.
    func index(later fields: [String]) {
        // A failure is retried at the next start; queries are correct without the index.
        Task { try? await index(fields) }
    }

    /// Returns the indexed custom fields of devices, sorted.
    package func indexedFields() async throws(RegistryError) -> [String] {
        try await read { db in try FieldIndexes.ready(in: db).sorted() }
    }
}
