package import Base
package import Push

/// An object as stored in the database.
package struct StoredObject: Hashable, Sendable {
    package let row: Int64
    /// The id that clients know.
    package let objectID: String
    /// The time of creation.
    package let createdAt: Instant
    /// The time of the last write.
    package let updatedAt: Instant
    /// All other fields, including `ACL`.
    package let fields: JSONObject

    /// The object as clients read it: times are plain strings, and the ACL is only included on request.
    package func json(withACL: Bool = false) -> JSONValue {
        var members = fields
        if !withACL { members["ACL"] = nil }
        members["objectId"] = .string(objectID)
        members["createdAt"] = .string(createdAt.isoText)
        members["updatedAt"] = .string(updatedAt.isoText)
        return .object(members)
    }
}

/// The role of the requester.
package enum Access: Hashable, Sendable {
    /// The holder of the master key, to whom no ACL applies.
    case master
    /// A client with the app key, for whom objects without public read access do not exist.
    case client

    /// Returns SQL that is true for readable objects; nil when all are.
    package func readable(_ alias: String, _ dialect: Dialect) -> SQLText? {
        switch (self, dialect) {
        case (.master, _): nil
        case (.client, .sqlite):
            SQLText(
                sql: """
                    (json_type(\(alias).document, '$.ACL') IS NULL \
                    OR json_extract(\(alias).document, '$.ACL."*".read') = 1)
                    """)
        case (.client, .postgres):
            SQLText(
                sql: """
                    (\(alias).document -> 'ACL' IS NULL \
                    OR coalesce(\(alias).document -> 'ACL' -> '*' -> 'read' = 'true', FALSE))
                    """)
        }
    }

    /// True if an object's ACL grants a right, `read` or `write`, to the requester.
    package func allows(_ right: String, _ object: StoredObject) -> Bool {
        switch self {
        case .master: true
        case .client:
            object.fields["ACL"].map { $0["*"]?[right]?.bool == true } ?? true
        }
    }
}

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
        return try db.number(sql)
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
        return LookUp(key: key, value: value, object: try row.map(StoredObject.init), document: row?.text(4) ?? "")
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
        guard let document = try? JSONValue(parsing: columns.string(4), limits: .anyMemory).object else {
            throw RegistryError(internal: "a document is damaged")
        }
        self.init(
            row: columns.integer(0) ?? 0, objectID: columns.string(1), createdAt: columns.instant(2),
            updatedAt: columns.instant(3), fields: document)
    }
}

/// A change that was computed outside the queue of changes, with its preconditions.
struct PreparedChange<Value: Sendable>: Sendable {
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

struct LookUp: Sendable {
    /// The column of the look-up.
    let key: String
    let value: String
    /// The object; nil when there was none.
    let object: StoredObject?
    /// Its document as stored.
    let document: String
}

// MARK: - Writing

extension ObjectStore {
    func insert(_ draft: DocumentDraft, objectID: String, at now: Instant) throws -> StoredObject {
        let row: Int64
        if className.isInstallation {
            try checkUnique(draft, objectID, isNew: true)
            row = try addDevice(objectID, [now, now, draft.text], draft)
        } else {
            try db.execute("INSERT INTO class(name) VALUES (?) ON CONFLICT DO NOTHING", [className.name])
            row =
                try db.integer(
                    """
                    INSERT INTO object(class, objectId, createdAt, updatedAt, document) VALUES (?, ?, ?, ?, ?)
                    RETURNING id
                    """, [className.name, objectID, now, now, draft.text]) ?? 0
        }
        try greet(draft.fields["deviceToken"])
        try write(draft.relations, owner: objectID)
        return StoredObject(row: row, objectID: objectID, createdAt: now, updatedAt: now, fields: draft.fields)
    }

