internal import JSONValue

/// A JSON value within a query: how SQL names it, its type, and its members.
struct Operand {
    /// Whose SQL it is.
    let dialect: Dialect
    /// The value. SQLite: text, a number, or the JSON text of a list or object. PostgreSQL: `jsonb`.
    let value: String
    /// The database's word for its type; SQL `NULL` when it is missing.
    ///
    /// SQLite: `text`, `integer`, `real`, `true`, `false`, `null`, `array`, `object`. PostgreSQL: `string`, `number`,
    /// `boolean`, `null`, `array`, `object`.
    let type: String
    private let memberExpression: (String) -> String

    init(dialect: Dialect, value: String, type: String, member: @escaping (String) -> String) {
        self.dialect = dialect
        self.value = value
        self.type = type
        memberExpression = member
    }

    /// A value of PostgreSQL.
    static func json(_ value: String) -> Operand {
        Operand(dialect: .postgres, value: value, type: "jsonb_typeof(\(value))") { member in
            "(\(value) ->> '\(member)')"
        }
    }

    /// A member of an object, which holds text; SQL `NULL` when this is none.
    func member(_ name: String) -> String { memberExpression(name) }

    /// A member of an object, which holds degrees.
    func degrees(_ name: String) -> String {
        switch dialect {
        case .sqlite: return member(name)
        case .postgres:
            // What is no number, or one that no column of numbers holds, would end the query.
            let number = "(\(value) -> '\(name)')"
            return """
                (CASE WHEN jsonb_typeof(\(number)) = 'number' AND \(number) BETWEEN '-360' AND '360' \
                THEN (\(value) ->> '\(name)')::float8 END)
                """
        }
    }

    /// The value so that it differs where types do; SQL `NULL` for `null`.
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

    /// What follows a text so that it is ordered by its bytes.
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
    /// Whether it is missing or `null`.
    var isNull: SQLText { SQLText(sql: "(\(type) IS NULL OR \(type) = 'null')") }

    /// Whether it is a value of JSON other than `null`, and that one.
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
            return SQLText(
                sql: "(\(type) IN ('array', 'object') AND \(value) = ?)", arguments: [wanted.canonicalText])
        }
    }

    /// Whether it is a number, and less or greater than one.
    func compares(_ sign: String, toNumber number: JSONValue) -> SQLText {
        switch dialect {
        case .sqlite:
            SQLText(
                sql: "(\(type) IN ('integer', 'real') AND \(value) \(sign) ?)", arguments: [number.sqlNumber])
        case .postgres:
            SQLText(
                sql: "(\(type) = 'number' AND \(value) \(sign) ?::jsonb)", arguments: [number.canonicalText])
        }
    }

    /// Whether it is a text, and before or after another by their bytes.
    func compares(_ sign: String, toText text: String) -> SQLText {
        switch dialect {
        case .sqlite: SQLText(sql: "(\(type) = 'text' AND \(value) \(sign) ?)", arguments: [text])
        case .postgres:
            SQLText(sql: "(\(type) = 'string' AND \(self.text)\(byBytes) \(sign) ?)", arguments: [text])
        }
    }

    /// Whether it is one of several texts, or one of several numbers: one bound list instead of a value each.
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

    /// Whether it is a text in which a pattern is found.
    ///
    /// - Throws: ``RegistryError`` with code 102 when PostgreSQL would read the pattern in another way.
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

    /// How far a place lies from another, in radians on the great circle.
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
