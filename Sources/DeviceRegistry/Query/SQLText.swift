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

/// A value to bind in a statement, never spliced into its text.
package enum SQLValue: Hashable, Sendable {
    case null
    /// UTF-8 text; PostgreSQL reads it as the type expected in its place, such as `jsonb`, and takes no NUL.
    case text(String)
    case integer(Int64)
    case real(Double)
    case bytes([UInt8])
    /// Several strings as one value: a list for ``Dialect/isOneOf``, in PostgreSQL `text[]`.
    case texts([String])
    /// Several whole numbers as one value: a list for ``Dialect/isOneNumberOf``, in PostgreSQL `bigint[]`.
    case integers([Int64])
}

/// A type that can be bound to a `?`.
package protocol SQLBindable {
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

/// The SQL dialect that a condition is translated into.
///
/// The tree of a condition is walked once for both; they differ in how a value within a document is addressed and
/// compared (``Operand``) and in the few expressions here.
///
/// PostgreSQL only uses common features of `jsonb`: `->`, `->>`, `#>>`, `@>`, `jsonb_typeof`, `jsonb_array_elements`,
/// `jsonb_array_length`, `jsonb_build_array`, `to_jsonb`, comparisons of `jsonb`, `= ANY`, `~`, and trigonometric
/// functions; compatible engines have them too. Numbers compare as `numeric`, strings by their bytes.
package enum Dialect: Hashable {
    case sqlite
    case postgres

    /// The SQL after a column or string that tests membership in a bound list.
    package var isOneOf: String {
        switch self {
        case .sqlite: "IN (SELECT value FROM json_each(?))"
        case .postgres: "= ANY (?::text[])"
        }
    }

    /// The SQL after a column of whole numbers that tests membership in a bound list.
    package var isOneNumberOf: String {
        switch self {
        case .sqlite: isOneOf
        case .postgres: "= ANY (?::bigint[])"
        }
    }

    /// The table in which installations have their numbers, and its column with the number.
    var numbering: (table: String, column: String) {
        switch self {
        case .sqlite: ("installation", "id")
        case .postgres: ("reachedInstallation", "number")
        }
    }

    /// A bound list of strings as rows with one column, `value`, for a `FROM`.
    package var listed: String {
        switch self {
        case .sqlite: "json_each(?) AS listed"
        // The planner does not look into a subquery: it keeps one plan, where it would make one for each length.
        case .postgres: "unnest((SELECT ?::text[])) AS listed(value)"
        }
    }

    /// The prefix that keeps SQLite from driving a query by an index over a column.
    package var shield: String { self == .sqlite ? "+" : "" }

    /// A join in which SQLite reads the left side first; PostgreSQL decides for itself.
    package var thenJoin: String { self == .sqlite ? "CROSS JOIN" : "JOIN" }

    /// The string at a key of a document; a name of our own.
    package func text(at key: String, of document: String) -> String {
        switch self {
        case .sqlite: "json_extract(\(document), '$.\(key)')"
        case .postgres: "(\(document) ->> '\(key)')"
        }
    }

    /// The badge of a device plus one; a stored value that is not a 32-bit integer counts as 0.
    package func raisedBadge(of device: String) -> String {
        switch self {
        case .sqlite:
            return """
                CASE WHEN typeof(\(device).badge) = 'integer' AND \(device).badge BETWEEN -2147483648 AND 2147483646 \
                THEN \(device).badge ELSE 0 END + 1
                """
        case .postgres:
            let badge = "\(device).document -> 'badge'"
            let text = "\(device).document ->> 'badge'"
            return """
                (CASE WHEN jsonb_typeof(\(badge)) = 'number' AND \(badge) BETWEEN '-2147483648' AND '2147483646' \
                AND \(text) !~ '[.eE]' THEN (\(text))::bigint ELSE 0 END) + 1
                """
        }
    }

    /// The document of a device with its badge raised by one.
    package func documentWithRaisedBadge(of device: String) -> String {
        switch self {
        case .sqlite: "json_set(\(device).document, '$.badge', \(raisedBadge(of: device)))"
        case .postgres: "\(device).document || jsonb_build_object('badge', \(raisedBadge(of: device)))"
        }
    }

    /// A text column in the form of ``Operand/typedText``.
    func typedText(of column: String) -> String {
        switch self {
        case .sqlite: "json_quote(\(column))"
        case .postgres: "to_jsonb(\(column))"
        }
    }

    /// The value of a key, as SQL.
    func operand(_ document: String, _ path: FieldPath) -> Operand {
        switch self {
        case .sqlite:
            Operand(
                dialect: self, value: "json_extract(\(document), \(path.sqlPath))",
                type: "json_type(\(document), \(path.sqlPath))"
            ) { member in "json_extract(\(document), \(path.sqlPath(appending: [member])))" }
        case .postgres: .json("(\(document)\(path.segments.map { " -> '\($0)'" }.joined()))")
        }
    }

    /// The elements of a key that holds a list, or else its single value, as rows with a `value`.
    func values(of document: String, at path: FieldPath) -> String {
        switch self {
        case .sqlite: return ObjectTable.values(of: document, at: path.sqlPath)
        case .postgres:
            let value = operand(document, path).value
            return """
                jsonb_array_elements(\
                CASE jsonb_typeof(\(value)) WHEN 'array' THEN \(value) ELSE jsonb_build_array(\(value)) END)
                """
        }
    }

    /// The elements of a key that holds a list, as rows with a `value`; no rows for any other value.
    func elements(of document: String, at path: FieldPath) -> String {
        switch self {
        case .sqlite: return "json_each(\(document), \(path.sqlPath))"
        case .postgres:
            let value = operand(document, path).value
            return "jsonb_array_elements(CASE jsonb_typeof(\(value)) WHEN 'array' THEN \(value) ELSE '[]' END)"
        }
    }

    /// SQL that is true if a key holds a list of `count` elements.
    func hasCount(_ count: Int64, of document: String, at path: FieldPath) -> SQLText {
        let operand = operand(document, path)
        switch self {
        case .sqlite:
            return SQLText(
                sql: "json_array_length(\(document), \(path.sqlPath)) = ? AND \(operand.type) = 'array'",
                arguments: [count])
        case .postgres:
            return SQLText(
                sql: "CASE \(operand.type) WHEN 'array' THEN jsonb_array_length(\(operand.value)) END = ?::bigint",
                arguments: [count])
        }
    }

    /// One row of ``values(of:at:)`` or ``elements(of:at:)``.
    func element(_ alias: String) -> Operand {
        switch self {
        case .sqlite:
            Operand(dialect: self, value: "\(alias).value", type: "\(alias).type") { member in
                // The value of an element that is not an object is not JSON text, so parsing it would fail.
                "CASE \(alias).type WHEN 'object' THEN json_extract(\(alias).value, '$.\(member)') END"
            }
        case .postgres: .json("\(alias).value")
        }
    }

    /// A text column as a value without members.
    func text(_ column: String) -> Operand {
        switch self {
        case .sqlite: Operand(dialect: self, value: column, type: "'text'") { _ in "NULL" }
        case .postgres: .json("to_jsonb(\(column))")
        }
    }
}
