internal import Base
internal import Push

/// A test of one value, before it is applied to a field or to a list's elements.
enum Predicate {
    /// Equality with a value.
    case equals(TypedValue)
    /// A comparison; values of another type do not match.
    case compares(Comparison, TypedValue)
    /// Membership in a list.
    case isIn([TypedValue])
    /// A match of a regular expression.
    case matches(pattern: String, options: String, deadline: Int64)
    /// Membership in the values of a subquery, each as ``Operand/typedText``.
    case selected(SQLText)

    /// The operators that order values.
    enum Comparison: String {
        case greater = ">"
        case greaterOrEqual = ">="
        case less = "<"
        case lessOrEqual = "<="
    }

    /// Returns SQL that is true if `operand` passes the test.
    func sql(_ operand: Operand) throws(RegistryError) -> SQLText {
        switch self {
        case .equals(let value): return Self.equality(value, operand)
        case .compares(let comparison, let value): return try Self.order(comparison.rawValue, value, operand)
        case .isIn(let values): return Self.membership(values, operand)
        case .matches(let pattern, let options, let deadline):
            return try operand.matches(pattern, options, until: deadline)
        case .selected(let values): return SQLText(sql: "\(operand.typedText) IN (") + values + SQLText(sql: ")")
        }
    }

    private static func equality(_ value: TypedValue, _ operand: Operand) -> SQLText {
        switch value {
        case .null: return operand.isNull
        case .bool(let flag): return operand.equals(.bool(flag))
        case .number(let value), .whole(let value): return operand.equals(value)
        case .text(let text): return operand.equals(.string(text))
        case .date(let instant):
            return SQLText(
                sql: "(\(operand.member("__type")) = 'Date' AND \(operand.member("iso")) = ?)",
                arguments: [instant.isoText])
        case .pointer(let className, let objectID):
            return SQLText(
                sql: """
                    (\(operand.member("objectId")) = ? AND \(operand.member("className")) = ? \
                    AND \(operand.member("__type")) = 'Pointer')
                    """,
                arguments: [objectID, className.name])
        case .point(let point):
            return SQLText(
                sql: """
                    (\(operand.member("__type")) = 'GeoPoint' AND \(operand.degrees("latitude")) = ? \
                    AND \(operand.degrees("longitude")) = ?)
                    """,
                arguments: [point.latitude, point.longitude])
        }
    }

    private static func order(_ sign: String, _ value: TypedValue, _ operand: Operand) throws(RegistryError) -> SQLText
    {
        switch value {
        case .number(let number): return operand.compares(sign, toNumber: number)
        case .text(let text): return operand.compares(sign, toText: text)
        case .date(let instant):
            return SQLText(
                sql: "(\(operand.member("__type")) = 'Date' AND \(operand.member("iso"))\(operand.byBytes) \(sign) ?)",
                arguments: [instant.isoText])
        case .null, .bool, .pointer, .point, .whole:
            throw RegistryError(.invalidQuery, "$gt, $gte, $lt and $lte compare numbers, texts and Dates.")
        }
    }

    private static func membership(_ values: [TypedValue], _ operand: Operand) -> SQLText {
        var texts: [JSONValue] = []
        var numbers: [JSONValue] = []
        var clauses: [SQLText] = []
        for value in values {
            switch value {
            case .text(let text): texts.append(.string(text))
            case .number(let number): numbers.append(number)
            case .null, .bool, .date, .pointer, .point, .whole: clauses.append(equality(value, operand))
            }
        }
        if !texts.isEmpty { clauses.append(operand.isOne(of: texts, areTexts: true)) }
        if !numbers.isEmpty { clauses.append(operand.isOne(of: numbers, areTexts: false)) }
        return .any(of: clauses)
    }
}
