internal import GRDB
package import JSONValue

/// What is asked of one page of a whole class.
///
/// Source: <doc:/PushModel/LeanCloudObjects#Scan>.
package struct ScanQuery: Hashable, Sendable {
    /// The condition; it must not name the key.
    package var condition: JSONValue = [:]
    /// The key that the objects are walked by; an object that lacks it is not met.
    package var key = "objectId"
    /// Whether the walk goes downwards.
    package var isDescending = false
    /// How many objects a page has, from 1 to 1000.
    package var limit = 100
    /// Keys to show; a leading `-` hides one. Empty: all.
    package var keys: [String] = []
    /// Whether each object's ACL is shown.
    package var showsACL = false
    /// Where the page before ended; `nil` for the first one.
    package var start: ScanPosition?

    /// A scan of everything by objectId.
    package init() {}

    /// What lets a scan go on in the middle without reading what came before.
    static let indexes = [
        "CREATE INDEX installationByCreation ON installation(createdAt)",
        "CREATE INDEX objectByUpdate ON object(class, updatedAt)",
    ]
}

/// A place in a walk: the key's value and, where several objects share it, the row.
package struct ScanPosition: Hashable, Sendable {
    /// A text or a number.
    package let value: JSONValue
    /// Rises with each object that was ever added.
    package let row: Int64

    /// A text may have this many bytes: it travels in the address of the next request.
    static let longestText = 1024

    /// A place that an earlier page gave.
    package init(value: JSONValue, row: Int64) {
        self.value = value
        self.row = row
    }
}

/// One page.
package struct ScannedPage: Hashable, Sendable {
    /// The objects, as clients read them.
    package let results: [JSONValue]
    /// Where the next page begins; `nil` when there is none.
    package let end: ScanPosition?
}

extension Registry {
    /// One page of a class, for the holder of the master key.
    ///
    /// By `objectId`, `createdAt` and `updatedAt` a page costs what it holds, wherever it begins; any other key is
    /// sorted anew for each page.
    ///
    /// - Throws: ``RegistryError`` with code 101 when the class does not exist, 102 when the condition names the key or
    ///   the key's values are too long to go on from.
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
    /// The objects of the page and one more, with the key's value as `scanKey`.
    func sql(_ store: ObjectStore, timeLimit: Duration = Registry.queryTimeLimit) throws -> SQL {
        guard !condition.names(key) else { throw RegistryError(.invalidQuery, "scan_key must not be in where.") }
        var translator = ConditionTranslator(className: store.className, access: .master, timeLimit: timeLimit)
        let plan = try translator.plan(condition)
        let clause = try plan.clause(in: store.db, stopsEarly: true)
        let column = try column(plan.table)
        return SQL(sql: "SELECT \(ObjectStore.columns), \(column) AS scanKey")
            + store.selection(.all(of: [clause, try continuation(column)]))
            + SQL(sql: " ORDER BY \(column)\(direction), t0.id\(direction) LIMIT ?", arguments: [limit + 1])
    }

    private var direction: String { isDescending ? " DESC" : "" }

    private func column(_ table: ObjectTable) throws(RegistryError) -> String {
        let path = try FieldPath(key)
        return table.timeColumn(of: path) ?? table.textColumn(of: path) ?? table.operand(path).value
    }

    /// What lies behind the start.
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
    /// A text or a number that SQLite gave; anything else is null.
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .number(number)
        case .string(let text): self = .string(text)
        case .null, .blob: self = .null
        }
    }

    /// Whether a condition tests a key, at any depth of its lists.
    fileprivate func names(_ key: String) -> Bool {
        if let members = object {
            return members.contains { name, value in
                name == key || ((name == "$and" || name == "$or") && value.names(key))
            }
        }
        return array?.contains { $0.names(key) } ?? false
    }
}
