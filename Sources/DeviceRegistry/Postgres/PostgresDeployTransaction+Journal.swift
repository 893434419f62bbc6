internal import PostgresClient

extension PostgresDeployTransaction {
    func journal(of delivery: String, _ hold: RowHold) throws -> JournalRow? {
        try session.row(
            """
            SELECT workspace, environment, batchSize, raisesBadges, freezing, targets, missed, leftOut, reopenedAt, closedAt
            FROM journal WHERE delivery = $1\(hold.clause)
            """, [.text(delivery)]
        ).map { row in
            JournalRow(
                delivery: delivery, workspace: row.text(0) ?? "", environment: row.text(1) ?? "",
                batchSize: row.number(2), raisesBadges: row.boolean(3), freezing: row.text(4), targets: row.number(5),
                missed: row.number(6), leftOut: row.text(7) ?? "{}", reopenedAt: row.time(8), closedAt: row.time(9))
        }
    }

    func add(_ journal: JournalRow) throws -> Bool {
        // Of two that freeze one delivery one waits here until the other is done.
        try session.execute(
            """
            INSERT INTO journal(delivery, workspace, environment, batchSize, raisesBadges, freezing)
            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (delivery) DO NOTHING
            """,
            [
                .text(journal.delivery), .text(journal.workspace), .text(journal.environment),
                .integer(Int64(journal.batchSize)), .boolean(journal.raisesBadges), PostgresValue(journal.freezing),
            ]) > 0
    }

    func write(_ journal: JournalRow) throws {
        try session.execute(
            """
            UPDATE journal SET environment = $2, batchSize = $3, raisesBadges = $4, freezing = $5, targets = $6, missed = $7,
              leftOut = $8, reopenedAt = $9, closedAt = $10 WHERE delivery = $1
            """,
            [
                .text(journal.delivery), .text(journal.environment), .integer(Int64(journal.batchSize)),
                .boolean(journal.raisesBadges), PostgresValue(journal.freezing), .integer(Int64(journal.targets)),
                .integer(Int64(journal.missed)), .text(journal.leftOut),
                PostgresValue(journal.reopenedAt?.milliseconds), PostgresValue(journal.closedAt?.milliseconds),
            ])
    }

    func batchSums(of journal: JournalRow) throws -> [BatchSum] {
        try session.rows(
            """
            SELECT state, sum(devices)::bigint, sum(accepted)::bigint, sum(missed)::bigint, max(settledAt)
            FROM journalBatch WHERE delivery = $1 GROUP BY state
            """, [.text(journal.delivery)]
        ).compactMap { row in
            row.integer(0).flatMap(BatchState.init).map {
                BatchSum(
                    state: $0, devices: row.number(1), accepted: row.number(2), missed: row.number(3),
                    settledAt: row.time(4))
            }
        }
    }

    func targetSums(of journal: JournalRow) throws -> [TargetSum] {
        try session.rows(
            "SELECT state, reason, count(*) FROM journalTarget WHERE delivery = $1 GROUP BY state, reason",
            [.text(journal.delivery)]
        ).compactMap { row in
            row.integer(0).flatMap(TargetState.init).map {
                TargetSum(state: $0, reason: row.text(1) ?? "", devices: row.number(2))
            }
        }
    }

    // MARK: Batches

    func add(_ batches: [BatchRow], to journal: JournalRow) throws {
        try session.copy(
            batches.map { batch in
                [
                    .text(journal.delivery), .integer(Int64(batch.number)), .text(batch.profile),
                    .integer(Int64(batch.targets.count)), .integer(batch.state.rawValue),
                    PostgresValue(batch.claim?.claimant), PostgresValue(batch.claim.map { Int64($0.fence) }),
                    PostgresValue(batch.claim?.at.milliseconds), .bytes(batch.targets.bytes),
                    batch.tries.isEmpty ? .null : .bytes(batch.tries.bytes),
                ]
            },
            into: "journalBatch(delivery, number, profile, devices, state, claimant, fence, claimedAt, targets, tries)")
    }

    func write(_ tries: TargetTries, of batch: BatchRow, in journal: JournalRow) throws {
        try session.execute(
            "UPDATE journalBatch SET tries = $3 WHERE delivery = $1 AND number = $2",
            key(batch, journal) + [.bytes(tries.bytes)])
    }

    /// Two that take the same next number collide, and one tries again.
    func lastNumber(in journal: JournalRow) throws -> Int {
        Int(try number("SELECT max(number) FROM journalBatch WHERE delivery = $1", [.text(journal.delivery)]) ?? 0)
    }

    func takeFresh(of journal: JournalRow, for claim: BatchClaim) throws -> BatchRow? {
        try session.row(
            """
            UPDATE journalBatch SET state = \(BatchState.open.rawValue), claimant = $2, fence = $3, claimedAt = $4
            WHERE delivery = $1 AND number = (
              SELECT number FROM journalBatch WHERE delivery = $1 AND state = \(BatchState.fresh.rawValue)
              ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING \(Self.columns)
            """,
            [
                .text(journal.delivery), .text(claim.claimant), .integer(Int64(claim.fence)),
                .integer(claim.at.milliseconds),
            ]
        ).flatMap(Self.batch)
    }

    func hasFresh(_ journal: JournalRow) throws -> Bool {
        try number(
            "SELECT 1 FROM journalBatch WHERE delivery = $1 AND state = \(BatchState.fresh.rawValue) LIMIT 1",
            [.text(journal.delivery)]) != nil
    }

