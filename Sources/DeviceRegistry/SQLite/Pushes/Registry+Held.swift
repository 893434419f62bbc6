internal import Base
package import Push

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
    /// Returns the held pushes, the oldest first.
    package func heldPushes() async throws(RegistryError) -> [HeldPush] {
        try await read { db in
            let sql = "SELECT request, createdAt, state FROM push WHERE \(HeldState.isHeld) ORDER BY id"
            return try db.rows(sql, []).map { row in
                HeldPush(
                    order: try PushDelivery.order(row.text(0) ?? ""),
                    createdAt: row.time(1) ?? Instant(milliseconds: 0), hasBegun: row.text(2) == HeldState.sending)
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
            let sql =
                "SELECT id, request, state FROM push WHERE objectId = ? AND \(HeldState.isHeld)\(db.clause(.changing))"
            guard let row = try db.row(sql, [objectID]) else { return false }
            let hasBegun = row.text(2) == HeldState.sending
            if decision == .drop, !hasBegun {
                try PushDelivery(row).refuse("It was held back after a restore, and dropped.", at: now, in: db)
                return true
            }
            var request = try PushDelivery.order(row.text(1) ?? "").json
            if decision == .drop { request["expiresAt"] = .integer(now.milliseconds) }
            try db.execute(
                "UPDATE push SET state = ?, request = ? WHERE id = ?",
                [hasBegun ? PushDelivery.sendingToApple : "queued", request.canonicalText, row.integer(0)])
            return true
        }
    }
}
