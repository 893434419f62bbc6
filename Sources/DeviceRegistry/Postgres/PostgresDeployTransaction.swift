internal import JSONValue
internal import PostgresClient

/// A transaction with a registry in PostgreSQL.
struct PostgresDeployTransaction: DeployTransaction {
    let session: PostgresSession
    let now: Timestamp

    func identity() throws -> String {
        guard let id = try session.row("SELECT id FROM bugleRegistry")?.text(0) else {
            throw RegistryError(internal: "the registry has lost its id: restore it from a backup")
        }
        return id
    }

    func number(_ sql: String, _ values: [PostgresValue]) throws -> Int64? {
        try session.row(sql, values)?.integer(0)
    }

    // MARK: Records and locks

    func records(_ kind: DeployRecord.Kind, of workspace: String) throws -> [DeployRecord] {
        try session.rows(
            "SELECT key, document, fence FROM deployRecord WHERE workspace = $1 AND kind = $2 ORDER BY key",
            [.text(workspace), .text(kind.rawValue)]
        ).map { row in
            DeployRecord(
                workspace: workspace, kind: kind, key: row.text(0) ?? "",
                document: try DeployMachine.document(row.text(1) ?? ""), fence: row.number(2))
        }
    }

    func write(_ record: DeployRecord) throws {
        try session.execute(
            """
            INSERT INTO deployRecord(workspace, kind, key, document, fence) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (workspace, kind, key) DO UPDATE SET document = excluded.document, fence = excluded.fence
            """,
            [
                .text(record.workspace), .text(record.kind.rawValue), .text(record.key),
                .text(record.document.canonicalText), .integer(Int64(record.fence)),
            ])
    }

    func remove(_ record: DeployRecord) throws {
        try session.execute(
            "DELETE FROM deployRecord WHERE workspace = $1 AND kind = $2 AND key = $3",
            [.text(record.workspace), .text(record.kind.rawValue), .text(record.key)])
    }

    func lock(of workspace: String, _ hold: RowHold) throws -> DeployLock? {
        let row = try session.row(
            """
            SELECT holder, run, fence, acquiredAt, expiresAt, lastApplied FROM deployLock
            WHERE workspace = $1\(hold.clause)
            """, [.text(workspace)])
        return try row.map { row in
            DeployLock(
                holder: row.text(0) ?? "", run: row.text(1) ?? "", fence: row.number(2), acquiredAt: row.time(3),
                expiresAt: row.time(4) ?? Timestamp(milliseconds: 0),
                lastApplied: try row.text(5).map(DeployMachine.document))
        }
    }

    func lockToTake(of workspace: String) throws -> DeployLock? {
        try session.execute(
            """
            INSERT INTO deployLock(workspace, holder, run, fence, expiresAt) VALUES ($1, '', '', 0, 0)
            ON CONFLICT (workspace) DO NOTHING
            """, [.text(workspace)])
        return try lock(of: workspace, .changing)
    }

    func write(_ lock: DeployLock, of workspace: String) throws {
        try session.execute(
            """
            UPDATE deployLock SET holder = $2, run = $3, fence = $4, acquiredAt = $5, expiresAt = $6, lastApplied = $7
            WHERE workspace = $1
            """,
            [
                .text(workspace), .text(lock.holder), .text(lock.run), .integer(Int64(lock.fence)),
                PostgresValue(lock.acquiredAt?.milliseconds), .integer(lock.expiresAt.milliseconds),
                PostgresValue(lock.lastApplied?.canonicalText),
            ])
    }
}

extension RowHold {
    /// What a `SELECT` ends with.
    var clause: String {
        switch self {
        case .free: ""
        case .shared: " FOR SHARE"
        case .changing: " FOR UPDATE"
        }
    }
}

extension PostgresRow {
    /// The whole number of a column; 0 for `NULL`.
    func number(_ column: Int) -> Int { integer(column).map { Int($0) } ?? 0 }

    /// The instant of a column; nil for `NULL`.
    func time(_ column: Int) -> Timestamp? { integer(column).map { Timestamp(milliseconds: $0) } }
}
