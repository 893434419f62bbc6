internal import Foundation
internal import GRDB

extension SQLiteTransaction {
    func journal(of delivery: String, _ hold: RowHold) throws -> JournalRow? {
        try row("SELECT * FROM journal WHERE delivery = ?", [delivery]).map { row in
            JournalRow(
                id: row["id"], delivery: delivery, workspace: row["workspace"], environment: row["environment"],
                batchSize: row["batchSize"], raisesBadges: row["raisesBadges"], freezing: row["freezing"],
                targets: row["targets"], missed: row["missed"], leftOut: row["leftOut"],
                reopenedAt: row.time("reopenedAt"), closedAt: row.time("closedAt"))
        }
    }

    func add(_ journal: JournalRow) throws -> Bool {
        try execute(
            """
            INSERT INTO journal(delivery, workspace, environment, batchSize, raisesBadges, freezing)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(delivery) DO NOTHING
            """,
            [
                journal.delivery, journal.workspace, journal.environment, journal.batchSize, journal.raisesBadges,
                journal.freezing,
            ]) > 0
    }

    func write(_ journal: JournalRow) throws {
        try execute(
            """
            UPDATE journal SET environment = ?, batchSize = ?, raisesBadges = ?, freezing = ?, targets = ?, missed = ?,
              leftOut = ?, reopenedAt = ?, closedAt = ? WHERE id = ?
            """,
            [
                journal.environment, journal.batchSize, journal.raisesBadges, journal.freezing, journal.targets,
                journal.missed, journal.leftOut, journal.reopenedAt?.milliseconds, journal.closedAt?.milliseconds,
                journal.id,
            ])
    }

    func batchSums(of journal: JournalRow) throws -> [BatchSum] {
        try rows(
            """
            SELECT state, SUM(devices), SUM(accepted), SUM(missed), MAX(settledAt) AS settledAt FROM journalBatch
            WHERE journal = ? GROUP BY state
            """, [journal.id]
        ).compactMap { row in
            BatchState(rawValue: row[0]).map {
                BatchSum(
                    state: $0, devices: row[1], accepted: row[2], missed: row[3], settledAt: row.time("settledAt"))
            }
        }
    }

    func targetSums(of journal: JournalRow) throws -> [TargetSum] {
        try rows(
            "SELECT state, coalesce(reason, ''), COUNT(*) FROM journalTarget WHERE journal = ? GROUP BY state, reason",
            [journal.id]
        ).compactMap { row in
            TargetState(rawValue: row[0]).map { TargetSum(state: $0, reason: row[1], devices: row[2]) }
        }
    }

    // MARK: Batches

