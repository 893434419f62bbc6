internal import PushModel

/// A piece of SQL with the values bound to its `?`, independent of the database.
///
/// The text never comes from a request: values are bound, and keys are validated before they are inserted
/// (``FieldPath``), so every `?` in it stands for a value.
struct SQLText: Hashable {
    /// The text, with a `?` for each value.
    private(set) var sql: String
    /// The values, in the order of their `?`.
    private(set) var values: [SQLValue]

    init(sql: String, arguments: [any SQLBindable] = []) {
        self.sql = sql
        values = arguments.map(\.sqlValue)
    }
}

extension SQLText: SQLPhrase {
    static func phrase(_ sql: String) -> SQLText { SQLText(sql: sql) }

    static func + (left: SQLText, right: SQLText) -> SQLText {
        var whole = left
        whole += right
        return whole
    }

    static func += (left: inout SQLText, right: SQLText) {
        left.sql += right.sql
        left.values += right.values
    }
}

/// A value to bind in a statement.
enum SQLValue: Hashable {
    case null
    case text(String)
    case integer(Int64)
    case real(Double)
    case bytes([UInt8])
    /// Several strings as one value: a list for ``Dialect/isOneOf(_:)``.
    case texts([String])
}

/// A type that can be bound to a `?`.
protocol SQLBindable {
    /// The bound value.
    var sqlValue: SQLValue { get }
}

extension SQLValue: SQLBindable {
    var sqlValue: SQLValue { self }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
    var sqlValue: SQLValue { map(\.sqlValue) ?? .null }
}

extension Int: SQLBindable {
    var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Bool: SQLBindable {
    var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension Instant: SQLBindable {
    var sqlValue: SQLValue { .integer(milliseconds) }
}

extension String: SQLBindable {
    var sqlValue: SQLValue { .text(self) }
}

extension Int64: SQLBindable {
    var sqlValue: SQLValue { .integer(self) }
}

extension Double: SQLBindable {
    var sqlValue: SQLValue { .real(self) }
}

/// SQL that can be concatenated.
protocol SQLPhrase {
    /// Creates text without values.
    static func phrase(_ sql: String) -> Self
    /// Concatenates two pieces.
    static func + (left: Self, right: Self) -> Self
    /// Appends a piece.
    static func += (left: inout Self, right: Self)
}

extension SQLPhrase {
    /// The negation; SQL's `NULL` counts as false.
    var negated: Self { .phrase("((") + self + .phrase(") IS NOT TRUE)") }

    /// At least one of `clauses`; false when there is none.
    static func any(of clauses: [Self]) -> Self { joined(clauses, by: " OR ", orElse: "FALSE") }

    /// Every one of `clauses`; true when there is none.
    static func all(of clauses: [Self]) -> Self { joined(clauses, by: " AND ", orElse: "TRUE") }

    /// Joins `parts` with a separator.
    static func list(_ parts: [Self], by separator: String) -> Self {
        var whole = phrase("")
        for (index, part) in parts.enumerated() {
            if index > 0 { whole += phrase(separator) }
            whole += part
        }
        return whole
    }

    private static func joined(_ clauses: [Self], by separator: String, orElse empty: String) -> Self {
        guard clauses.count != 1 else { return clauses[0] }
        return clauses.isEmpty ? phrase(empty) : phrase("(") + list(clauses, by: separator) + phrase(")")
    }
}
