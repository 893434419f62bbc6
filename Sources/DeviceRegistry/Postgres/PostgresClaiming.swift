internal import PostgresClient

/// Hands out the batches of a delivery, within a transaction: what one sender is about to take, others pass over.
struct PostgresClaiming {
    let session: PostgresSession
    let journal: PostgresJournal
    let claimant: String
    let fence: Int
    let now: Timestamp

    private var id: PostgresValue { .text(journal.delivery) }

    /// Takes a batch that nobody was given yet, else devices whose time to be tried again has come.
    func run() throws -> JournalClaim {
        guard !journal.isClosed else { return .finished }
        if let batch = try fresh() ?? due() { return .batch(batch) }
        let next = try session.row(
            "SELECT min(dueAt) FROM journalTarget WHERE delivery = $1 AND state = $2",
            [id, .integer(TargetState.waits.rawValue)])
        if let next = next?.integer(0) { return .waitUntil(Timestamp(milliseconds: next)) }
        let oldest = try session.row(
            "SELECT min(claimedAt) FROM journalBatch WHERE delivery = $1 AND state = $2 AND claimant <> $3",
            [id, .integer(BatchState.open.rawValue), .text(claimant)])
        if let oldest = oldest?.integer(0) { return .othersAtWork(since: Timestamp(milliseconds: oldest)) }
        // Another sender's transaction may hold the last fresh batch, and may yet be undone.
        let held = try session.row(
            "SELECT 1 FROM journalBatch WHERE delivery = $1 AND state = $2 LIMIT 1",
            [id, .integer(BatchState.fresh.rawValue)])
        return held == nil ? .finished : .othersAtWork(since: now)
    }

    private func fresh() throws -> JournalBatch? {
        let found = try session.row(
            """
            UPDATE journalBatch SET state = $2, claimant = $3, fence = $4, claimedAt = $5
            WHERE delivery = $1 AND number = (
              SELECT number FROM journalBatch WHERE delivery = $1 AND state = $6
              ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING number, profile, tokens
            """,
            [
                id, .integer(BatchState.open.rawValue), .text(claimant), .integer(Int64(fence)),
                .integer(now.milliseconds), .integer(BatchState.fresh.rawValue),
            ])
        guard let found, let number = found.integer(0) else { return nil }
        let tokens = found.texts(2)
        let badges = journal.raisesBadges ? try raiseBadges(of: tokens, in: number) : nil
        return JournalBatch(
            delivery: journal.delivery, number: Int(number), claimant: claimant, profile: found.text(1) ?? "",
            targets: tokens.indices.map { JournalTarget(token: tokens[$0], badge: badges.map { $0 }?[$0]) })
    }

    private func raiseBadges(of tokens: [String], in number: Int64) throws -> [Int] {
        let raised = try PostgresMarks(session).raiseBadges(tokens)
        let badges = tokens.map { raised[$0] ?? 1 }
        try session.execute(
            "UPDATE journalBatch SET badges = $3::bigint[] WHERE delivery = $1 AND number = $2",
            [id, .integer(number), .integers(badges.map { Int64($0) })])
        return badges
    }

    /// Makes a batch of the devices of one profile that waited longest.
    private func due() throws -> JournalBatch? {
        let waits = PostgresValue.integer(TargetState.waits.rawValue)
        let first = try session.row(
            """
            SELECT profile FROM journalTarget WHERE delivery = $1 AND state = $2 AND dueAt <= $3
            ORDER BY dueAt, token LIMIT 1 FOR UPDATE SKIP LOCKED
            """, [id, waits, .integer(now.milliseconds)])
        guard let profile = first?.text(0) else { return nil }
        let rows = try session.rows(
            """
            SELECT token, badge, attempts FROM journalTarget
            WHERE delivery = $1 AND state = $2 AND dueAt <= $3 AND profile = $4
            ORDER BY dueAt, token LIMIT $5 FOR UPDATE SKIP LOCKED
            """,
            [id, waits, .integer(now.milliseconds), .text(profile), .integer(Int64(journal.batchSize))])
        let targets = rows.map { row in
            JournalTarget(
                token: row.text(0) ?? "", badge: journal.raisesBadges ? Int(row.integer(1) ?? 0) : nil,
                attempts: Int(row.integer(2) ?? 0))
        }
        let tokens = PostgresValue.texts(targets.map(\.token))
        try session.execute(
            "DELETE FROM journalTarget WHERE delivery = $1 AND token = ANY ($2::text[])", [id, tokens])
        // Two that take the same number collide, and one tries again.
        let number = try session.row(
            """
            INSERT INTO journalBatch(
              delivery, number, profile, devices, state, claimant, fence, claimedAt, tokens, badges, tries)
            SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6, $7, $8::text[], $9::bigint[], $10::bigint[]
            FROM journalBatch WHERE delivery = $1 RETURNING number
            """,
            [
                id, .text(profile), .integer(Int64(targets.count)), .integer(BatchState.open.rawValue),
                .text(claimant), .integer(Int64(fence)), .integer(now.milliseconds), tokens,
                .integers(rows.map { $0.integer(1) ?? 0 }), .integers(targets.map { Int64($0.attempts) }),
            ])
        return JournalBatch(
            delivery: journal.delivery, number: Int(number?.integer(0) ?? 0), claimant: claimant, profile: profile,
            targets: targets)
    }
}
