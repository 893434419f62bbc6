internal import Base
internal import Push

/// The table with the objects of a class, and its alias in a query.
package struct ObjectTable {
    let dialect: Dialect
    let className: ClassName
    /// The alias in the query: `t0` for the outer one, `t1` … for subqueries.
    let alias: String

    /// The fields of a device that have a text column.
    static let textColumns: Set<String> = ["deviceType", "deviceToken", "installationId", "deviceProfile"]

    package var name: String { className.isInstallation ? "installation" : "object" }

    /// `installation AS t0`.
    package var source: String { "\(name) AS \(alias)" }

    /// Returns the column of a key to sort by, or else the value in the document.
    package func column(_ key: String) throws(RegistryError) -> String {
        let path = try FieldPath(key)
        return timeColumn(of: path) ?? textColumn(of: path) ?? operand(path).value
    }

    /// Returns the expressions that order objects by a key: numbers before strings, by their bytes.
    package func order(_ key: String) throws(RegistryError) -> [String] {
        try scanOrder(key).terms
    }

    /// Returns the order of objects by a key, in which a scan continues.
    package func scanOrder(_ key: String) throws(RegistryError) -> ScanOrder {
        let (column, path) = (try column(key), try FieldPath(key))
        let isColumn = dialect == .sqlite || timeColumn(of: path) != nil || textColumn(of: path) != nil
        return ScanOrder(column, alias: alias, isColumn: isColumn)
    }

    /// SQL that is true for the object with a text in a column, `objectId` or an identifier of a device's; in
    /// PostgreSQL a device's token is found in any spelling.
    package func identity(_ key: String, _ value: String) -> SQLText {
        guard dialect == .postgres, className.isInstallation, key == "deviceToken" else {
            return SQLText(sql: "\(alias).\(key) = ?", arguments: [value])
        }
        return SQLText(sql: "\(alias).token = ?", arguments: [DeviceKey.key(of: value)])
    }

    /// The name under which a change holds an identifier of an object.
    package func name(of key: String, _ value: String) -> String {
        "\(className.name) \(key) \(key == "deviceToken" ? DeviceKey.key(of: value) : value)"
    }

    /// Returns the text column of a key; nil when it has none.
    func textColumn(of path: FieldPath) -> String? {
        guard let key = path.simpleKey else { return nil }
        if key == "objectId" { return "\(alias).objectId" }
        return className.isInstallation && Self.textColumns.contains(key) ? "\(alias).\(key)" : nil
    }

    /// The prefix that keeps SQLite from driving the query by an index over a tested column: ``QueryPlan`` chooses, for
    /// devices.
    var shield: String { className.isInstallation && dialect == .sqlite ? "+" : "" }

    /// Returns the column of a key that holds milliseconds.
    func timeColumn(of path: FieldPath) -> String? {
        guard let key = path.simpleKey, key == "createdAt" || key == "updatedAt" else { return nil }
        return "\(alias).\(key)"
    }

    /// The value of a key, as SQL.
    func operand(_ path: FieldPath) -> Operand { dialect.operand("\(alias).document", path) }

    /// SQLite's rows of `json_each`: the elements of a document's key that holds a list, or else its single value.
    package static func values(of document: String, at path: String) -> String {
        """
        json_each(CASE json_type(\(document), \(path)) WHEN 'array' THEN json_extract(\(document), \(path)) \
        WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' ELSE json_array(json_extract(\(document), \(path))) END)
        """
    }

    /// The elements of a key that holds a list, under the alias `element`.
    func elements(of path: FieldPath, as element: String) -> String {
        "\(dialect.elements(of: "\(alias).document", at: path)) AS \(element)"
    }
}

// MARK: - Tests

extension ObjectTable {
    /// Returns SQL that is true if the value of a key, or an element of the list it holds, passes a test.
    ///
    /// Columns and the table of channels are used where possible, which is faster than reading the document.
    func test(_ path: FieldPath, _ predicate: Predicate) throws(RegistryError) -> SQLText {
        if let column = timeColumn(of: path) { return try time(shield + column, predicate) }
        let predicate = spelled(path, predicate)
        if let column = textColumn(of: path) {
            if let clause = text(shield + column, predicate) {
                return path.simpleKey == "deviceToken" ? .all(of: [clause] + key(predicate)) : clause
            }
            // An id is not part of the document.
            if path.simpleKey == "objectId" {
                return try predicate.sql(dialect.text(shield + column))
            }
        }
        if className.isInstallation, path.simpleKey == "channels", let clause = channel(predicate) { return clause }
        if className.isInstallation, path.simpleKey == "valid", case .equals(.bool(let flag)) = predicate {
            let value = dialect == .sqlite ? (flag ? "1" : "0") : (flag ? "TRUE" : "FALSE")
            return SQLText(sql: "\(shield)\(alias).valid = \(value)")
        }
        if let clause = contained(path, predicate) { return clause }
        return try document(path, predicate)
    }

