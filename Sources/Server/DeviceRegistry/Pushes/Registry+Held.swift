internal import GRDB
internal import JSONValue
package import PushModel
package import RegistryModel

/// A push that a restore holds back: the old server may have sent it after the backup.
package struct HeldPush: Hashable, Sendable {
    /// The push.
    package let order: PushOrder
    /// The time when it was accepted.
    package let createdAt: Instant
    /// True if the backup was taken while it was being sent to Apple.
    package let hasBegun: Bool
}

/// The result of a restore.
package struct RestoreReport: Hashable, Sendable {
    /// The number of pushes held back.
    package let held: Int
    /// The number of scheduled pushes whose time has not come: they will be sent, also those cancelled since the backup.
    package let scheduled: Int
    /// The number of workspaces whose lock was taken.
    package let locked: Int
}

/// A person's decision on a held push.
package enum HeldDecision: Hashable, Sendable {
    /// The push is sent, unless it has expired.
    case send
    /// The push is never sent.
    case drop
}

/// The states of held pushes: the state before, behind a prefix that nothing else selects.
enum HeldState {
    static let prefix = "held:"
    static let isHeld = "state LIKE '\(prefix)%'"
    static let sending = prefix + PushDelivery.sendingToApple
}

extension Registry {
    /// Holds back every push that may have been sent since the backup: accepted ones that were not sent, those that
    /// were being sent, and scheduled ones whose time has come; and locks the workspaces of applies, whose ledgers may
    /// lack deliveries.
    ///
    /// - Returns: the result.
    func holdOverdue(at now: Instant) async throws(RegistryError) -> RestoreReport {
        try await write { db in
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

    /// Returns the held pushes, the oldest first.
    package func heldPushes() async throws(RegistryError) -> [HeldPush] {
        try await read { db in
            let sql = "SELECT request, createdAt, state FROM push WHERE \(HeldState.isHeld) ORDER BY id"
            return try Row.fetchAll(db, sql: sql).map { row in
                HeldPush(
                    order: try PushDelivery.order(row["request"]),
                    createdAt: Instant(milliseconds: row["createdAt"]), hasBegun: row["state"] == HeldState.sending)
            }
        }
    }

    /// Carries out a decision on a held push; `false` when none has this `objectId`.
    ///
    /// A running server acts on it within ten seconds. A push that had begun continues where its journal ends; when it
    /// is dropped, it expires, so that the server closes its journal and counts what it did reach.
    package func decide(
        _ decision: HeldDecision, onHeld objectID: String, at now: Instant
    ) async throws(RegistryError) -> Bool {
        try await write { db in
            let sql = "SELECT id, request, state FROM push WHERE objectId = ? AND \(HeldState.isHeld)"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [objectID]) else { return false }
            let hasBegun = row["state"] == HeldState.sending
            if decision == .drop, !hasBegun {
                try PushDelivery(row).refuse("It was held back after a restore, and dropped.", at: now, in: db)
                return true
            }
            var request = try PushDelivery.order(row["request"]).json
            if decision == .drop { request["expiresAt"] = .integer(now.milliseconds) }
            try db.execute(
                sql: "UPDATE push SET state = ?, request = ? WHERE id = ?",
                arguments: [
                    hasBegun ? PushDelivery.sendingToApple : "queued", request.canonicalText, row["id"] as Int64,
                ])
            return true
        }
    }

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
                report = try await restored.holdOverdue(at: now)
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