    func batch(_ number: Int, of journal: JournalRow) throws -> BatchRow? {
        try session.row(
            "SELECT \(Self.columns) FROM journalBatch WHERE delivery = $1 AND number = $2 FOR UPDATE",
            [.text(journal.delivery), .integer(Int64(number))]
        ).flatMap(Self.batch)
    }

    func open(of journal: JournalRow, before fence: Int?, or instant: Timestamp?) throws -> [BatchRow] {
        try session.rows(
            """
            SELECT \(Self.columns) FROM journalBatch
            WHERE delivery = $1 AND state = \(BatchState.open.rawValue) AND (fence < $2 OR claimedAt < $3)
            ORDER BY number FOR UPDATE
            """,
            [
                .text(journal.delivery), .integer(fence.map { Int64($0) } ?? .min),
                .integer(instant?.milliseconds ?? .min),
            ]
        ).compactMap(Self.batch)
    }

    private static let columns = "number, profile, state, claimant, fence, claimedAt, targets, tries"

    private static func batch(_ row: PostgresRow) throws -> BatchRow? {
        let claim = row.text(3).map { claimant in
            BatchClaim(
                claimant: claimant, fence: row.number(4), at: row.time(5) ?? Timestamp(milliseconds: 0))
        }
        return try BatchRow(
            number: row.number(0), profile: row.text(1) ?? "", state: row.integer(2) ?? -1, claim: claim,
            targets: row.bytes(6), tries: row.bytes(7))
    }

    private func key(_ batch: BatchRow, _ journal: JournalRow) -> [PostgresValue] {
        [.text(journal.delivery), .integer(Int64(batch.number))]
    }

    func oldestOpen(of journal: JournalRow, besides claimant: String) throws -> Timestamp? {
        try number(
            """
            SELECT min(claimedAt) FROM journalBatch
            WHERE delivery = $1 AND state = \(BatchState.open.rawValue) AND claimant <> $2
            """, [.text(journal.delivery), .text(claimant)]
        ).map { Timestamp(milliseconds: $0) }
    }

    func end(_ batch: BatchRow, of journal: JournalRow, as ending: BatchEnding) throws {
        try session.execute(
            """
            UPDATE journalBatch SET state = $3, settledAt = $4, accepted = $5, missed = $6, targets = NULL, tries = NULL
            WHERE delivery = $1 AND number = $2
            """,
            key(batch, journal) + [
                .integer(ending.state.rawValue), PostgresValue(ending.settledAt?.milliseconds),
                .integer(Int64(ending.accepted)), .integer(Int64(ending.missed)),
            ])
    }

    func missFresh(of journal: JournalRow) throws {
        try session.execute(
            """
            UPDATE journalBatch SET state = \(BatchState.missed.rawValue), targets = NULL
            WHERE delivery = $1 AND state = \(BatchState.fresh.rawValue)
            """, [.text(journal.delivery)])
    }

    /// Nothing is ever left: what is cut short is undone, and what is missed goes at once.
    func clear(_ journal: JournalRow, all: Bool) throws -> Bool { false }

    // MARK: Devices that were not accepted

    func add(_ targets: [TargetRow], to journal: JournalRow) throws {
        try session.copy(
            targets.map { target in
                [
                    .text(journal.delivery), .text(target.token), .text(target.profile),
                    .integer(target.state.rawValue), .integer(Int64(target.badge)), .integer(Int64(target.attempts)),
                    PostgresValue(target.dueAt?.milliseconds), PostgresValue(target.reason),
                ]
            }, into: "journalTarget(delivery, token, profile, state, badge, attempts, dueAt, reason)")
    }

    private static let waits = "delivery = $1 AND state = \(TargetState.waits.rawValue)"

    func takeDue(of journal: JournalRow) throws -> [TargetRow] {
        let instant = [PostgresValue.text(journal.delivery), .integer(now.milliseconds)]
        let due = "\(Self.waits) AND dueAt <= $2"
        let first = try session.row(
            """
            SELECT profile FROM journalTarget WHERE \(due) ORDER BY dueAt, token LIMIT 1 FOR UPDATE SKIP LOCKED
            """, instant)
        guard let profile = first?.text(0) else { return [] }
        let rows = try session.rows(
            """
            SELECT token, badge, attempts FROM journalTarget WHERE \(due) AND profile = $3
            ORDER BY dueAt, token LIMIT $4 FOR UPDATE SKIP LOCKED
            """, instant + [.text(profile), .integer(Int64(journal.batchSize))])
        let targets = rows.map { row in
            TargetRow(
                token: row.text(0) ?? "", row: 0, profile: profile, badge: row.number(1), attempts: row.number(2),
                state: .waits)
        }
        try session.execute(
            "DELETE FROM journalTarget WHERE delivery = $1 AND token = ANY ($2::text[])",
            [instant[0], .texts(targets.map(\.token))])
        return targets
    }

    func nextDue(of journal: JournalRow) throws -> Timestamp? {
        try number("SELECT min(dueAt) FROM journalTarget WHERE \(Self.waits)", [.text(journal.delivery)])
            .map { Timestamp(milliseconds: $0) }
    }

    func reopenDoubtful(of journal: JournalRow) throws -> Int {
        try session.execute(
            """
            UPDATE journalTarget SET state = \(TargetState.waits.rawValue), dueAt = $2, reason = NULL
            WHERE delivery = $1 AND state = \(TargetState.inDoubt.rawValue)
            """, [.text(journal.delivery), .integer(now.milliseconds)])
    }

    func removeWaiting(of journal: JournalRow) throws -> Int {
        try session.execute("DELETE FROM journalTarget WHERE \(Self.waits)", [.text(journal.delivery)])
    }
}
