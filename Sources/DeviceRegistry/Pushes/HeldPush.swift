internal import Base
package import Push

/// A push that a restore holds back: the old server may have sent it after the backup.
package struct HeldPush: Hashable, Sendable {
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
    /// What the record of a push says that counts as sent already.
    static let waiting = "a restore holds it back, until 'bugle-server held' sends or drops it"
}

extension Registry {
    /// Returns the held pushes, the oldest first.
    package func heldPushes() async throws(RegistryError) -> [HeldPush] {
        try await read { db in
            let sql = "SELECT request, createdAt, state FROM push WHERE \(HeldState.isHeld) ORDER BY id"
            return try db.rows(sql, []).map { row in
                HeldPush(
                    order: try PushDelivery.order(row.string(0)), createdAt: row.instant(1),
                    hasBegun: row.text(2) == HeldState.sending)
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
            var request = try PushDelivery.order(row.string(1)).json
            if decision == .drop { request["expiresAt"] = .integer(now.milliseconds) }
            if hasBegun { try PushDelivery(row).wait(nil, for: nil, at: now, in: db) }
            try db.execute(
                "UPDATE push SET state = ?, request = ? WHERE id = ?",
                [hasBegun ? PushDelivery.sendingToApple : "queued", request.canonicalText, row.integer(0)])
            return true
        }
    }
}

// MARK: - Holding

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
            let states = "'\(HeldState.prefix)queued', '\(HeldState.sending)'"
            for row in try db.rows("SELECT id, request FROM push WHERE state IN (\(states))", []) {
                // One that is damaged is held all the same.
                try (try? PushDelivery(row))?.wait(HeldState.waiting, for: nil, at: now, in: db)
            }
            try Self.lockApplies(at: now, in: db)
            func count(_ table: String) throws -> Int { try db.number("SELECT COUNT(*) FROM " + table) }
            return RestoreReport(
                held: try count("push WHERE \(HeldState.isHeld)"), scheduled: try count("scheduledPush"),
                locked: try count("deployLock") + count("object WHERE class = 'BugleLock'"))
        }
    }

    /// Takes every workspace's lock for good, until `bugle unlock`: an entry written since the backup is lost, and its
    /// campaign would be sent again by the next apply. What servers had claimed is free, and nobody could unlock it:
    /// their places have a name that no workspace has, with a space or none at all.
    private static func lockApplies(at now: Instant, in db: any RegistryTransaction) throws {
        let (holder, run) = ("the restore of a backup", "restore-" + ObjectID.object())
        let end = Instant(seconds: Instant.latest.seconds)
        let isOfServers = "(workspace LIKE '% %' OR workspace = '\(DeliveryFreeze.ofServer)')"
        try db.execute("DELETE FROM deployLock WHERE \(isOfServers)", [])
        try db.execute(
            """
            INSERT INTO deployLock(workspace, holder, run, fence, expiresAt)
            SELECT DISTINCT workspace, '', '', 0, 0 FROM deployRecord WHERE NOT \(isOfServers) ON CONFLICT DO NOTHING
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
