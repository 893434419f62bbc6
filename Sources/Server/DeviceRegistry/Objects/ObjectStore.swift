internal import GRDB
internal import JSONValue
internal import PushModel
internal import RegistryModel

/// The objects of one class, within a transaction.
struct ObjectStore {
    let db: Database
    let className: ClassName
    let access: Access
    /// The deadline; nil for none.
    var end: ContinuousClock.Instant?

    private var table: ObjectTable { ObjectTable(className: className, alias: "t0") }

    static let columns = "t0.id, t0.objectId, t0.createdAt, t0.updatedAt, t0.document"

    /// True if an object's ACL grants a right, `read` or `write`, to the requester.
    ///
    /// A device that came from another server may have an ACL that names its user. Nobody signs in here, so it would
    /// lock the app out of its own registration: it is kept but not applied.
    func allows(_ right: String, _ object: StoredObject) -> Bool {
        className.isInstallation || access.allows(right, object)
    }

    /// Returns `FROM … WHERE …` for the readable, matching objects of this class.
    func selection(_ clause: SQL) -> SQL {
        var clauses: [SQL] = []
        if !className.isInstallation { clauses.append(SQL(sql: "t0.class = ?", arguments: [className.name])) }
        clauses.append(clause)
        if !className.isInstallation, let readable = access.readable("t0") { clauses.append(readable.literal) }
        return SQL(sql: " FROM \(table.source) WHERE ") + clauses.joined(separator: " AND ")
    }

    /// Returns the number of readable, matching objects of this class.
    func count(_ plan: QueryPlan, wish: (Set<String>) -> Void) throws -> Int {
        let sql: SQL
        if let rows = plan.rows, access.readable("t0") == nil {
            sql = SQL(sql: "SELECT COUNT(*) FROM (") + rows.literal + SQL(sql: ")")
        } else {
            sql = SQL(sql: "SELECT COUNT(*)") + selection(try plan.clause(in: db, wish: wish))
        }
        return try Int.fetchOne(db, SQLRequest<Int>(literal: sql)) ?? 0
    }

    /// True if the class has ever been written to.
    func classExists() throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT 1 FROM class WHERE name = ?", arguments: [className.name]) ?? false
    }

    /// Returns the first object with a text in a column, readable or not; `key` is a name of our own.
    func first(_ key: String, _ value: String) throws -> StoredObject? { try look(for: key, value).object }

    /// Returns `SELECT … FROM … WHERE key = value`, for readable objects or not.
    func request(
        _ columns: String, _ key: String, _ value: String, _ arguments: StatementArguments = []
    ) -> SQLRequest<Row> {
        let all = ObjectStore(db: db, className: className, access: .master)
        let selection = all.selection(SQL(sql: "t0.\(key) = ?", arguments: [value]))
        return SQLRequest<Row>(literal: SQL(sql: "SELECT \(columns)", arguments: arguments) + selection, cached: true)
    }

    /// Returns the object with an id, readable or not.
    func object(_ objectID: String) throws -> StoredObject? {
        try first("objectId", objectID)
    }

    /// True if an object matches a condition; regular expressions are evaluated until the deadline.
    func fits(_ object: StoredObject, _ condition: JSONValue) throws -> Bool {
        let limit = end.map { ContinuousClock.now.duration(to: $0) } ?? ConditionTranslator.timeLimit
        var translator = ConditionTranslator(className: className, access: access, timeLimit: limit)
        let clause =
            SQL(sql: "t0.id = ? AND ", arguments: [object.row]) + (try translator.plan(condition).clause.literal)
        return try Row.fetchOne(db, SQLRequest<Row>(literal: SQL(sql: "SELECT 1") + selection(clause))) != nil
    }

    /// Adds an object.
    func insert(_ draft: DocumentDraft, objectID: String, at now: Instant) throws -> StoredObject {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO class(name) VALUES (?)")
            .execute(arguments: [className.name])
        let instant = now.milliseconds
        if className.isInstallation {
            try db.cachedStatement(
                sql: """
                    INSERT INTO installation(id, objectId, createdAt, updatedAt, document)
                    VALUES (\(Schema.nextInstallation), ?, ?, ?, ?)
                    """
            ).execute(arguments: [objectID, instant, instant, draft.text])
        } else {
            try db.cachedStatement(
                sql: "INSERT INTO object(class, objectId, createdAt, updatedAt, document) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [className.name, objectID, instant, instant, draft.text])
        }
        let row = db.lastInsertedRowID
        try greet(draft.fields["deviceToken"])
        try write(draft.relations, owner: objectID)
        return StoredObject(row: row, objectID: objectID, createdAt: now, updatedAt: now, fields: draft.fields)
    }

    /// Writes an object's fields.
    func replace(_ object: StoredObject, with draft: DocumentDraft, at now: Instant) throws -> StoredObject {
        try removeTwin(of: object, with: draft)
        try db.cachedStatement(sql: "UPDATE \(table.name) SET updatedAt = ?, document = ? WHERE id = ?")
            .execute(arguments: [now.milliseconds, draft.text, object.row])
        if draft.fields["deviceToken"] != object.fields["deviceToken"] { try greet(draft.fields["deviceToken"]) }
        try write(draft.relations, owner: object.objectID)
        return StoredObject(
            row: object.row, objectID: object.objectID, createdAt: object.createdAt, updatedAt: now,
            fields: draft.fields)
    }

    /// Removes an object and its relations.
    func remove(_ object: StoredObject) throws {
        try db.execute(sql: "DELETE FROM \(table.name) WHERE id = ?", arguments: [object.row])
        try db.execute(
            sql: "DELETE FROM relation WHERE ownerClass = ? AND ownerId = ?",
            arguments: [className.name, object.objectID])
    }

    /// Removes a second row of the same device, which older registries may have under another spelling of its token:
    /// the row that is written stays.
    private func removeTwin(of object: StoredObject, with draft: DocumentDraft) throws {
        guard className.isInstallation, let old = object.fields["deviceToken"]?.string,
            let token = draft.fields["deviceToken"]?.string, old != token, AppleToken.normalized(old) == token,
            let twin = try first("deviceToken", token)
        else { return }
        try remove(twin)
    }

    /// Takes a token off the list of dead ones, when a device sends it as its new token.
    private func greet(_ token: JSONValue?) throws {
        guard className.isInstallation, let token = token?.string else { return }
        try DeadTokens(db: db).forgive(token)
    }

    private func write(_ changes: [DocumentChange.RelationChange], owner: String) throws {
        for change in changes {
            // Other changes wait for this one.
            try end?.check()
            let sql =
                change.isAdded
                ? "INSERT OR IGNORE INTO relation VALUES (?, ?, ?, ?, ?)"
                : """
                DELETE FROM relation
                WHERE ownerClass = ? AND ownerId = ? AND key = ? AND targetClass = ? AND targetId = ?
                """
            try db.execute(
                sql: sql, arguments: [className.name, owner, change.key, change.target.name, change.targetID])
        }
    }
}

