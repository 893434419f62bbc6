internal import Base
internal import Push

/// The objects of one class, within a transaction.
struct ObjectStore {
    let db: any RegistryTransaction
    let className: ClassName
    let access: Access
    /// The deadline; nil for none.
    var end: ContinuousClock.Instant?
    /// What look-ups would find, by ``ObjectTable/name(of:_:)``, as far as it was looked up before.
    var seen: [String: LookUp] = [:]

    var table: ObjectTable { ObjectTable(dialect: db.dialect, className: className, alias: "t0") }

    static let columns = "t0.id, t0.objectId, t0.createdAt, t0.updatedAt, t0.document"

    /// True if an object's ACL grants a right, `read` or `write`, to the requester.
    ///
    /// A device that came from another server may have an ACL that names its user. Nobody signs in here, so it would
    /// lock the app out of its own registration: it is kept but not applied.
    func allows(_ right: String, _ object: StoredObject) -> Bool {
        className.isInstallation || access.allows(right, object)
    }

    /// The part of a condition that holds for the readable objects of this class; nil for all of the table.
    private var readable: SQLText? { access.readable("t0", db.dialect) }

    /// Returns `FROM … WHERE …` for the readable, matching objects of this class.
    func selection(_ clause: SQLText) -> SQLText {
        var clauses: [SQLText] = []
        if !className.isInstallation { clauses.append(SQLText(sql: "t0.class = ?", arguments: [className.name])) }
        clauses.append(clause)
        if !className.isInstallation, let readable { clauses.append(readable) }
        return SQLText(sql: " FROM \(table.source) WHERE ") + .list(clauses, by: " AND ")
    }

    /// Returns the number of readable, matching objects of this class.
    func count(_ plan: QueryPlan, wish: (Set<String>) -> Void) throws -> Int {
        let sql: SQLText
        if let rows = plan.rows, readable == nil {
            sql = SQLText(sql: "SELECT COUNT(*) FROM (") + rows + SQLText(sql: ") AS counted")
        } else {
            sql = SQLText(sql: "SELECT COUNT(*)") + selection(try plan.clause(in: db, wish: wish))
        }
        return try db.rows(sql).first?.number(0) ?? 0
    }

    /// True if the class has ever been written to.
    func classExists() throws -> Bool { try db.exists("SELECT 1 FROM class WHERE name = ?", [className.name]) }

    /// Returns the first object with a text in a column, readable or not; `key` is a name of our own.
    func first(_ key: String, _ value: String) throws -> StoredObject? { try look(for: key, value).object }

    /// Returns the row of `SELECT columns` for the object with a text in a column, readable or not.
    private func row(
        _ columns: String, _ key: String, _ value: String, _ values: [any SQLBindable] = [], _ hold: RowHold = .free
    ) throws -> (any SQLRow)? {
        let identity = table.identity(key, value)
        let isOfClass = className.isInstallation ? "" : "t0.class = ? AND "
        return try db.row(
            "SELECT \(columns) FROM \(table.source) WHERE \(isOfClass)\(identity.sql)\(db.clause(hold))",
            values + (className.isInstallation ? [] : [className.name]) + identity.values)
    }

    /// Returns the object with an id, readable or not.
    func object(_ objectID: String) throws -> StoredObject? {
        try first("objectId", objectID)
    }

    /// True if an object matches a condition; regular expressions are evaluated until the deadline.
    func fits(_ object: StoredObject, _ condition: JSONValue) throws -> Bool {
        let limit = end.map { ContinuousClock.now.duration(to: $0) } ?? ConditionTranslator.timeLimit
        var translator = ConditionTranslator(
            dialect: db.dialect, className: className, access: access, timeLimit: limit)
        let clause = SQLText(sql: "t0.id = ? AND ", arguments: [object.row]) + (try translator.plan(condition).clause)
        return try !db.rows(SQLText(sql: "SELECT 1") + selection(clause)).isEmpty
    }

    /// Looks up the object with a text in a column, readable or not; `key` is a name of our own.
    func look(for key: String, _ value: String) throws -> LookUp {
        if !seen.isEmpty, let lookUp = seen[table.name(of: key, value)] { return lookUp }
        // A database would cut a text at a NUL, or refuse it.
        let row = value.utf8.contains(0) ? nil : try row(Self.columns, key, value)
        return LookUp(
            key: key, value: value, object: try row.map(StoredObject.init), document: row?.text(4) ?? "")
    }

    /// True if the look-up would give the same result, until the transaction ends; checked without reading the document.
    func stillHolds(_ lookUp: LookUp) throws -> Bool {
        guard !lookUp.value.utf8.contains(0) else { return true }
        guard let seen = lookUp.object else { return try row("1", lookUp.key, lookUp.value) == nil }
        let document = db.dialect == .sqlite ? "?" : "?::jsonb"
        let found = try row(
            "t0.id = ? AND t0.updatedAt = ? AND t0.document = \(document)", lookUp.key, lookUp.value,
            [seen.row, seen.updatedAt, lookUp.document], .changing)
        return found?.boolean(0) ?? false
    }
}

extension StoredObject {
    /// Reads `id, objectId, createdAt, updatedAt, document`.
    init(_ columns: any SQLRow) throws {
        guard let document = try? JSONValue(parsing: columns.text(4) ?? "", limits: .anyMemory).object else {
            throw RegistryError(internal: "a document is damaged")
        }
        self.init(
            row: columns.integer(0) ?? 0, objectID: columns.text(1) ?? "",
            createdAt: columns.time(2) ?? Instant(milliseconds: 0),
            updatedAt: columns.time(3) ?? Instant(milliseconds: 0), fields: document)
    }
}

/// A change that was computed outside the queue of changes, with its preconditions.
struct PreparedChange<Value: Sendable>: Sendable {
    /// The look-ups that it is based on.
    let basis: [LookUp]
    /// The identifiers that a device will have, which no other may take meanwhile.
    var names: [String] = []
    /// The row that is written; nil where that is more than a row.
    var device: DeviceWrite?
    /// The operation that writes the change.
    let write: @Sendable (ObjectStore) throws -> Value

    /// Writes the change; nil when a precondition no longer holds, and it must be computed again.
    func run(in store: ObjectStore) throws -> Value? {
        try store.db.hold(basis.map { store.table.name(of: $0.key, $0.value) } + names)
        for lookUp in basis {
            guard try store.stillHolds(lookUp) else { return nil }
        }
        return try write(store)
    }
}

/// The result of looking up an object.
struct LookUp: Sendable {
    /// The column of the look-up.
    let key: String
    /// The value of the look-up.
    let value: String
    /// The object; nil when there was none.
    let object: StoredObject?
    /// Its document as stored.
    let document: String
}