    /// Returns the test with all spellings of a token: tokens are stored in one spelling, but a condition may use
    /// another, and older registries contain others.
    func spelled(_ path: FieldPath, _ predicate: Predicate) -> Predicate {
        guard className.isInstallation, path.simpleKey == "deviceToken" else { return predicate }
        let values: [TypedValue]
        switch predicate {
        case .equals(let value): values = [value]
        case .isIn(let several): values = several
        case .compares, .matches, .selected: return predicate
        }
        let others = values.compactMap { value -> TypedValue? in
            guard case .text(let token) = value else { return nil }
            let normal = AppleToken.normalized(token)
            return normal == token ? nil : .text(normal)
        }
        return others.isEmpty ? predicate : .isIn(values + others)
    }

    /// Tests whether a device's custom field is, or holds, a string, a number or a Boolean, in the form that
    /// PostgreSQL's index over the field answers; nil for any other test.
    private func contained(_ path: FieldPath, _ predicate: Predicate) -> SQLText? {
        guard dialect == .postgres, className.isInstallation, path.simpleKey != nil, case .equals(let value) = predicate
        else { return nil }
        let json: JSONValue
        switch value {
        case .text(let text): json = .string(text)
        case .number(let number): json = number
        case .bool(let flag): json = .bool(flag)
        case .null, .date, .pointer, .point, .whole: return nil
        }
        return SQLText(sql: "\(operand(path).value) @> ?::jsonb", arguments: [json.canonicalText])
    }

    private func document(_ path: FieldPath, _ predicate: Predicate) throws(RegistryError) -> SQLText {
        if case .selected = predicate {
            // A subquery must occur only once: twice at each depth would be too much for SQLite.
            return SQLText(
                sql:
                    "EXISTS (SELECT 1 FROM \(dialect.values(of: "\(alias).document", at: path)) AS e\(alias) WHERE "
            )
                + (try predicate.sql(dialect.element("e\(alias)"))) + SQLText(sql: ")")
        }
        let operand = operand(path)
        let whole = try predicate.sql(operand)
        let element = "e\(alias)"
        return SQLText(sql: "(") + whole
            + SQLText(
                sql:
                    " OR (\(operand.type) = 'array' AND EXISTS (SELECT 1 FROM \(elements(of: path, as: element)) WHERE "
            )
            + (try predicate.sql(dialect.element(element))) + SQLText(sql: ")))")
    }

    /// Tests a column that holds text or NULL; `nil` when the document must be read, which may contain empty strings.
    private func text(_ column: String, _ predicate: Predicate) -> SQLText? {
        switch predicate {
        case .equals(.text(let text)) where !text.isEmpty: return SQLText(sql: "\(column) = ?", arguments: [text])
        case .isIn(let values):
            guard let texts = Self.texts(values) else { return nil }
            return SQLText(sql: "\(column) \(dialect.isOneOf)", arguments: [SQLValue.texts(texts)])
        case .selected, .equals, .compares, .matches: return nil
        }
    }

    /// Returns the test of the primary key for devices with given tokens in PostgreSQL, where it is the token in lower
    /// case.
    private func key(_ predicate: Predicate) -> [SQLText] {
        guard dialect == .postgres else { return [] }
        switch predicate {
        case .equals(.text(let token)):
            return [SQLText(sql: "\(alias).token = ?", arguments: [AppleToken.lowercased(token)])]
        case .isIn(let values):
            let tokens = (Self.texts(values) ?? []).map(AppleToken.lowercased)
            return [SQLText(sql: "\(alias).token \(dialect.isOneOf)", arguments: [SQLValue.texts(tokens)])]
        case .equals, .compares, .matches, .selected: return []
        }
    }

