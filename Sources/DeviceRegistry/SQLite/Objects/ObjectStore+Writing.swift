internal import Base
internal import Push

extension ObjectStore {
    /// Adds an object.
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