    func add(_ batches: [BatchRow], to journal: JournalRow) throws {
        for batch in batches {
            try execute(
                """
                INSERT INTO journalBatch(journal, number, profile, devices, state, claimant, fence, claimedAt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    journal.id, batch.number, batch.profile, batch.targets.count, batch.state.rawValue,
                    batch.claim?.claimant, batch.claim?.fence, batch.claim?.at.milliseconds,
                ])
            let id = db.lastInsertedRowID
            try execute(
                "INSERT INTO journalPack(batch, targets) VALUES (?, ?)", [id, Data(batch.targets.bytes)])
            if !batch.tries.isEmpty { try write(batch.tries, of: id) }
        }
    }

    func write(_ tries: TargetTries, of batch: BatchRow, in journal: JournalRow) throws {
        try write(tries, of: batch.id)
    }

    private func write(_ tries: TargetTries, of batch: Int64) throws {
        try execute(
            "INSERT OR REPLACE INTO journalTries(batch, tries) VALUES (?, ?)", [batch, Data(tries.bytes)])
    }

    func lastNumber(in journal: JournalRow) throws -> Int {
        Int(try number("SELECT MAX(number) FROM journalBatch WHERE journal = ?", [journal.id]) ?? 0)
    }

    func takeFresh(of journal: JournalRow, for claim: BatchClaim) throws -> BatchRow? {
        let taken = try number(
            """
            UPDATE journalBatch SET state = \(BatchState.open.rawValue), claimant = ?, fence = ?, claimedAt = ?
            WHERE id = (
              SELECT id FROM journalBatch WHERE journal = ? AND state = \(BatchState.fresh.rawValue)
              ORDER BY number LIMIT 1)
            AND state = \(BatchState.fresh.rawValue) RETURNING id
            """, [claim.claimant, claim.fence, claim.at.milliseconds, journal.id])
        guard let taken else { return nil }
        return try batches("b.id = ?", [taken]).first
    }

    func hasFresh(_ journal: JournalRow) throws -> Bool {
        try number(
            "SELECT 1 FROM journalBatch WHERE journal = ? AND state = \(BatchState.fresh.rawValue) LIMIT 1",
            [journal.id]) != nil
    }

    func batch(_ number: Int, of journal: JournalRow) throws -> BatchRow? {
        try batches("b.journal = ? AND b.number = ?", [journal.id, number]).first
    }

    func open(of journal: JournalRow, before fence: Int?, or instant: Timestamp?) throws -> [BatchRow] {
        try batches(
            "b.journal = ? AND b.state = \(BatchState.open.rawValue) AND (b.fence < ? OR b.claimedAt < ?)",
            [journal.id, fence ?? .min, instant?.milliseconds ?? .min])
    }

    private func batches(_ condition: String, _ arguments: StatementArguments) throws -> [BatchRow] {
        try rows(
            """
            SELECT b.id, b.number, b.profile, b.state, b.claimant, b.fence, b.claimedAt, p.targets, t.tries
            FROM journalBatch AS b LEFT JOIN journalPack AS p ON p.batch = b.id
            LEFT JOIN journalTries AS t ON t.batch = b.id WHERE \(condition) ORDER BY b.number
            """, arguments
        ).compactMap { row in
            let claimant: String? = row[4]
            return try BatchRow(
                id: row[0], number: row[1], profile: row[2], state: row[3],
                claim: claimant.map {
                    BatchClaim(claimant: $0, fence: row[5] ?? 0, at: Timestamp(milliseconds: row[6] ?? 0))
                }, targets: (row[7] as Data?).map(Array.init), tries: (row[8] as Data?).map(Array.init))
        }
    }

    func oldestOpen(of journal: JournalRow, besides claimant: String) throws -> Timestamp? {
        try number(
            """
            SELECT MIN(claimedAt) FROM journalBatch
            WHERE journal = ? AND state = \(BatchState.open.rawValue) AND claimant <> ?
            """, [journal.id, claimant]
        ).map { Timestamp(milliseconds: $0) }
    }

    func end(_ batch: BatchRow, of journal: JournalRow, as ending: BatchEnding) throws {
        try execute(
            "UPDATE journalBatch SET state = ?, settledAt = ?, accepted = ?, missed = ? WHERE id = ?",
            [
                ending.state.rawValue, ending.settledAt?.milliseconds, ending.accepted, ending.missed, batch.id,
            ])
        try execute("DELETE FROM journalPack WHERE batch = ?", [batch.id])
        try execute("DELETE FROM journalTries WHERE batch = ?", [batch.id])
    }

    func missFresh(of journal: JournalRow) throws {
        try execute(
            "UPDATE journalBatch SET state = \(BatchState.missed.rawValue) WHERE journal = ? AND state = ?",
            [journal.id, BatchState.fresh.rawValue])
    }

    func clear(_ journal: JournalRow, all: Bool) throws -> Bool {
        let some = """
            SELECT id FROM journalBatch WHERE journal = ?
            \(all ? "" : "AND state = \(BatchState.missed.rawValue) AND EXISTS (SELECT 1 FROM journalPack WHERE batch = id)")
            LIMIT 200
            """
        let removed = try execute("DELETE FROM journalPack WHERE batch IN (\(some))", [journal.id])
        return try all ? execute("DELETE FROM journalBatch WHERE id IN (\(some))", [journal.id]) > 0 : removed > 0
    }

    // MARK: Devices that were not accepted

    func add(_ targets: [TargetRow], to journal: JournalRow) throws {
        for target in targets {
            try execute(
                """
                INSERT INTO journalTarget(
                  journal, state, profile, token, installation, badge, attempts, dueAt, reason)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    journal.id, target.state.rawValue, target.profile, target.token, target.row, target.badge,
                    target.attempts, target.dueAt?.milliseconds, target.reason,
                ])
        }
    }

    private static let waits = "journal = ? AND state = \(TargetState.waits.rawValue)"

    func takeDue(of journal: JournalRow) throws -> [TargetRow] {
        let due = "\(Self.waits) AND dueAt <= ?"
        let found = try rows(
            """
            SELECT * FROM journalTarget WHERE \(due) AND profile = (
              SELECT profile FROM journalTarget WHERE \(due) ORDER BY dueAt, token LIMIT 1)
            ORDER BY dueAt, token LIMIT ?
            """, [journal.id, now.milliseconds, journal.id, now.milliseconds, journal.batchSize])
        return try found.map { row in
            try execute("DELETE FROM journalTarget WHERE id = ?", [row["id"] as Int64])
            return TargetRow(
                token: row["token"], row: row["installation"], profile: row["profile"], badge: row["badge"],
                attempts: row["attempts"], state: .waits)
        }
    }

    func nextDue(of journal: JournalRow) throws -> Timestamp? {
        try number("SELECT MIN(dueAt) FROM journalTarget WHERE \(Self.waits)", [journal.id])
            .map { Timestamp(milliseconds: $0) }
    }

    func reopenDoubtful(of journal: JournalRow) throws -> Int {
        try execute(
            """
            UPDATE journalTarget SET state = \(TargetState.waits.rawValue), dueAt = ?, reason = NULL
            WHERE journal = ? AND state = \(TargetState.inDoubt.rawValue)
            """, [now.milliseconds, journal.id])
    }

    func removeWaiting(of journal: JournalRow) throws -> Int {
        try execute("DELETE FROM journalTarget WHERE \(Self.waits)", [journal.id])
    }
}
