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
    /// were being sent, and scheduled ones whose time has come.
    ///
    /// - Returns: the number of held pushes.
    func holdOverdue(at now: Instant) async throws(RegistryError) -> Int {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE push SET state = '\(HeldState.prefix)' || state
                    WHERE state IN ('queued', '\(PushDelivery.sendingToApple)')
                    OR id IN (SELECT push FROM scheduledPush WHERE fireAt <= ?)
                    """, arguments: [now.milliseconds])
            try db.execute(
                sql: "DELETE FROM scheduledPush WHERE push IN (SELECT id FROM push WHERE \(HeldState.isHeld))")
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM push WHERE \(HeldState.isHeld)") ?? 0
        }
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
    /// A running server sends it within ten seconds; one that had begun continues where its journal ends.
    package func decide(
        _ decision: HeldDecision, onHeld objectID: String, at now: Instant
    ) async throws(RegistryError) -> Bool {
        try await write { db in
            let sql = "SELECT id, request, state FROM push WHERE objectId = ? AND \(HeldState.isHeld)"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [objectID]) else { return false }
            switch decision {
            case .drop: try PushDelivery(row).refuse("It was held back after a restore, and dropped.", at: now, in: db)
            case .send:
                let state = row["state"] == HeldState.sending ? PushDelivery.sendingToApple : "queued"
                try db.execute(
                    sql: "UPDATE push SET state = ? WHERE id = ?", arguments: [state, row["id"] as Int64])
            }
            return true
        }
    }

    /// Puts a backup in the place of a registry's file, and holds back the pushes that may have been sent since.
    ///
    /// The copy is checked and gets its name last. An existing file is kept beside it, its name followed by
    /// `.before-` and the time.
    ///
    /// - Parameters:
    ///   - backup: a copy made by ``backUp(_:to:replacing:)``.
    ///   - path: the registry's file, which no process may serve.
    ///   - isReplacing: true to replace an existing file.
    ///   - now: the time; pushes due until then are held.
    /// - Returns: the number of held pushes.
    /// - Throws: ``RegistryError``; then the file is as it was.
    package static func restore(
        _ backup: String, to path: String, replacing isReplacing: Bool, at now: Instant
    ) async throws(RegistryError) -> Int {
        let owner = RegistryOwner(of: path)
        try owner.take()
        defer { owner.giveBack() }
        let draft = path + ".restoring"
        for ending in [""] + logEndings { try remove(draft + ending) }
        _ = try backUp(backup, to: draft)
        let restored = try Registry.open(path: draft)
        do throws(RegistryError) {
            let held = try await restored.holdOverdue(at: now)
            try await restored.checkpoint()
            restored.close()
            try move(draft, to: path, keeping: isReplacing ? path + ".before-" + now.isoText : nil)
            return held
        } catch {
            restored.close()
            for ending in [""] + logEndings { try? remove(draft + ending) }
            throw error
        }
    }
}
