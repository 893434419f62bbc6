internal import Foundation
internal import GRDB

/// Hands out the batches of a delivery, within a transaction.
struct JournalClaiming {
    let db: Database
    let journal: JournalRow
    let claimant: String
    let fence: Int
    let now: Timestamp

    /// Takes a batch that nobody was given yet, else devices whose time to be tried again has come.
    func run() throws -> JournalClaim {
        guard !journal.isClosed else { return .finished }
        if let batch = try fresh() ?? due() { return .batch(batch) }
        if let next = try Int64.fetchOne(
            db,
            sql: "SELECT MIN(dueAt) FROM journalTarget WHERE journal = ? AND state = \(TargetState.waits.rawValue)",
            arguments: [journal.id])
        {
            return .waitUntil(Timestamp(milliseconds: next))
        }
        let oldest = try Int64.fetchOne(
            db,
            sql: """
                SELECT MIN(claimedAt) FROM journalBatch
                WHERE journal = ? AND state = \(BatchState.open.rawValue) AND claimant <> ?
                """, arguments: [journal.id, claimant])
        return oldest.map { .othersAtWork(since: Timestamp(milliseconds: $0)) } ?? .finished
    }

    private func fresh() throws -> JournalBatch? {
        let found = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    UPDATE journalBatch SET state = \(BatchState.open.rawValue), claimant = ?, fence = ?, claimedAt = ?
                    WHERE id = (
                      SELECT id FROM journalBatch WHERE journal = ? AND state = \(BatchState.fresh.rawValue)
                      ORDER BY number LIMIT 1)
                    AND state = \(BatchState.fresh.rawValue) RETURNING id, number, profile
                    """), arguments: [claimant, fence, now.milliseconds, journal.id])
        guard let found else { return nil }
        let id: Int64 = found["id"]
        let pack = try JournalPacks(db: db).pack(of: id)
        var targets = (0..<pack.count).map { JournalTarget(token: pack.token($0)) }
        if journal.raisesBadges { try raiseBadges(of: &targets, pack.rows, in: id) }
        return try batch(found["number"], found["profile"], targets)
    }

    private func raiseBadges(of targets: inout [JournalTarget], _ rows: [Int64], in batch: Int64) throws {
        var tries = TargetTries()
        for index in targets.indices {
            let badge = try InstallationMarks(db: db).raiseBadge(targets[index].token, in: rows[index])
            targets[index].badge = badge
            tries.append(badge: badge, attempts: 0)
        }
        try JournalPacks(db: db).write(tries, of: batch)
    }

    /// Makes a batch of the devices of one profile that waited longest.
    private func due() throws -> JournalBatch? {
        let waits = "journal = ? AND state = \(TargetState.waits.rawValue) AND dueAt <= ?"
        let instant: StatementArguments = [journal.id, now.milliseconds]
        guard
            let profile = try String.fetchOne(
                db, sql: "SELECT profile FROM journalTarget WHERE \(waits) ORDER BY dueAt LIMIT 1", arguments: instant)
        else { return nil }
        let rows = try Row.fetchAll(
            db, sql: "SELECT * FROM journalTarget WHERE \(waits) AND profile = ? ORDER BY dueAt, id LIMIT ?",
            arguments: instant + [profile, journal.batchSize])
        var pack = TargetPack(reserving: rows.count)
        var (tries, targets): (TargetTries, [JournalTarget]) = (TargetTries(), [])
        for row in rows {
            let (token, badge, attempts): (String, Int, Int) = (row["token"], row["badge"], row["attempts"])
            pack.append(token: Array(token.utf8), row: row["installation"])
            tries.append(badge: badge, attempts: attempts)
            targets.append(
                JournalTarget(token: token, badge: journal.raisesBadges ? badge : nil, attempts: attempts))
            try db.cachedStatement(sql: "DELETE FROM journalTarget WHERE id = ?")
                .execute(arguments: [row["id"] as Int64])
        }
        let number =
            try Int.fetchOne(
                db, sql: "UPDATE journal SET batches = batches + 1 WHERE id = ? RETURNING batches",
                arguments: [journal.id]) ?? 0
        try db.execute(
            sql: """
                INSERT INTO journalBatch(journal, number, profile, devices, state, claimant, fence, claimedAt)
                VALUES (?, ?, ?, ?, \(BatchState.open.rawValue), ?, ?, ?)
                """,
            arguments: [journal.id, number, profile, targets.count, claimant, fence, now.milliseconds])
        try JournalPacks(db: db).write(pack, tries, of: db.lastInsertedRowID)
        return try batch(number, profile, targets)
    }

    private func batch(_ number: Int, _ profile: String, _ targets: [JournalTarget]) throws -> JournalBatch {
        try JournalChange(waiting: -targets.count, underWay: targets.count).write(to: journal.id, in: db)
        return JournalBatch(
            delivery: journal.delivery, number: number, claimant: claimant, profile: profile, targets: targets)
    }
}
