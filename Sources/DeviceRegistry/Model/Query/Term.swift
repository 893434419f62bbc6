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
