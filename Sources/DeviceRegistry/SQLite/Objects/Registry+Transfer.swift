package import Base
internal import Push

extension Registry {
    /// Imports objects of another server unchanged, ids and times included, in one transaction.
    ///
    /// Of two versions of an object the one written later stays; of two devices with one token or installation id the
    /// one written later, then the one with the greater id, as long as it exists itself: so the order of transfers does
    /// not matter, and a transfer can be repeated. `progress`, the new value of ``transferProgress(of:)``, is on disk
    /// if, and only if, the objects are; nil leaves that value unchanged.
    ///
    /// - Returns: the outcomes, in the order of the objects.
    /// - Throws: ``RegistryError`` when the database failed; then nothing was written.
    package func transfer(
        _ objects: [TransferredObject], into className: ClassName, progress: TransferProgress? = nil
    ) async throws(RegistryError) -> [TransferOutcome] {
        let drafts = objects.map { object in
            Result { () throws(RegistryError) in try object.draft(in: className) }
        }
        return try await write { db in
            let transfer = ObjectTransfer(db: db, className: className)
            // A class that is empty on the other server is created all the same.
            try db.execute("INSERT INTO class(name) VALUES (?) ON CONFLICT DO NOTHING", [className.name])
            if className.isInstallation {
                // A device that registers meanwhile may have the same token.
                let names = zip(objects, drafts).flatMap { object, draft in
                    (try? draft.get())?.names(transfer.store.table, objectID: object.objectID) ?? []
                }
                try db.hold(["transfer"] + names)
            }
            var outcomes = [TransferOutcome](repeating: .kept, count: objects.count)
            // The newest first: then each object in a chain of rivals moves only once, not with every newer one.
            for index in objects.indices.sorted(by: { objects[$0].isNewer(than: objects[$1], $0 < $1) }) {
                outcomes[index] = try transfer.take(objects[index], drafts[index])
            }
            try Self.write(progress ?? TransferProgress(name: "objects", value: true), in: db)
            return outcomes
        }
    }

    /// Returns the progress of a transfer; nil when none with this name was started in this file.
    ///
    /// - Throws: ``RegistryError`` when the database failed.
    package func transferProgress(of name: String) async throws(RegistryError) -> JSONValue? {
        try await read { db in
            guard try db.hasTable("transfer") else { return nil }
            return try db.text("SELECT progress FROM transfer WHERE name = ?", [name]).flatMap {
                try? JSONValue(parsing: $0, limits: .anyMemory)
            }
        }
    }

    /// Returns the number of transferred devices that are set aside, because a newer registration has their token or
    /// installation id.
    ///
    /// - Throws: ``RegistryError`` when the database failed.
    package func supersededDevices() async throws(RegistryError) -> Int {
        try await read { db in try db.number("SELECT COUNT(*) FROM superseded") }
    }

    /// True if objects of another server have been imported into this file.
    ///
    /// - Throws: ``RegistryError`` when the database failed.
    package func wasFilledFromElsewhere() async throws(RegistryError) -> Bool {
        try await read { db in
            guard try db.hasTable("transfer") else { return false }
            return try db.exists("SELECT 1 FROM transfer LIMIT 1", [])
        }
    }

    /// Writes the progress of a transfer.
    static func write(_ progress: TransferProgress, in db: any RegistryTransaction) throws {
        if db.dialect == .sqlite {
            try db.execute(
                "CREATE TABLE IF NOT EXISTS transfer (name TEXT PRIMARY KEY, progress TEXT NOT NULL)", [])
        }
        try db.execute(
            """
            INSERT INTO transfer(name, progress) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET progress = excluded.progress
            """, [progress.name, progress.value.canonicalText])
    }
}

/// The progress of a transfer, stored together with its objects.
package struct TransferProgress: Hashable, Sendable {
    /// The name of the transfer.
    package let name: String
    /// The state that the transfer needs to continue.
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}

/// Imports objects, within a transaction.
private struct ObjectTransfer {
    let db: any RegistryTransaction
    let className: ClassName

    var store: ObjectStore { ObjectStore(db: db, className: className, access: .master) }

    /// Imports one object; only a failure of the database is thrown.
    func take(_ object: TransferredObject, _ draft: Result<DocumentDraft, RegistryError>) throws -> TransferOutcome {
        do {
            return try write(object, try draft.get())
        } catch {
            guard let refusal = error as? RegistryError, !refusal.isInternal else { throw error }
            let isUnreachable = className.isInstallation && InstallationRules.unreachable(object.fields) == refusal
            return isUnreachable ? .unreachable(refusal) : .refused(refusal)
        }
    }

    private func write(_ object: TransferredObject, _ draft: DocumentDraft) throws -> TransferOutcome {
        let known = try known(object.objectID)
        if let known, known.updatedAt >= object.updatedAt { return .kept }
        func put() throws {
            let written =
                if let known {
                    try store.replace(known, with: draft, at: object.updatedAt)
                } else {
                    try store.insert(draft, objectID: object.objectID, at: object.updatedAt)
                }
            try db.execute("UPDATE \(table) SET createdAt = ? WHERE id = ?", [object.createdAt, written.row])
        }
        if className.isInstallation {
            guard try SupersededDevices(db: db).settle(object, draft, known, put: put) else { return .superseded }
        } else {
            try put()
        }
        return known == nil ? .added : .updated
    }

    private var table: String { ObjectTable(className: className, alias: "t0").name }

    /// Returns the object with an id, without its fields; the statement is prepared once for all objects.
    private func known(_ objectID: String) throws -> StoredObject? {
        var sql = "SELECT id, objectId, createdAt, updatedAt FROM \(table) WHERE objectId = ?"
        var arguments: [any SQLBindable] = [objectID]
        if !className.isInstallation {
            sql += " AND class = ?"
            arguments.append(className.name)
        }
        return try db.row(sql, arguments).map { row in
            StoredObject(
                row: row.integer(0) ?? 0, objectID: row.text(1) ?? "",
                createdAt: row.time(2) ?? Instant(milliseconds: 0), updatedAt: row.time(3) ?? Instant(milliseconds: 0),
                fields: [:])
        }
    }
}

extension TransferredObject {
    /// True if it comes before the other; `isFirst` decides between equal versions of one object.
    fileprivate func isNewer(than other: TransferredObject, _ isFirst: Bool) -> Bool {
        let (mine, others) = ((updatedAt, objectID), (other.updatedAt, other.objectID))
        return mine == others ? isFirst : mine > others
    }

    /// Returns the document to store.
    fileprivate func draft(in className: ClassName) throws(RegistryError) -> DocumentDraft {
        var change = DocumentChange()
        try change.apply(fields)
        if className.isInstallation { change.setDefault("valid", true) }
        return try DocumentDraft(change, in: className)
    }
}