    private func addDevice(_ objectID: String, _ values: [any SQLBindable], _ draft: DocumentDraft) throws -> Int64 {
        switch db.dialect {
        case .sqlite:
            try db.integer(
                """
                INSERT INTO installation(id, objectId, createdAt, updatedAt, document)
                VALUES (\(Self.nextInstallation), ?, ?, ?, ?) RETURNING id
                """, [objectID] + values) ?? 0
        case .postgres:
            try db.integer(
                """
                INSERT INTO installation(token, objectId, createdAt, updatedAt, document)
                VALUES (?, ?, ?, ?, ?) RETURNING id
                """, [DeviceKey.key(draft.fields, objectID: objectID), objectID] + values) ?? 0
        }
    }

    /// The number for a device that is added to SQLite. Numbers of removed devices are not reused: an earlier audience,
    /// an inbox and a scan's cursor refer to devices by number.
    static let nextInstallation = """
        (SELECT max(used.installation, coalesce((SELECT MAX(id) FROM installation), 0)) + 1 FROM rowUsed AS used)
        """

    /// Writes an object's fields.
    func replace(_ object: StoredObject, with draft: DocumentDraft, at now: Instant) throws -> StoredObject {
        if className.isInstallation, draft.fields["deviceToken"] != object.fields["deviceToken"] {
            try db.rememberTokens(where: "t0.id = ?", [object.row])
        }
        if db.dialect == .postgres, className.isInstallation {
            try checkUnique(draft, object.objectID, isNew: false)
            try db.execute(
                "UPDATE installation SET token = ?, updatedAt = ?, document = ? WHERE token = ? AND id = ?",
                [
                    DeviceKey.key(draft.fields, objectID: object.objectID), now, draft.text,
                    try tokenKey(of: object), object.row,
                ])
        } else {
            try removeTwin(of: object, with: draft)
            try db.execute(
                "UPDATE \(table.name) SET updatedAt = ?, document = ? WHERE id = ?", [now, draft.text, object.row])
        }
        if draft.fields["deviceToken"] != object.fields["deviceToken"] { try greet(draft.fields["deviceToken"]) }
        try write(draft.relations, owner: object.objectID)
        return StoredObject(
            row: object.row, objectID: object.objectID, createdAt: object.createdAt, updatedAt: now,
            fields: draft.fields)
    }

    /// Returns the primary key of a device in PostgreSQL; it is read if the object came without its fields.
    private func tokenKey(of object: StoredObject) throws -> String {
        guard object.fields.isEmpty else { return DeviceKey.key(object.fields, objectID: object.objectID) }
        return try db.text("SELECT token FROM installation WHERE id = ?", [object.row]) ?? ""
    }

    /// Removes an object and its relations.
    func remove(_ object: StoredObject) throws {
        if className.isInstallation { try db.rememberTokens(where: "t0.id = ?", [object.row]) }
        try db.execute("DELETE FROM \(table.name) WHERE id = ?", [object.row])
        try db.execute("DELETE FROM relation WHERE ownerClass = ? AND ownerId = ?", [className.name, object.objectID])
    }

    /// Checks that no other device has an identifier; SQLite's indexes do that, and PostgreSQL's tables are spread by
    /// the token. The names must be held: ``PreparedChange/names``.
    private func checkUnique(_ draft: DocumentDraft, _ objectID: String, isNew: Bool) throws {
        guard db.dialect == .postgres else { return }
        let key = DeviceKey.key(draft.fields, objectID: objectID)
        let id = draft.fields["installationId"]?.string ?? ""
        let isTaken = try db.exists(
            """
            SELECT 1 FROM installation WHERE (token = ? OR installationId = ?\(isNew ? " OR objectId = ?" : ""))
            \(isNew ? "" : "AND objectId <> ?") LIMIT 1
            """, [key, id.isEmpty ? SQLValue.null : .text(id), objectID])
        if isTaken { throw RegistryError.valueTaken }
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
                ? """
                INSERT INTO relation(ownerClass, ownerId, key, targetClass, targetId) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """
                : """
                DELETE FROM relation
                WHERE ownerClass = ? AND ownerId = ? AND key = ? AND targetClass = ? AND targetId = ?
                """
            try db.execute(sql, [className.name, owner, change.key, change.target.name, change.targetID])
        }
    }
}
