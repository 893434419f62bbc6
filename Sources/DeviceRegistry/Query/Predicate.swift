internal import GRDB
internal import JSONValue

/// A test of one value, before it is asked of a field or of a list's elements.
enum Predicate {
    /// The same value.
    case equals(TypedValue)
    /// Less or greater; values of another type do not match.
    case compares(Comparison, TypedValue)
    /// One of several.
    case isIn([TypedValue])
    /// Text in which a pattern is found.
    case matches(pattern: String, options: String, deadline: Int64)
    /// One of the values that an inner query yields, each as ``Operand/typedText``.
    case selected(SQL)

    /// The operators that order values.
    enum Comparison: String {
        case greater = ">"
        case greaterOrEqual = ">="
        case less = "<"
        case lessOrEqual = "<="
    }

    /// The test of `operand`, as SQL that is true when it holds.
    func sql(_ operand: Operand) throws(RegistryError) -> SQL {
        switch self {
        case .equals(let value): return Self.equality(value, operand)
        case .compares(let comparison, let value): return try Self.order(comparison.rawValue, value, operand)
        case .isIn(let values): return Self.membership(values, operand)
        case .matches(let pattern, let options, let deadline):
            return SQL(
                sql: "(\(operand.type) = 'text' AND bugle_regexp(?, ?, ?, \(operand.value)))",
                arguments: [pattern, options, deadline])
        case .selected(let values): return SQL(sql: "\(operand.typedText) IN (") + values + SQL(sql: ")")
        }
    }

    private static func equality(_ value: TypedValue, _ operand: Operand) -> SQL {
        switch value {
        case .null: return SQL(sql: "(\(operand.type) IS NULL OR \(operand.type) = 'null')")
        case .bool(let flag): return SQL(sql: "\(operand.type) = '\(flag)'")
        case .number(let number):
            return SQL(
                sql: "(\(operand.value) = ? AND \(operand.type) IN ('integer', 'real'))",
                arguments: [number.databaseNumber])
        case .text(let text):
            return SQL(sql: "(\(operand.value) = ? AND \(operand.type) = 'text')", arguments: [text])
        case .date(let instant):
            return SQL(
                sql: "(\(operand.member("__type")) = 'Date' AND \(operand.member("iso")) = ?)",
                arguments: [instant.isoText])
        case .pointer(let className, let objectID):
            return SQL(
                sql: """
                    (\(operand.member("objectId")) = ? AND \(operand.member("className")) = ? \
                    AND \(operand.member("__type")) = 'Pointer')
                    """,
                arguments: [objectID, className.name])
        case .point(let point):
            return SQL(
                sql: """
                    (\(operand.member("__type")) = 'GeoPoint' AND \(operand.member("latitude")) = ? \
                    AND \(operand.member("longitude")) = ?)
                    """,
                arguments: [point.latitude, point.longitude])
        case .whole(let whole):
            return SQL(
                sql: "(\(operand.type) IN ('array', 'object') AND \(operand.value) = ?)",
                arguments: [whole.canonicalText])
        }
    }

    private static func order(_ sign: String, _ value: TypedValue, _ operand: Operand) throws(RegistryError) -> SQL {
        switch value {
        case .number(let number):
            return SQL(
                sql: "(\(operand.type) IN ('integer', 'real') AND \(operand.value) \(sign) ?)",
                arguments: [number.databaseNumber])
        case .text(let text):
            return SQL(sql: "(\(operand.type) = 'text' AND \(operand.value) \(sign) ?)", arguments: [text])
        case .date(let instant):
            return SQL(
                sql: "(\(operand.member("__type")) = 'Date' AND \(operand.member("iso")) \(sign) ?)",
                arguments: [instant.isoText])
        case .null, .bool, .pointer, .point, .whole:
            throw RegistryError(.invalidQuery, "$gt, $gte, $lt and $lte compare numbers, texts and Dates.")
        }
    }

    private static func membership(_ values: [TypedValue], _ operand: Operand) -> SQL {
        var texts: [JSONValue] = []
        var numbers: [JSONValue] = []
        var clauses: [SQL] = []
        for value in values {
            switch value {
            case .text(let text): texts.append(.string(text))
            case .number(let number): numbers.append(number)
            case .null, .bool, .date, .pointer, .point, .whole: clauses.append(equality(value, operand))
            }
        }
        if !texts.isEmpty { clauses.append(listed(texts, "'text'", operand)) }
        if !numbers.isEmpty { clauses.append(listed(numbers, "'integer', 'real'", operand)) }
        return .any(of: clauses)
    }

    /// One bound list instead of a parameter each: SQLite counts parameters.
    private static func listed(_ values: [JSONValue], _ types: String, _ operand: Operand) -> SQL {
        SQL(
            sql: "(\(operand.value) IN (SELECT value FROM json_each(?)) AND \(operand.type) IN (\(types)))",
            arguments: [JSONValue.array(values).canonicalText])
    }
}

extension JSONValue {
    /// A number as SQLite stores it.
    var databaseNumber: (any DatabaseValueConvertible)? {
        if let whole = integer { return whole }
        return double
    }
}

extension SQL {
    /// Whether this does not hold: SQL's `NULL` counts as not holding.
    var negated: SQL { SQL(sql: "((") + self + SQL(sql: ") IS NOT TRUE)") }

    /// At least one of `clauses`; false when there is none.
    static func any(of clauses: [SQL]) -> SQL {
        guard clauses.count != 1 else { return clauses[0] }
        return clauses.isEmpty ? SQL(sql: "0") : SQL(sql: "(") + clauses.joined(separator: " OR ") + SQL(sql: ")")
    }

    /// Every one of `clauses`; true when there is none.
    static func all(of clauses: [SQL]) -> SQL {
        guard clauses.count != 1 else { return clauses[0] }
        return clauses.isEmpty ? SQL(sql: "1") : SQL(sql: "(") + clauses.joined(separator: " AND ") + SQL(sql: ")")
    }
}
