/// One of the tests that a condition joins with "and".
struct Term {
    /// The test as SQL.
    ///
    /// Its columns stand behind a unary plus, which keeps SQLite from leading with an index of its own choice: without
    /// statistics it takes `deviceType = 'ios'` for ten rows.
    let clause: SQLText
    /// The indexes that find every object that passes the test.
    var leads: [Lead] = []
}

/// An index that yields the ids of all objects that pass a test, and perhaps of others.
struct Lead {
    /// Selects the ids, as `id`.
    let rows: SQLText
    /// The kind of index.
    let kind: Kind
    /// Whether no other object is yielded.
    var isExact = true
    /// Whether each object is yielded once.
    var isDistinct = true
    /// The custom fields whose values must be indexed.
    var fields: Set<String> = []

    /// Kinds of indexes; those before others usually find fewer.
    enum Kind: Int, Comparable {
        case unique
        case channel
        case profile
        case field
        case validity
        case platform
        case time
        /// A query of its own, which is not run only to see how much it yields.
        case query

        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// The index over several tests of which one must hold; `nil` when one of them has none.
    static func union(_ branches: [[Term]]) -> Lead? {
        let leads = branches.compactMap { $0.flatMap(\.leads).min { $0.kind < $1.kind } }
        guard !leads.isEmpty, leads.count == branches.count, let kind = leads.map(\.kind).max() else { return nil }
        return Lead(
            rows: .list(leads.map(\.rows), by: " UNION ALL "), kind: kind, isExact: false, isDistinct: false,
            fields: leads.reduce(into: []) { $0.formUnion($1.fields) })
    }
}
