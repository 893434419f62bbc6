internal import GRDB
internal import JSONValue

/// A transaction with a registry's file; there is one that writes at a time, so that no row needs to be held.
struct SQLiteTransaction: DeployTransaction {
    let db: Database
    let now: Timestamp

    func identity() throws -> String {
        guard let id = try String.fetchOne(db, sql: "SELECT id FROM registryIdentity") else {
            throw RegistryError(internal: "the registry has lost its id: restore it from a backup")
        }
        return id
    }

    /// Runs a statement that is kept prepared; how many rows it changed.
    @discardableResult
    func execute(_ sql: String, _ arguments: StatementArguments) throws -> Int {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
        return db.changesCount
    }

    func number(_ sql: String, _ arguments: StatementArguments) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    func rows(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
        try Row.fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    // MARK: Records and locks

    func records(_ kind: DeployRecord.Kind, of workspace: String) throws -> [DeployRecord] {
        try rows(
            "SELECT key, document, fence FROM deployRecord WHERE workspace = ? AND kind = ? ORDER BY key",
            [workspace, kind.rawValue]
        ).map { row in
            DeployRecord(
                workspace: workspace, kind: kind, key: row[0], document: try DeployMachine.document(row[1]),
                fence: row[2])
        }
    }

    func write(_ record: DeployRecord) throws {
        try execute(
            "INSERT OR REPLACE INTO deployRecord(workspace, kind, key, document, fence) VALUES (?, ?, ?, ?, ?)",
            [record.workspace, record.kind.rawValue, record.key, record.document.canonicalText, record.fence])
    }

    func remove(_ record: DeployRecord) throws {
        try execute(
            "DELETE FROM deployRecord WHERE workspace = ? AND kind = ? AND key = ?",
            [record.workspace, record.kind.rawValue, record.key])
    }

    func lock(of workspace: String, _ hold: RowHold) throws -> DeployLock? {
        try row("SELECT * FROM deployLock WHERE workspace = ?", [workspace]).map { row in
            DeployLock(
                holder: row["holder"], run: row["run"], fence: row["fence"], acquiredAt: row.time("acquiredAt"),
                expiresAt: Timestamp(milliseconds: row["expiresAt"]),
                lastApplied: try (row["lastApplied"] as String?).map(DeployMachine.document))
        }
    }

    func lockToTake(of workspace: String) throws -> DeployLock? { try lock(of: workspace, .changing) }

    func write(_ lock: DeployLock, of workspace: String) throws {
        try execute(
            """
            INSERT OR REPLACE INTO deployLock(workspace, holder, run, fence, acquiredAt, expiresAt, lastApplied)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                workspace, lock.holder, lock.run, lock.fence, lock.acquiredAt?.milliseconds,
                lock.expiresAt.milliseconds, lock.lastApplied?.canonicalText,
            ])
    }
}

extension Row {
    /// The instant of a column; nil for `NULL`.
    func time(_ column: String) -> Timestamp? {
        (self[column] as Int64?).map { Timestamp(milliseconds: $0) }
    }
}