    /// Tests the channels of a device; `nil` when the document must be read.
    private func channel(_ predicate: Predicate) -> SQLText? {
        switch predicate {
        case .equals(.text(let name)):
            return subscribes([name])
        case .isIn(let values):
            let names = values.compactMap { if case .text(let name) = $0 { name } else { nil } }
            guard names.count == values.count else { return nil }
            return subscribes(names)
        case .equals, .compares, .matches, .selected: return nil
        }
    }

    /// Returns SQL that is true if a device has one of some channels; `nil` when the document must be read.
    private func subscribes(_ names: [String]) -> SQLText? {
        switch (dialect, names.count) {
        case (.sqlite, 1):
            return SQLText(
                sql: "EXISTS (SELECT 1 FROM channel WHERE name = ? AND installation = \(alias).id)", arguments: names)
        case (.sqlite, _):
            return SQLText(
                sql: """
                    EXISTS (SELECT 1 FROM channel WHERE installation = \(alias).id \
                    AND name IN (SELECT value FROM json_each(?)))
                    """,
                arguments: [SQLValue.texts(names)])
        case (.postgres, 0...Self.fewChannels):
            return .any(
                of: names.map { name in
                    SQLText(
                        sql: "\(alias).channels @> ?::jsonb",
                        arguments: [JSONValue.array([.string(name)]).canonicalText])
                })
        case (.postgres, _): return nil
        }
    }

    /// The maximum number of channels to look up one by one in PostgreSQL's index.
    private static var fewChannels: Int { 64 }

    /// Tests a column of milliseconds against Dates or their strings.
    private func time(_ column: String, _ predicate: Predicate) throws(RegistryError) -> SQLText {
        switch predicate {
        case .equals(let value):
            return SQLText(sql: "\(column) = ?", arguments: [try Self.milliseconds(value)])
        case .compares(let comparison, let value):
            return SQLText(sql: "\(column) \(comparison.rawValue) ?", arguments: [try Self.milliseconds(value)])
        case .isIn(let values):
            guard values.count <= ConditionTranslator.mostTerms else {
                throw RegistryError(.invalidQuery, "A list of times has \(ConditionTranslator.mostTerms) at most.")
            }
            var clauses: [SQLText] = []
            for value in values { clauses.append(try time(column, .equals(value))) }
            return .any(of: clauses)
        case .matches, .selected:
            throw RegistryError(.invalidQuery, "createdAt and updatedAt are compared with Dates.")
        }
    }

    static func milliseconds(_ value: TypedValue) throws(RegistryError) -> Int64 {
        if case .date(let instant) = value { return instant.milliseconds }
        if case .text(let text) = value, let instant = Instant(iso: text) { return instant.milliseconds }
        throw RegistryError(.invalidQuery, "createdAt and updatedAt are compared with Dates.")
    }
}

// MARK: - Leads

extension ObjectTable {
    /// Selects devices by a test of a column, which follows.
    private static let devices = "SELECT id FROM installation WHERE"
    /// Selects devices by a test of their channels' names, which follows.
    private static let subscribers = "SELECT installation AS id FROM channel WHERE name"
    /// Selects devices by a test of the values of a field, which follows; the field's name is bound.
    private static let bearers = """
        SELECT installation AS id FROM fieldValue \
        WHERE field = (SELECT id FROM indexedField WHERE name = ?) AND value
        """

    /// Returns the index that finds every device whose key passes a test; `nil` when there is none, or PostgreSQL
    /// chooses.
    func lead(_ path: FieldPath, _ predicate: Predicate) -> Lead? {
        guard className.isInstallation, dialect == .sqlite, let key = path.simpleKey else { return nil }
        switch key {
        case "createdAt", "updatedAt": return times(key, predicate)
        case "channels": return channels(predicate)
        case "valid":
            guard case .equals(.bool(false)) = predicate else { return nil }
            return Lead(rows: SQLText(sql: "\(Self.devices) valid = 0"), kind: .validity)
        case "objectId": return texts(key, predicate, .unique)
        default:
            guard Self.textColumns.contains(key) else { return values(key, predicate) }
            let predicate = spelled(path, predicate)
            let kind: Lead.Kind =
                switch key {
                case "deviceType": .platform
                case "deviceProfile": .profile
                default: .unique
                }
            return texts(key, predicate, kind)
        }
    }

