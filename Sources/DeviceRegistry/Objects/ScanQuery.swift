package import Base

/// A query for one page of a whole class.
///
/// Source: docs/background/leancloud/objects.md#scan.
package struct ScanQuery: Hashable, Sendable {
    /// The condition; it must not name the key.
    package var condition: JSONValue = [:]
    /// The key to scan by; objects without it are skipped.
    package var key = "objectId"
    /// True to scan in descending order.
    package var isDescending = false
    /// The number of objects per page, from 1 to 1000.
    package var limit = 100
    /// Keys to return; a leading `-` excludes one. Empty for all.
    package var keys: [String] = []
    /// True to return each object's ACL.
    package var showsACL = false
    /// The end of the previous page; `nil` for the first page.
    package var start: ScanPosition?

    /// Creates a scan of all objects by objectId.
    package init() {}
}

/// A position in a scan: the key's value and, where several objects share it, the row.
package struct ScanPosition: Hashable, Sendable {
    /// A string or a number.
    package let value: JSONValue
    /// The row, which increases with each added object.
    package let row: Int64

    /// The maximum length of a string in bytes: it is part of the next request's URL.
    static let longestText = 1024

    /// Creates the position returned by an earlier page.
    package init(value: JSONValue, row: Int64) {
        self.value = value
        self.row = row
    }
}

/// One page.
package struct ScannedPage: Hashable, Sendable {
    /// The objects, as clients read them.
    package let results: [JSONValue]
    /// The start of the next page; `nil` when there is none.
    package let end: ScanPosition?
}

extension Registry {
    /// Returns one page of a class, for the holder of the master key.
    ///
    /// By `objectId`, `createdAt` and `updatedAt` a page costs only its own objects, wherever it starts; any other key
    /// is sorted again for each page.
    ///
    /// - Throws: ``RegistryError`` with code 101 when the class does not exist, 102 when the condition contains the key
    ///   or the key's values are too long to continue from.
    package func scan(_ query: ScanQuery, in className: ClassName) async throws(RegistryError) -> ScannedPage {
        let timeLimit = queryTimeLimit
        return try await self.query(query.condition) { db in
            let store = ObjectStore(db: db, className: className, access: .master)
            guard try store.classExists() else { throw RegistryError.notFound }
            return try Self.page(try query.sql(store, timeLimit: timeLimit), query, db)
        }
    }

    /// Returns the value of the key; in PostgreSQL it comes as JSON. A list or an object counts as its text.
    private static func position(_ value: SQLValue, _ dialect: Dialect) -> JSONValue {
        guard dialect == .postgres, case .text(let text) = value else { return JSONValue(value) }
        let json = (try? JSONValue(parsing: text, limits: .anyMemory)) ?? .null
        switch json {
        case .bool(let flag): return .integer(flag ? 1 : 0)
        case .array, .object: return .string(text)
        case .null, .integer, .number, .string: return json
        }
    }

    private static func page(
        _ request: SQLText, _ query: ScanQuery, _ db: any RegistryTransaction
    ) throws -> ScannedPage {
        var budget = AnswerBudget()
        var results: [JSONValue] = []
        var end: ScanPosition?
        let display = ObjectQuery(keys: query.keys, showsACL: query.showsACL)
        var hasMore = false
        try db.each(request) { row in
            guard results.count < query.limit else {
                hasMore = true
                return false
            }
            let object = try StoredObject(row, &budget)
            results.append(display.projected(object.json(withACL: query.showsACL)))
            end = ScanPosition(value: Self.position(row.value(5), db.dialect), row: object.row)
            guard end?.value.string?.utf8.count ?? 0 <= ScanPosition.longestText else {
                throw RegistryError(
                    .invalidQuery, "scan_key '\(query.key)' has texts of over \(ScanPosition.longestText) bytes.")
            }
            return true
        }
        return ScannedPage(results: results, end: hasMore ? end : nil)
    }
}

extension ScanQuery {
    /// Returns the query for the page's objects and one more, with the key's value as `scanKey`.
    func sql(_ store: ObjectStore, timeLimit: Duration = Registry.queryTimeLimit) throws -> SQLText {
        guard !condition.names(key) else { throw RegistryError(.invalidQuery, "scan_key must not be in where.") }
        let dialect = store.db.dialect
        var translator = ConditionTranslator(
            dialect: dialect, className: store.className, access: .master, timeLimit: timeLimit)
        let plan = try translator.plan(condition)
        let clause = try plan.clause(in: store.db, stopsEarly: true)
        let (column, order) = (try plan.table.column(key), try plan.table.scanOrder(key))
        return SQLText(sql: "SELECT \(ObjectStore.columns), \(dialect == .sqlite ? column : "to_jsonb(\(column))")")
            + store.selection(clause + SQLText(sql: " AND ") + (try continuation(order)))
            + SQLText(
                sql:
                    " ORDER BY \(order.terms.map { $0 + direction }.joined(separator: ", ")), t0.id\(direction) LIMIT ?",
                arguments: [limit + 1])
    }

    private var direction: String { isDescending ? " DESC" : "" }

    /// Returns the condition for objects after the start.
    private func continuation(_ order: ScanOrder) throws(RegistryError) -> SQLText {
        guard let start else { return order.isPresent }
        guard let clause = order.after(start.value, start.row, isDescending) else {
            throw RegistryError(.invalidQuery, "The cursor is damaged.")
        }
        return clause
    }
}

extension JSONValue {
    /// A string or a number from a database; null for anything else.
    fileprivate init(_ value: SQLValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .number(number)
        case .text(let text): self = .string(text)
        case .null, .bytes, .texts, .integers: self = .null
        }
    }

    /// True if a condition tests a key, at any depth of its lists.
    fileprivate func names(_ key: String) -> Bool {
        if let members = object {
            return members.contains { name, value in
                name == key || ((name == "$and" || name == "$or") && value.names(key))
            }
        }
        return array?.contains { $0.names(key) } ?? false
    }
}

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
