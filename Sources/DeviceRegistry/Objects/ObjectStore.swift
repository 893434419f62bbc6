internal import GRDB
internal import JSONValue

/// The objects of one class within a transaction.
struct ObjectStore {
    let db: Database
    let className: ClassName
    let access: Access

    private var table: ObjectTable { ObjectTable(className: className, alias: "t0") }

    static let columns = "t0.id, t0.objectId, t0.createdAt, t0.updatedAt, t0.document"

    /// Whether an object's ACL allows a right, `read` or `write`, to who asks.
    ///
    /// A device that came from another server may have an ACL that names its user. Nobody signs in here: it would lock
    /// the app out of its own registration, so it is kept and not applied.
    func allows(_ right: String, _ object: StoredObject) -> Bool {
        className.isInstallation || access.allows(right, object)
    }

    /// `FROM … WHERE …` for the objects of this class that may be read and that fit.
    func selection(_ clause: SQL) -> SQL {
        var clauses: [SQL] = []
        if !className.isInstallation { clauses.append(SQL(sql: "t0.class = ?", arguments: [className.name])) }
        clauses.append(clause)
        if !className.isInstallation, let readable = access.readable("t0") { clauses.append(readable.literal) }
        return SQL(sql: " FROM \(table.source) WHERE ") + .all(of: clauses)
    }

    /// How many objects of this class may be read and fit.
    func count(_ plan: QueryPlan, wish: (Set<String>) -> Void) throws -> Int {
        let sql: SQL
        if let rows = plan.rows, access.readable("t0") == nil {
            sql = SQL(sql: "SELECT COUNT(*) FROM (") + rows + SQL(sql: ")")
        } else {
            sql = SQL(sql: "SELECT COUNT(*)") + selection(try plan.clause(in: db, wish: wish))
        }
        return try Int.fetchOne(db, SQLRequest<Int>(literal: sql)) ?? 0
    }

    /// Whether the class was ever written to.
    func classExists() throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT 1 FROM class WHERE name = ?", arguments: [className.name]) ?? false
    }

    /// The first object whose column holds a text, whether it may be read or not; `key` is a name of our own.
    func first(_ key: String, _ value: String) throws -> StoredObject? {
        // SQLite would take a text with a NUL in it for the part before.
        guard !value.utf8.contains(0) else { return nil }
        let all = ObjectStore(db: db, className: className, access: .master)
        let selection = all.selection(SQL(sql: "t0.\(key) = ?", arguments: [value]))
        let request = SQLRequest<Row>(literal: SQL(sql: "SELECT \(Self.columns)") + selection, cached: true)
        return try Row.fetchOne(db, request).map(StoredObject.init)
    }

    /// The object of an id, whether it may be read or not.
    func object(_ objectID: String) throws -> StoredObject? {
        try first("objectId", objectID)
    }

    /// Whether an object fits a condition; regular expressions are looked for no longer than `limit`.
    func fits(_ object: StoredObject, _ condition: JSONValue, within limit: Duration) throws -> Bool {
        var translator = ConditionTranslator(className: className, access: access, timeLimit: limit)
        let clause = SQL(sql: "t0.id = ? AND ", arguments: [object.row]) + (try translator.translate(condition))
        return try Row.fetchOne(db, SQLRequest<Row>(literal: SQL(sql: "SELECT 1") + selection(clause))) != nil
    }

    /// Adds an object.
    func insert(_ change: DocumentChange, objectID: String, at now: Timestamp) throws -> StoredObject {
        try check(change.fields)
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO class(name) VALUES (?)")
            .execute(arguments: [className.name])
        let instant = now.milliseconds
        let document = try change.document()
        if className.isInstallation {
            try db.cachedStatement(
                sql: """
                    INSERT INTO installation(id, objectId, createdAt, updatedAt, document)
                    VALUES (\(Schema.nextInstallation), ?, ?, ?, ?)
                    """
            ).execute(arguments: [objectID, instant, instant, document])
        } else {
            try db.cachedStatement(
                sql: "INSERT INTO object(class, objectId, createdAt, updatedAt, document) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [className.name, objectID, instant, instant, document])
        }
        let row = db.lastInsertedRowID
        try greet(change.fields["deviceToken"])
        try write(change.relations, owner: objectID)
        return StoredObject(row: row, objectID: objectID, createdAt: now, updatedAt: now, fields: change.fields)
    }

    /// Writes an object's fields.
    func replace(_ object: StoredObject, with change: DocumentChange, at now: Timestamp) throws -> StoredObject {
        try check(change.fields)
        try db.cachedStatement(sql: "UPDATE \(table.name) SET updatedAt = ?, document = ? WHERE id = ?")
            .execute(arguments: [now.milliseconds, try change.document(), object.row])
        if change.fields["deviceToken"] != object.fields["deviceToken"] { try greet(change.fields["deviceToken"]) }
        try write(change.relations, owner: object.objectID)
        return StoredObject(
            row: object.row, objectID: object.objectID, createdAt: object.createdAt, updatedAt: now,
            fields: change.fields)
    }

    /// Removes an object and its relations.
    func remove(_ object: StoredObject) throws {
        try db.execute(sql: "DELETE FROM \(table.name) WHERE id = ?", arguments: [object.row])
        try db.execute(
            sql: "DELETE FROM relation WHERE ownerClass = ? AND ownerId = ?",
            arguments: [className.name, object.objectID])
    }

    private func check(_ fields: [String: JSONValue]) throws {
        if className.isInstallation { try InstallationRules.check(fields) }
        if className == .user { try UserRules.check(fields) }
    }

    /// A device has come with a token that it did not have before: it is alive.
    private func greet(_ token: JSONValue?) throws {
        guard className.isInstallation, let token = token?.string else { return }
        try DeadTokens(db: db).forgive(token)
    }

    private func write(_ changes: [DocumentChange.RelationChange], owner: String) throws {
        for change in changes {
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
