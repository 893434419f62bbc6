internal import JSONValue
internal import PostgresClient

/// The locks of workspaces, within a transaction.
struct PostgresLocks {
    private let session: PostgresSession

    init(_ session: PostgresSession) {
        self.session = session
    }

    /// A workspace's lock; nil when it was never taken.
    ///
    /// - Parameter suffix: how the row is held until the transaction ends.
    func lock(of workspace: String, _ suffix: String = "") throws -> DeployLock? {
        let row = try session.row(
            """
            SELECT holder, run, fence, acquiredAt, expiresAt, lastApplied FROM deployLock WHERE workspace = $1\(suffix)
            """, [.text(workspace)])
        return try row.map { row in
            DeployLock(
                holder: row.text(0) ?? "", run: row.text(1) ?? "", fence: Int(row.integer(2) ?? 0),
                acquiredAt: row.integer(3).map { Timestamp(milliseconds: $0) },
                expiresAt: Timestamp(milliseconds: row.integer(4) ?? 0),
                lastApplied: try row.text(5).map(RecordTable.document))
        }
    }

    /// Stops a write whose lease is lost; else nobody takes the lock before the transaction ends.
    ///
    /// - Parameter holds: whether the lock stays as it is until then; its holder cannot renew it meanwhile.
    /// - Throws: ``RegistryError/lockLost``.
    func check(_ lease: DeployLease?, of workspace: String, holds: Bool = true) throws {
        guard let lease else { return }
        let row = try session.row(
            """
            SELECT 1 FROM deployLock WHERE workspace = $1 AND run = $2 AND fence = $3\(holds ? " FOR SHARE" : "")
            """,
            [.text(lease.workspace), .text(lease.run), .integer(Int64(lease.fence))])
        guard row != nil, lease.workspace == workspace, !lease.run.isEmpty else { throw RegistryError.lockLost }
    }

    /// Tries once to take the lock; a run that has it already prolongs it.
    func acquire(_ workspace: String, holder: String, run: String, at now: Timestamp) throws -> DeployLockAttempt {
        guard !run.isEmpty else { throw RegistryError(.other, "A run that takes a lock has a name.") }
        // Of two that come first one waits here for the other.
        try session.execute(
            """
            INSERT INTO deployLock(workspace, holder, run, fence, expiresAt) VALUES ($1, '', '', 0, 0)
            ON CONFLICT (workspace) DO NOTHING
            """, [.text(workspace)])
        guard let known = try lock(of: workspace, " FOR UPDATE") else { throw RegistryError.lockLost }
        if !known.run.isEmpty, known.run != run, known.expiresAt > now { return .held(known, now: now) }
        let lease = DeployLease(
            workspace: workspace, run: run, fence: known.run == run ? known.fence : known.fence + 1)
        let until = now.advanced(bySeconds: LockTable.lifetimeInSeconds)
        try session.execute(
            """
            UPDATE deployLock SET holder = $2, run = $3, fence = $4, acquiredAt = $5, expiresAt = $6
            WHERE workspace = $1
            """,
            [
                .text(workspace), .text(holder), .text(run), .integer(Int64(lease.fence)), .integer(now.milliseconds),
                .integer(until.milliseconds),
            ])
        return .acquired(lease, until: until)
    }

    /// Prolongs a lock; nil when it is lost.
    func renew(_ lease: DeployLease, at now: Timestamp) throws -> Timestamp? {
        let until = now.advanced(bySeconds: LockTable.lifetimeInSeconds)
        let changed = try session.execute(
            "UPDATE deployLock SET expiresAt = $4 WHERE run <> '' AND workspace = $1 AND run = $2 AND fence = $3",
            [
                .text(lease.workspace), .text(lease.run), .integer(Int64(lease.fence)), .integer(until.milliseconds),
            ])
        return changed > 0 ? until : nil
    }

    /// Frees a lock that is still ours.
    func release(_ lease: DeployLease, lastApplied: JSONValue?, at now: Timestamp) throws {
        try session.execute(
            """
            UPDATE deployLock SET run = '', expiresAt = $4, lastApplied = coalesce($5, lastApplied)
            WHERE run <> '' AND workspace = $1 AND run = $2 AND fence = $3
            """,
            [
                .text(lease.workspace), .text(lease.run), .integer(Int64(lease.fence)), .integer(now.milliseconds),
                PostgresValue(lastApplied?.canonicalText),
            ])
    }

    /// Frees the lock of a fence; false when it is another's or free.
    func unlock(_ workspace: String, fence: Int, at now: Timestamp) throws -> Bool {
        try session.execute(
            "UPDATE deployLock SET run = '', expiresAt = $3 WHERE run <> '' AND workspace = $1 AND fence = $2",
            [.text(workspace), .integer(Int64(fence)), .integer(now.milliseconds)]) > 0
    }
}
