internal import Foundation
internal import GRDB

/// Writes down what became of devices, within a transaction.
struct JournalSettling {
    let db: Database
    let journal: JournalRow
    let now: Timestamp

    /// Settles a batch; false when it was given up.
    func settle(_ batch: JournalBatch, _ failures: [TargetFailure]) throws -> Bool {
        let known = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT id, state, claimant FROM journalBatch WHERE journal = ? AND number = ?"),
            arguments: [journal.id, batch.number])
        guard let known, let state = BatchState(rawValue: known["state"]), known["claimant"] == batch.claimant else {
            return false
        }
        switch state {
        case .open: break
        // Its answer was lost on the way.
        case .settled: return true
        case .fresh, .givenUp, .missed: return false
        }
        let id: Int64 = known["id"]
        let packs = JournalPacks(db: db)
        let pack = try packs.pack(of: id)
        try record(failures, pack, try packs.tries(of: id, count: pack.count), batch.profile)
        try end(id, .settled)
        return true
    }

    private func record(
        _ failures: [TargetFailure], _ pack: TargetPack, _ tries: TargetTries, _ profile: String
    ) throws {
        let failed = Set(failures.map(\.index))
        guard failed.count == failures.count, failed.allSatisfy({ (0..<pack.count).contains($0) }) else {
            throw RegistryError(internal: "a batch's failures do not fit its devices")
        }
        let marks = InstallationMarks(db: db)
        let proven = ProvenTokens(db: db, environment: journal.environment)
        var change = JournalChange(underWay: -pack.count, accepted: pack.count - failed.count, outcomeAt: now)
        for failure in failures {
            let (token, row) = (pack.token(failure.index), pack.rows[failure.index])
            var (state, dueAt) = (TargetState.refused, Timestamp?.none)
            switch failure.ending {
            case .refused: break
            case .dead(let since): try marks.markDead(token, in: row, since: since, at: now)
            case .deadIfProven: try marks.markDead(token, in: row, ifProven: proven, at: now)
            case .again(let after): (state, dueAt) = (.waits, after)
            case .inDoubt: state = .inDoubt
            }
            switch state {
            case .refused: change.refused[failure.reason, default: 0] += 1
            case .inDoubt: change.inDoubt += 1
            case .waits where journal.isClosed:
                change.missed += 1
                continue
            case .waits: change.waiting += 1
            }
            try add(token, row, tries[failure.index], state, profile, dueAt, failure.reason)
        }
        try proven.add(pack, except: failed)
        try change.write(to: journal.id, in: db)
    }

    /// Gives up the open batches of earlier fences, and those that were claimed earlier than `before`.
    func giveUp(fence: Int?, before: Timestamp?) throws {
        let batches = try Row.fetchAll(
            db,
            sql: """
                SELECT id, profile FROM journalBatch
                WHERE journal = ? AND state = \(BatchState.open.rawValue) AND (fence < ? OR claimedAt < ?)
                """, arguments: [journal.id, fence ?? .min, before?.milliseconds ?? .min])
        let packs = JournalPacks(db: db)
        for batch in batches {
            let id: Int64 = batch["id"]
            let pack = try packs.pack(of: id)
            let tries = try packs.tries(of: id, count: pack.count)
            for index in 0..<pack.count {
                try add(pack.token(index), pack.rows[index], tries[index], .inDoubt, batch["profile"], nil, nil)
            }
            try end(id, .givenUp)
            try JournalChange(underWay: -pack.count, inDoubt: pack.count).write(to: journal.id, in: db)
        }
    }

    /// Makes the devices in doubt wait for another try; a closed delivery is open again then.
    func reopenDoubtful() throws {
        try db.execute(
            sql: """
                UPDATE journalTarget SET state = \(TargetState.waits.rawValue), dueAt = ?, reason = NULL
                WHERE journal = ? AND state = \(TargetState.inDoubt.rawValue)
                """, arguments: [now.milliseconds, journal.id])
        let devices = db.changesCount
        guard devices > 0 else { return }
        try JournalChange(waiting: devices, inDoubt: -devices, outcomeAt: now).write(to: journal.id, in: db)
        try db.execute(sql: "UPDATE journal SET closedAt = NULL WHERE id = ?", arguments: [journal.id])
    }

    /// Ends a delivery: what waits is missed, and of an audience that is not whole yet what was written down.
    func close() throws {
        guard !journal.isClosed else { return }
        try db.execute(
            sql: "UPDATE journalBatch SET state = \(BatchState.missed.rawValue) WHERE journal = ? AND state = ?",
            arguments: [journal.id, BatchState.fresh.rawValue])
        try db.execute(
            sql: "DELETE FROM journalTarget WHERE journal = ? AND state = \(TargetState.waits.rawValue)",
            arguments: [journal.id])
        try db.execute(
            sql:
                "UPDATE journal SET missed = missed + waiting, waiting = 0, freezing = NULL, closedAt = ? WHERE id = ?",
            arguments: [now.milliseconds, journal.id])
    }

    /// Removes some of the devices that a closed delivery never sent to; false when there are no more.
    func clearMissed() throws -> Bool {
        try db.execute(
            sql: """
                DELETE FROM journalPack WHERE batch IN (
                  SELECT pack.batch FROM journalPack AS pack JOIN journalBatch AS b ON b.id = pack.batch
                  WHERE b.journal = ? AND b.state = \(BatchState.missed.rawValue) LIMIT 200)
                """, arguments: [journal.id])
        return db.changesCount > 0
    }

    private func end(_ batch: Int64, _ state: BatchState) throws {
        try db.cachedStatement(sql: "UPDATE journalBatch SET state = ? WHERE id = ?")
            .execute(arguments: [state.rawValue, batch])
        try JournalPacks(db: db).remove(batch)
    }

    private func add(
        _ token: String, _ row: Int64, _ tried: (badge: Int, attempts: Int), _ state: TargetState,
        _ profile: String, _ dueAt: Timestamp?, _ reason: String?
    ) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO journalTarget(
                  journal, state, profile, token, installation, badge, attempts, dueAt, reason)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                journal.id, state.rawValue, profile, token, row, tried.badge, tried.attempts + 1, dueAt?.milliseconds,
                reason,
            ])
    }
}
