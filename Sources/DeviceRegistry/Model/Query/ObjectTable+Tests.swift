internal import Base
internal import Push

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
            return SQLText(sql: "\(shield)\(alias).valid = \(dialect.truth(flag))")
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
            return SQLText(
                sql: "\(column) \(dialect.isOneOf)", arguments: [SQLValue.texts(texts)])
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