    private func times(_ column: String, _ predicate: Predicate) -> Lead? {
        let sign: String
        let instant: TypedValue
        switch predicate {
        case .equals(let value): (sign, instant) = ("=", value)
        case .compares(let comparison, let value): (sign, instant) = (comparison.rawValue, value)
        case .isIn, .matches, .selected: return nil
        }
        guard let milliseconds = try? Self.milliseconds(instant) else { return nil }
        let rows = SQLText(sql: "\(Self.devices) \(column) \(sign) ?", arguments: [milliseconds])
        return Lead(rows: rows, kind: .time)
    }

    private func texts(_ column: String, _ predicate: Predicate, _ kind: Lead.Kind) -> Lead? {
        switch predicate {
        case .equals(.text(let text)) where !text.isEmpty:
            return Lead(rows: SQLText(sql: "\(Self.devices) \(column) = ?", arguments: [text]), kind: kind)
        case .isIn(let values):
            guard let texts = Self.texts(values) else { return nil }
            let list = SQLValue.texts(texts)
            let rows = SQLText(sql: "\(Self.devices) \(column) \(dialect.isOneOf)", arguments: [list])
            // A long list of unique values may match many devices.
            return Lead(rows: rows, kind: kind == .unique && texts.count > 100 ? .channel : kind)
        case .equals, .compares, .matches, .selected: return nil
        }
    }

    private func channels(_ predicate: Predicate) -> Lead? {
        switch predicate {
        case .equals(.text(let name)):
            return Lead(rows: SQLText(sql: "\(Self.subscribers) = ?", arguments: [name]), kind: .channel)
        case .isIn(let values):
            guard let names = Self.texts(values) else { return nil }
            let rows = SQLText(sql: "\(Self.subscribers) \(dialect.isOneOf)", arguments: [SQLValue.texts(names)])
            return Lead(rows: rows, kind: .channel, isDistinct: false)
        case .equals, .compares, .matches, .selected: return nil
        }
    }

    /// Returns the index over the values of a custom field, which exists when it is queried often.
    private func values(_ key: String, _ predicate: Predicate) -> Lead? {
        switch predicate {
        case .equals(let value):
            guard let indexed = Self.indexed(value) else { return nil }
            let isPointer = if case .pointer = value { true } else { false }
            let rows = SQLText(sql: "\(Self.bearers) = ?", arguments: [key, indexed])
            return Lead(rows: rows, kind: .field, isExact: !isPointer, fields: [key])
        case .isIn(let values):
            guard let texts = Self.texts(values), texts.allSatisfy({ Self.indexed(.text($0)) != nil }) else {
                return nil
            }
            let rows = SQLText(sql: "\(Self.bearers) \(dialect.isOneOf)", arguments: [key, SQLValue.texts(texts)])
            return Lead(rows: rows, kind: .field, isDistinct: false, fields: [key])
        case .compares, .matches, .selected: return nil
        }
    }

    /// The maximum length of an indexed string.
    package static let longestIndexed = 200

    /// Returns a value as stored in the index; `nil` for values that are not indexed.
    static func indexed(_ value: TypedValue) -> SQLValue? {
        switch value {
        case .text(let text): text.unicodeScalars.count <= longestIndexed ? .text(text) : nil
        case .number(let number): number.sqlNumber
        case .bool(let flag): .bytes([flag ? 1 : 0])
        case .pointer(_, let objectID): .bytes(Array(("p" + objectID).utf8))
        case .null, .date, .point, .whole: nil
        }
    }

    /// Returns the index for devices with a pointer to one of the objects that a subquery selects by `objectId`.
    func lead(_ path: FieldPath, pointersTo query: SQLText) -> [Lead] {
        guard className.isInstallation, dialect == .sqlite, let key = path.simpleKey,
            !Self.textColumns.contains(key)
        else { return [] }
        let rows =
            SQLText(sql: "\(Self.bearers) IN (SELECT CAST('p' || objectId AS BLOB) FROM (", arguments: [key]) + query
            + SQLText(sql: "))")
        return [Lead(rows: rows, kind: .query, isExact: false, isDistinct: false, fields: [key])]
    }

    /// The values, if all are non-empty strings.
    static func texts(_ values: [TypedValue]) -> [String]? {
        let texts = values.compactMap { if case .text(let text) = $0, !text.isEmpty { text } else { nil } }
        return texts.count == values.count ? texts : nil
    }
}