extension StoredObject {
    /// Reads `id, objectId, createdAt, updatedAt, document`.
    init(_ columns: Row) throws {
        guard let document = try? JSONValue(parsing: columns["document"] as String, limits: .anyMemory).object else {
            throw RegistryError(internal: "a document is damaged")
        }
        self.init(
            row: columns["id"], objectID: columns["objectId"],
            createdAt: Instant(milliseconds: columns["createdAt"]),
            updatedAt: Instant(milliseconds: columns["updatedAt"]), fields: document)
    }
}

/// A change that was computed outside the queue of changes, with its preconditions.
struct PreparedChange<Value: Sendable>: Sendable {
    /// The look-ups that it is based on.
    let basis: [Sighting]
    /// The operation that writes the change.
    let write: @Sendable (ObjectStore) throws -> Value

    /// Writes the change; nil when a precondition no longer holds, and it must be computed again.
    func run(in store: ObjectStore) throws -> Value? {
        for sighting in basis {
            guard try store.stillHolds(sighting) else { return nil }
        }
        return try write(store)
    }
}

/// The result of looking up an object.
struct Sighting: Sendable {
    /// The column of the look-up.
    let key: String
    /// The value of the look-up.
    let value: String
    /// The object; nil when there was none.
    let object: StoredObject?
    /// Its document as stored.
    let document: String
}

extension ObjectStore {
    /// Looks up the object with a text in a column, readable or not; `key` is a name of our own.
    func look(for key: String, _ value: String) throws -> Sighting {
        // SQLite would cut a text at a NUL.
        let row = value.utf8.contains(0) ? nil : try Row.fetchOne(db, request(Self.columns, key, value))
        return Sighting(
            key: key, value: value, object: try row.map(StoredObject.init), document: row?["document"] ?? "")
    }

    /// True if the look-up would give the same result; checked without reading the document.
    fileprivate func stillHolds(_ sighting: Sighting) throws -> Bool {
        guard !sighting.value.utf8.contains(0) else { return true }
        let seen = sighting.object
        let isSame = "t0.id = ? AND t0.updatedAt = ? AND t0.document = ?"
        let arguments: StatementArguments = [seen?.row, seen?.updatedAt.milliseconds, sighting.document]
        let found = try Row.fetchOne(db, request(isSame, sighting.key, sighting.value, arguments))
        return found.map { ($0[0] as Bool?) == true } ?? (seen == nil)
    }
}
