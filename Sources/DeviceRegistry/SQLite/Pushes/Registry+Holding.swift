package import Push

/// The result of a restore.
package struct RestoreReport: Hashable, Sendable {
    /// The number of pushes held back.
    package let held: Int
    /// The number of scheduled pushes whose time has not come: they will be sent, also those cancelled since the backup.
    package let scheduled: Int
    /// The number of workspaces whose lock was taken.
    package let locked: Int
}

extension Registry {
    /// Holds back every push that may have been sent since the backup that this registry came from: accepted ones that
    /// were not sent, those that were being sent, and scheduled ones whose time has come; and locks the workspaces of
    /// applies, whose ledgers may lack deliveries.
    ///
    /// - Returns: the result.
    /// - Throws: ``RegistryError`` when the database failed; then nothing is held.
    package func holdOverdue(at now: Instant) async throws(RegistryError) -> RestoreReport {
        try await write { db in
            try db.execute(
                """
                UPDATE push SET state = '\(HeldState.prefix)' || state
                WHERE state IN ('queued', '\(PushDelivery.sendingToApple)')
                OR id IN (SELECT push FROM scheduledPush WHERE fireAt <= ?)
                """, [now])
            try db.execute(
                "DELETE FROM scheduledPush WHERE push IN (SELECT id FROM push WHERE \(HeldState.isHeld))", [])
            try Self.lockApplies(at: now, in: db)
            func count(_ table: String) throws -> Int { try db.number("SELECT COUNT(*) FROM " + table) }
            return RestoreReport(
                held: try count("push WHERE \(HeldState.isHeld)"), scheduled: try count("scheduledPush"),
                locked: try count("deployLock") + count("object WHERE class = 'BugleLock'"))
        }
    }

    /// Takes every workspace's lock for good, until `bugle unlock`: an entry written since the backup is lost, and its
    /// campaign would be sent again by the next apply. What servers had claimed is free.
    private static func lockApplies(at now: Instant, in db: any RegistryTransaction) throws {
        let (holder, run) = ("the restore of a backup", "restore-" + ObjectID.object())
        let end = Instant(milliseconds: 253_402_300_799_000)
        try db.execute("DELETE FROM deployLock WHERE workspace LIKE '\(claimPrefix)%'", [])
        try db.execute(
            """
            INSERT INTO deployLock(workspace, holder, run, fence, expiresAt)
            SELECT DISTINCT workspace, '', '', 0, 0 FROM deployRecord WHERE true ON CONFLICT DO NOTHING
            """, [])
        try db.execute(
            "UPDATE deployLock SET holder = ?, run = ?, fence = fence + 1, acquiredAt = ?, expiresAt = ?",
            [holder, run, now, end])
        let locked =
            switch db.dialect {
            case .sqlite:
                """
                json_set(document, '$.holder', ?, '$.run', ?, '$.fence', coalesce(json_extract(document, '$.fence'), 0) + 1,
                '$.acquiredAt', ?, '$.expiresAt', ?)
                """
            case .postgres:
                """
                document || jsonb_build_object('holder', ?::text, 'run', ?::text,
                'fence', coalesce((document ->> 'fence')::bigint, 0) + 1, 'acquiredAt', ?::text, 'expiresAt', ?::text)
                """
            }
        try db.execute(
            "UPDATE object SET document = \(locked) WHERE class = 'BugleLock'", [holder, run, now.isoText, end.isoText])
    }

    /// The beginning of the name of the lock by which one copy of a server claims a push.
    package static let claimPrefix = "push "
}
