internal import Push

/// A piece of SQL with the values bound to its `?`, independent of the database.
///
/// The text never comes from a request: values are bound, and keys are validated before they are inserted
/// (``FieldPath``), so every `?` in it stands for a value.
package struct SQLText: Hashable {
    /// The text, with a `?` for each value.
    package private(set) var sql: String
    /// The values, in the order of their `?`.
    package private(set) var values: [SQLValue]

    package init(sql: String, arguments: [any SQLBindable] = []) {
        self.sql = sql
        values = arguments.map(\.sqlValue)
    }
}

extension SQLText {
    package static func + (left: SQLText, right: SQLText) -> SQLText {
        var whole = left
        whole += right
        return whole
    }

    package static func += (left: inout SQLText, right: SQLText) {
        left.sql += right.sql
        left.values += right.values
    }
}

/// A value to bind in a statement.
package enum SQLValue: Hashable {
    case null
    case text(String)
    case integer(Int64)
    case real(Double)
    case bytes([UInt8])
    /// Several strings as one value: a list for ``Dialect/isOneOf``.
    case texts([String])
    /// Several whole numbers as one value: a list for ``Dialect/isOneNumberOf``.
    case integers([Int64])
}

/// A type that can be bound to a `?`.
package protocol SQLBindable {
    /// The bound value.
    var sqlValue: SQLValue { get }
}

extension SQLValue: SQLBindable {
    package var sqlValue: SQLValue { self }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
    package var sqlValue: SQLValue { map(\.sqlValue) ?? .null }
}

extension Int: SQLBindable {
    package var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Bool: SQLBindable {
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension Instant: SQLBindable {
    package var sqlValue: SQLValue { .integer(milliseconds) }
}

extension String: SQLBindable {
    package var sqlValue: SQLValue { .text(self) }
}

extension Int64: SQLBindable {
    package var sqlValue: SQLValue { .integer(self) }
}

extension Double: SQLBindable {
    package var sqlValue: SQLValue { .real(self) }
}

extension SQLText {
    /// The negation; SQL's `NULL` counts as false.
    var negated: SQLText { SQLText(sql: "((") + self + SQLText(sql: ") IS NOT TRUE)") }

    /// At least one of `clauses`; false when there is none.
    static func any(of clauses: [SQLText]) -> SQLText { joined(clauses, by: " OR ", orElse: "FALSE") }

    /// Every one of `clauses`; true when there is none.
    package static func all(of clauses: [SQLText]) -> SQLText { joined(clauses, by: " AND ", orElse: "TRUE") }

    /// Joins `parts` with a separator.
    package static func list(_ parts: [SQLText], by separator: String) -> SQLText {
        var whole = SQLText(sql: "")
        for (index, part) in parts.enumerated() {
            if index > 0 { whole += SQLText(sql: separator) }
            whole += part
        }
        return whole
    }

    private static func joined(_ clauses: [SQLText], by separator: String, orElse empty: String) -> SQLText {
        guard clauses.count != 1 else { return clauses[0] }
        return clauses.isEmpty
            ? SQLText(sql: empty) : SQLText(sql: "(") + list(clauses, by: separator) + SQLText(sql: ")")
    }
}
