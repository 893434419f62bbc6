internal import GRDB
package import JSONValue
package import RegistryModel

/// A query for one page of a whole class.
///
/// Source: <doc:/PushModel/LeanCloudObjects#Scan>.
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

    /// The indexes that let a scan continue without reading the earlier pages.
    static let indexes = [
        "CREATE INDEX installationByCreation ON installation(createdAt)",
        "CREATE INDEX objectByUpdate ON object(class, updatedAt)",
    ]
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
            let request = SQLRequest<Row>(literal: try query.sql(store, timeLimit: timeLimit))
            return try Self.page(request, query, db)
        }
    }

    private static func page(_ request: SQLRequest<Row>, _ query: ScanQuery, _ db: Database) throws -> ScannedPage {
        var budget = AnswerBudget()
        var results: [JSONValue] = []
        var end: ScanPosition?
        var display = ObjectQuery(keys: query.keys)
        display.showsACL = query.showsACL
        let rows = try Row.fetchCursor(db, request)
        while let row = try rows.next() {
            guard results.count < query.limit else { return ScannedPage(results: results, end: end) }
            let object = try StoredObject(row, &budget)
            results.append(display.projected(object.json(withACL: query.showsACL)))
            end = ScanPosition(value: JSONValue(row["scanKey"] as DatabaseValue), row: object.row)
            guard end?.value.string?.utf8.count ?? 0 <= ScanPosition.longestText else {
                throw RegistryError(
                    .invalidQuery, "scan_key '\(query.key)' has texts of over \(ScanPosition.longestText) bytes.")
            }
        }
        return ScannedPage(results: results, end: nil)
    }
}

extension ScanQuery {
    /// Returns the query for the page's objects and one more, with the key's value as `scanKey`.
    func sql(_ store: ObjectStore, timeLimit: Duration = Registry.queryTimeLimit) throws -> SQL {
        guard !condition.names(key) else { throw RegistryError(.invalidQuery, "scan_key must not be in where.") }
        var translator = ConditionTranslator(className: store.className, access: .master, timeLimit: timeLimit)
        let plan = try translator.plan(condition)
        let clause = try plan.clause(in: store.db, stopsEarly: true)
        let column = try plan.table.column(key)
        return SQL(sql: "SELECT \(ObjectStore.columns), \(column) AS scanKey")
            + store.selection(clause + SQL(sql: " AND ") + (try continuation(column)))
            + SQL(sql: " ORDER BY \(column)\(direction), t0.id\(direction) LIMIT ?", arguments: [limit + 1])
    }

    private var direction: String { isDescending ? " DESC" : "" }

    /// Returns the condition for objects after the start.
    private func continuation(_ column: String) throws(RegistryError) -> SQL {
        guard let start else { return SQL(sql: "\(column) IS NOT NULL") }
        let value: any DatabaseValueConvertible
        switch start.value {
        case .string(let text): value = text
        case .integer(let number): value = number
        case .number(let number): value = number
        case .null, .bool, .array, .object: throw RegistryError(.invalidQuery, "The cursor is damaged.")
        }
        let sign = isDescending ? "<" : ">"
        return SQL(
            sql: "\(column) \(sign)= ? AND (\(column) \(sign) ? OR t0.id \(sign) ?)",
            arguments: [value, value, start.row])
    }
}

extension JSONValue {
    /// A string or a number from SQLite; null for anything else.
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .number(number)
        case .string(let text): self = .string(text)
        case .null, .blob: self = .null
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
