internal import Base
internal import Push

/// A test of one value, before it is applied to a field or to a list's elements.
enum Predicate {
    case equals(TypedValue)
    /// A comparison; values of another type do not match.
    case compares(Comparison, TypedValue)
    case isIn([TypedValue])
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

/// A JSON value within a query: the SQL for it, its type, and its members.
struct Operand {
    let dialect: Dialect
    /// The value. SQLite: a string, a number, or the JSON text of a list or object. PostgreSQL: `jsonb`.
    let value: String
    /// The database's name for its type; SQL `NULL` when it is missing.
    ///
    /// SQLite: `text`, `integer`, `real`, `true`, `false`, `null`, `array`, `object`. PostgreSQL: `string`, `number`,
    /// `boolean`, `null`, `array`, `object`.
    let type: String
    /// A string member of an object; SQL `NULL` when the value is not an object.
    let member: (String) -> String

    /// A PostgreSQL value.
    static func json(_ value: String) -> Operand {
        Operand(dialect: .postgres, value: value, type: "jsonb_typeof(\(value))") { member in
            "(\(value) ->> '\(member)')"
        }
    }

    /// A member of an object that holds degrees.
    func degrees(_ name: String) -> String {
        switch dialect {
        case .sqlite: return member(name)
        case .postgres:
            // A value that is not a number, or out of the range of a numeric column, would abort the query.
            let number = "(\(value) -> '\(name)')"
            return """
                (CASE WHEN jsonb_typeof(\(number)) = 'number' AND \(number) BETWEEN '-360' AND '360' \
                THEN (\(value) ->> '\(name)')::float8 END)
                """
        }
    }

    /// The value in a form that differs for different types; SQL `NULL` for `null`.
    var typedText: String {
        switch dialect {
        case .sqlite:
            """
            CASE \(type) WHEN 'text' THEN json_quote(\(value)) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' \
            WHEN 'null' THEN NULL ELSE CAST(\(value) AS TEXT) END
            """
        case .postgres: "nullif(\(value), 'null')"
        }
    }

    /// The suffix of a string that orders it by its bytes.
    var byBytes: String {
        switch dialect {
        case .sqlite: ""
        case .postgres: " COLLATE \"C\""
        }
    }

    private var text: String {
        switch dialect {
        case .sqlite: value
        case .postgres: "(\(value) #>> '{}')"
        }
    }
}

extension Operand {
    /// SQL that is true if the value is missing or `null`.
    var isNull: SQLText { SQLText(sql: "(\(type) IS NULL OR \(type) = 'null')") }

    /// SQL that is true if the value equals another, which is not `null`.
    func equals(_ wanted: JSONValue) -> SQLText {
        guard dialect == .sqlite else {
            return SQLText(sql: "\(value) = ?::jsonb", arguments: [wanted.canonicalText])
        }
        switch wanted {
        case .null: return isNull
        case .bool(let flag): return SQLText(sql: "\(type) = '\(flag)'")
        case .integer, .number:
            return SQLText(sql: "(\(value) = ? AND \(type) IN ('integer', 'real'))", arguments: [wanted.sqlNumber])
        case .string(let text): return SQLText(sql: "(\(value) = ? AND \(type) = 'text')", arguments: [text])
        case .array, .object:
            return SQLText(sql: "(\(type) IN ('array', 'object') AND \(value) = ?)", arguments: [wanted.canonicalText])
        }
    }

    /// SQL that is true if the value is a number, and less or greater than another.
    func compares(_ sign: String, toNumber number: JSONValue) -> SQLText {
        switch dialect {
        case .sqlite:
            SQLText(sql: "(\(type) IN ('integer', 'real') AND \(value) \(sign) ?)", arguments: [number.sqlNumber])
        case .postgres:
            SQLText(sql: "(\(type) = 'number' AND \(value) \(sign) ?::jsonb)", arguments: [number.canonicalText])
        }
    }

    /// SQL that is true if the value is a string, and before or after another by its bytes.
    func compares(_ sign: String, toText text: String) -> SQLText {
        switch dialect {
        case .sqlite: SQLText(sql: "(\(type) = 'text' AND \(value) \(sign) ?)", arguments: [text])
        case .postgres:
            SQLText(sql: "(\(type) = 'string' AND \(self.text)\(byBytes) \(sign) ?)", arguments: [text])
        }
    }

    /// SQL that is true if the value is one of several strings, or of several numbers, bound as a single list.
    func isOne(of values: [JSONValue], areTexts: Bool) -> SQLText {
        let list = JSONValue.array(values).canonicalText
        switch dialect {
        case .sqlite:
            return SQLText(
                sql: """
                    (\(value) IN (SELECT value FROM json_each(?)) \
                    AND \(type) IN (\(areTexts ? "'text'" : "'integer', 'real'")))
                    """, arguments: [list])
        case .postgres:
            return SQLText(sql: "\(value) IN (SELECT value FROM jsonb_array_elements(?::jsonb))", arguments: [list])
        }
    }

    /// SQL that is true if the value is a string that matches a pattern.
    ///
    /// - Throws: ``RegistryError`` with code 102 when PostgreSQL would interpret the pattern differently.
    func matches(_ pattern: String, _ options: String, until deadline: Int64) throws(RegistryError) -> SQLText {
        switch dialect {
        case .sqlite:
            return SQLText(
                sql: "(\(type) = 'text' AND bugle_regexp(?, ?, ?, \(value)))",
                arguments: [pattern, options, deadline])
        case .postgres:
            return SQLText(
                sql: "(\(type) = 'string' AND \(text) ~ ?)",
                arguments: [try PostgresPattern(pattern, options: options).text])
        }
    }

    /// The great-circle distance of a place from another, in radians.
    func distance(to center: GeoPoint) -> SQLText {
        let (latitude, longitude) = (degrees("latitude"), degrees("longitude"))
        switch dialect {
        case .sqlite:
            return SQLText(
                sql: "bugle_distance(\(latitude), \(longitude), ?, ?)",
                arguments: [center.latitude, center.longitude])
        case .postgres:
            return SQLText(
                sql: """
                    (2 * asin(least(1, sqrt(power(sin(radians(?::float8 - \(latitude)) / 2), 2) \
                    + cos(radians(\(latitude))) * cos(radians(?::float8)) \
                    * power(sin(radians(?::float8 - \(longitude)) / 2), 2)))))
                    """, arguments: [center.latitude, center.latitude, center.longitude])
        }
    }
}

extension JSONValue {
    /// A number as SQLite stores it.
    var sqlNumber: SQLValue {
        if let whole = integer { return .integer(whole) }
        return .real(double ?? .nan)
    }
}
