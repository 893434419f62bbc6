internal import Base
internal import Push

/// The records and locks of applies.
extension RegistryTransaction {
    /// Returns the id of the database.
    func identity() throws -> String {
        let table =
            switch dialect {
            case .sqlite: "registryIdentity"
            case .postgres: "bugleRegistry"
            }
        guard let id = try rows("SELECT id FROM \(table)", []).first?.text(0) else {
            throw RegistryError(internal: "the registry has lost its id: restore it from a backup")
        }
        return id
    }

    /// Returns all records of a kind, sorted by key.
    func records(_ kind: DeployRecord.Kind, of workspace: String) throws -> [DeployRecord] {
        try rows(
            "SELECT key, document, fence FROM deployRecord WHERE workspace = ? AND kind = ? ORDER BY key",
            [workspace, kind.rawValue]
        ).map { row in
            DeployRecord(
                workspace: workspace, kind: kind, key: row.text(0) ?? "",
                document: try JSONValue(stored: row.text(1) ?? ""), fence: row.number(2))
        }
    }

    /// Returns the number of a kind's records by workspace.
    func tally(_ kind: DeployRecord.Kind) throws -> [String: Int] {
        let counts = try rows(
            "SELECT workspace, COUNT(*) FROM deployRecord WHERE kind = ? GROUP BY workspace", [kind.rawValue])
        return Dictionary(counts.map { ($0.text(0) ?? "", $0.number(1)) }) { $0 + $1 }
    }

    func write(_ record: DeployRecord) throws {
        try execute(
            """
            INSERT INTO deployRecord(workspace, kind, key, document, fence) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (workspace, kind, key) DO UPDATE SET document = excluded.document, fence = excluded.fence
            """,
            [record.workspace, record.kind.rawValue, record.key, record.document.canonicalText, record.fence])
    }

    func remove(_ record: DeployRecord) throws {
        try execute(
            "DELETE FROM deployRecord WHERE workspace = ? AND kind = ? AND key = ?",
            [record.workspace, record.kind.rawValue, record.key])
    }

    /// Returns a workspace's lock; nil when it was never taken.
    func lock(of workspace: String, _ hold: RowHold) throws -> DeployLock? {
        try rows(
            """
            SELECT holder, run, fence, acquiredAt, expiresAt, lastApplied FROM deployLock
            WHERE workspace = ?\(clause(hold))
            """, [workspace]
        ).first.map { row in
            DeployLock(
                holder: row.text(0) ?? "", run: row.text(1) ?? "", fence: row.number(2), acquiredAt: row.time(3),
                expiresAt: row.time(4) ?? Instant(milliseconds: 0),
                lastApplied: try row.text(5).map(JSONValue.init(stored:)))
        }
    }

    /// Returns a workspace's lock to a run that is about to take it; when two are first at the same time, one waits
    /// here.
    func lockToTake(of workspace: String) throws -> DeployLock? {
        try execute(
            """
            INSERT INTO deployLock(workspace, holder, run, fence, expiresAt) VALUES (?, '', '', 0, 0)
            ON CONFLICT (workspace) DO NOTHING
            """, [workspace])
        return try lock(of: workspace, .changing)
    }

    func write(_ lock: DeployLock, of workspace: String) throws {
        try execute(
            """
            UPDATE deployLock SET holder = ?, run = ?, fence = ?, acquiredAt = ?, expiresAt = ?, lastApplied = ?
            WHERE workspace = ?
            """,
            [
                lock.holder, lock.run, lock.fence, lock.acquiredAt, lock.expiresAt, lock.lastApplied?.canonicalText,
                workspace,
            ])
    }
}
