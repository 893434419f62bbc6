package import Base

/// The order of objects by a key: nothing, numbers and Booleans, then strings by their bytes.
///
/// That is SQLite's order of a column; in PostgreSQL, a `jsonb` value is ordered by expressions.
package struct ScanOrder {
    /// The expressions to order by.
    package let terms: [String]
    private let alias: String
    private let isColumn: Bool

    /// Creates the order by a column, or by a `jsonb` value.
    init(_ value: String, alias: String, isColumn: Bool) {
        self.alias = alias
        self.isColumn = isColumn
        let type = "jsonb_typeof(\(value))"
        terms =
            isColumn
            ? [value]
            : [
                "CASE WHEN \(type) IN ('number', 'boolean') THEN 1 WHEN \(type) <> 'null' THEN 2 END",
                """
                CASE \(type) WHEN 'number' THEN (\(value))::numeric WHEN 'boolean' THEN (\(value))::boolean::int::numeric END
                """,
                "CASE WHEN \(type) IN ('string', 'array', 'object') THEN (\(value) #>> '{}') COLLATE \"C\" END",
            ]
    }

    /// SQL that is true for an object that has a value.
    package var isPresent: SQLText { SQLText(sql: "\(terms[0]) IS NOT NULL") }

    /// SQL that is true for objects after a value and the row that had it; nil for a value that is no string or number.
    package func after(_ value: JSONValue, _ row: Int64, _ isDescending: Bool) -> SQLText? {
        let bound: SQLValue
        switch value {
        case .string(let text): bound = .text(text)
        case .integer(let number): bound = .integer(number)
        case .number(let number): bound = .real(number)
        case .null, .bool, .array, .object: return nil
        }
        let sign = isDescending ? "<" : ">"
        if isColumn {
            return SQLText(
                sql: "\(terms[0]) \(sign)= ? AND (\(terms[0]) \(sign) ? OR \(alias).id \(sign) ?)",
                arguments: [bound, bound, row])
        }
        let (kind, term, type) = value.string == nil ? (1, terms[1], "numeric") : (2, terms[2], "text")
        return SQLText(
            sql: """
                (\(terms[0]) \(sign) \(kind) OR \(term) \(sign) ?::\(type) OR (\(term) = ?::\(type) AND \(alias).id \(sign) ?))
                """, arguments: [bound, bound, row])
    }
}

extension Dialect {
    /// An expression to order by; nothing comes before any value.
    func ordered(_ column: String, _ isDescending: Bool) -> String {
        switch (self, isDescending) {
        case (.sqlite, false): column
        case (.sqlite, true): column + " DESC"
        case (.postgres, false): column + " ASC NULLS FIRST"
        case (.postgres, true): column + " DESC NULLS LAST"
        }
    }
}
