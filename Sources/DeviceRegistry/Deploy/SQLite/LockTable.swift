internal import GRDB
internal import JSONValue

/// The locks of workspaces, within a transaction.
struct LockTable {
    let db: Database

    /// How long a lock holds. Source: apply.md, "Lock".
    static let lifetimeInSeconds: Double = 120

    /// A workspace's lock; nil when it was never taken.
    func lock(of workspace: String) throws -> DeployLock? {
        let sql = "SELECT * FROM deployLock WHERE workspace = ?"
        return try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [workspace]).map { row in
            DeployLock(
                holder: row["holder"], run: row["run"], fence: row["fence"],
                acquiredAt: (row["acquiredAt"] as Int64?).map { Timestamp(milliseconds: $0) },
                expiresAt: Timestamp(milliseconds: row["expiresAt"]),
                lastApplied: try (row["lastApplied"] as String?).map { try RecordTable.document($0) })
        }
    }

    /// Stops a write whose lease is lost.
    ///
    /// - Throws: ``RegistryError/lockLost``.
    func check(_ lease: DeployLease?, of workspace: String) throws {
        guard let lease else { return }
        let isHeld = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM deployLock WHERE workspace = ? AND run = ? AND fence = ?"),
            arguments: [lease.workspace, lease.run, lease.fence])
        guard isHeld == true, lease.workspace == workspace, !lease.run.isEmpty else { throw RegistryError.lockLost }
    }

    /// Tries once to take the lock; a run that has it already prolongs it.
    func acquire(_ workspace: String, holder: String, run: String, at now: Timestamp) throws -> DeployLockAttempt {
        guard !run.isEmpty else { throw RegistryError(.other, "A run that takes a lock has a name.") }
        let known = try lock(of: workspace)
        if let known, !known.run.isEmpty, known.run != run, known.expiresAt > now { return .held(known, now: now) }
        let lease = DeployLease(
            workspace: workspace, run: run, fence: known?.run == run ? known?.fence ?? 1 : (known?.fence ?? 0) + 1)
        let until = now.advanced(bySeconds: Self.lifetimeInSeconds)
        try db.execute(
            sql: """
                INSERT INTO deployLock(workspace, holder, run, fence, acquiredAt, expiresAt) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT(workspace) DO UPDATE SET holder = excluded.holder, run = excluded.run,
                  fence = excluded.fence, acquiredAt = excluded.acquiredAt, expiresAt = excluded.expiresAt
                """,
            arguments: [workspace, holder, run, lease.fence, now.milliseconds, until.milliseconds])
        return .acquired(lease, until: until)
    }

    /// Prolongs a lock; nil when it is lost.
    func renew(_ lease: DeployLease, at now: Timestamp) throws -> Timestamp? {
        let until = now.advanced(bySeconds: Self.lifetimeInSeconds)
        let isOurs = try change(
            "expiresAt = ?", [until.milliseconds], where: "run = ? AND fence = ?", lease.workspace,
            [lease.run, lease.fence])
        return isOurs ? until : nil
    }

    /// Frees a lock that is still ours.
    func release(_ lease: DeployLease, lastApplied: JSONValue?, at now: Timestamp) throws {
        _ = try change(
            "run = '', expiresAt = ?, lastApplied = coalesce(?, lastApplied)",
            [now.milliseconds, lastApplied?.canonicalText], where: "run = ? AND fence = ?", lease.workspace,
            [lease.run, lease.fence])
    }

    /// Frees the lock of a fence; false when it is another's or free.
    func unlock(_ workspace: String, fence: Int, at now: Timestamp) throws -> Bool {
        try change("run = '', expiresAt = ?", [now.milliseconds], where: "fence = ?", workspace, [fence])
    }

    private func change(
        _ values: String, _ arguments: StatementArguments, where condition: String, _ workspace: String,
        _ more: StatementArguments
    ) throws -> Bool {
        try db.execute(
            sql: "UPDATE deployLock SET \(values) WHERE run <> '' AND workspace = ? AND \(condition)",
            arguments: arguments + [workspace] + more)
        return db.changesCount > 0
    }
}
