internal import GRDB
package import PushModel
package import RegistryModel

/// The result of a restore.
package struct RestoreReport: Hashable, Sendable {
    /// The number of pushes held back.
    package let held: Int
    /// The number of scheduled pushes whose time has not come: they will be sent, also those cancelled since the backup.
    package let scheduled: Int
    /// The number of workspaces whose lock was taken.
    package let locked: Int
}

extension SQLiteDatabase {
    /// Holds back every push that may have been sent since the backup: accepted ones that were not sent, those that
    /// were being sent, and scheduled ones whose time has come; and locks the workspaces of applies, whose ledgers may
    /// lack deliveries.
    ///
    /// - Returns: the result.
    func holdOverdue(at now: Instant) async throws(RegistryError) -> RestoreReport {
        try await change { db in
            try db.execute(
                sql: """
                    UPDATE push SET state = '\(HeldState.prefix)' || state
                    WHERE state IN ('queued', '\(PushDelivery.sendingToApple)')
                    OR id IN (SELECT push FROM scheduledPush WHERE fireAt <= ?)
                    """, arguments: [now.milliseconds])
            try db.execute(
                sql: "DELETE FROM scheduledPush WHERE push IN (SELECT id FROM push WHERE \(HeldState.isHeld))")
            try Self.lockApplies(at: now, in: db)
            func count(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM " + sql) ?? 0 }
            return RestoreReport(
                held: try count("push WHERE \(HeldState.isHeld)"), scheduled: try count("scheduledPush"),
                locked: try count("deployLock") + count("object WHERE class = 'BugleLock'"))
        }
    }

    /// Takes every workspace's lock for good, until `bugle unlock`: an entry written since the backup is lost, and its
    /// campaign would be sent again by the next apply.
    private static func lockApplies(at now: Instant, in db: Database) throws {
        let (holder, run, end) = (
            "the restore of a backup", "restore-" + ObjectID.object(), 253_402_300_799_000 as Int64
        )
        try db.execute(
            sql: """
                INSERT INTO deployLock(workspace, holder, run, fence, expiresAt)
                SELECT DISTINCT workspace, '', '', 0, 0 FROM deployRecord WHERE true ON CONFLICT DO NOTHING
                """)
        try db.execute(
            sql: "UPDATE deployLock SET holder = ?, run = ?, fence = fence + 1, acquiredAt = ?, expiresAt = ?",
            arguments: [holder, run, now.milliseconds, end])
        try db.execute(
            sql: """
                UPDATE object SET document = json_set(
                  document, '$.holder', ?, '$.run', ?, '$.fence', coalesce(json_extract(document, '$.fence'), 0) + 1,
                  '$.acquiredAt', ?, '$.expiresAt', ?)
                WHERE class = 'BugleLock'
                """, arguments: [holder, run, now.isoText, Instant(milliseconds: end).isoText])
    }
}

extension Registry {
    /// Puts a backup in the place of a registry's file, and holds back what may have been sent since.
    ///
    /// The copy is checked and gets its name last. An existing file is kept beside it, its name followed by
    /// `.before-` and the time. The new file belongs to the old one's owner, else to its folder's.
    ///
    /// - Parameters:
    ///   - backup: a copy made by ``backUp(_:to:replacing:)``.
    ///   - path: the registry's file, which no process may have open.
    ///   - isReplacing: true to replace an existing file.
    ///   - now: the time; pushes due until then are held.
    /// - Returns: the result.
    /// - Throws: ``RegistryError``; then the file is as it was.
    package static func restore(
        _ backup: String, to path: String, replacing isReplacing: Bool, at now: Instant
    ) async throws(RegistryError) -> RestoreReport {
        let owner = RegistryOwner(of: path)
        try owner.take()
        defer { owner.giveBack() }
        let draft = path + ".restoring"
        func discard() { for ending in [""] + logEndings { try? remove(draft + ending) } }
        discard()
        do throws(RegistryError) {
            _ = try backUp(backup, to: draft)
            let restored = try Registry.open(path: draft)
            let report: RestoreReport
            do throws(RegistryError) {
                report =
                    try await restored.file?.holdOverdue(at: now) ?? RestoreReport(held: 0, scheduled: 0, locked: 0)
                try await restored.checkpoint()
            } catch {
                restored.close()
                throw error
            }
            restored.close()
            try move(draft, to: path, keeping: isReplacing ? path + ".before-" + now.isoText : nil)
            discard()
            return report
        } catch {
            discard()
            throw error
        }
    }
}
