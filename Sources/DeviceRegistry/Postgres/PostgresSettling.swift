internal import PostgresClient

/// Writes down what became of devices, within a transaction.
struct PostgresSettling {
    let session: PostgresSession
    let journal: PostgresJournal
    let now: Timestamp

    private var id: PostgresValue { .text(journal.delivery) }

    /// A device of a batch, and what was written of it when the batch was claimed.
    private struct Tried {
        let token: String
        let badge: Int
        let attempts: Int
    }

    /// A device that was not accepted, on its way into its row.
    private struct Outcome {
        let target: Tried
        let state: TargetState
        var dueAt: Timestamp?
        var reason: String?
    }

    /// Settles a batch; false when it was given up.
    func settle(_ batch: JournalBatch, _ failures: [TargetFailure]) throws -> Bool {
        let key = [id, .integer(Int64(batch.number))]
        let known = try session.row(
            """
            SELECT state, claimant, tokens, badges, tries FROM journalBatch WHERE delivery = $1 AND number = $2 FOR UPDATE
            """, key)
        guard let known, let state = known.integer(0).flatMap(BatchState.init),
            known.text(1) == batch.claimant
        else { return false }
        switch state {
        case .open: break
        // Its answer was lost on the way.
        case .settled: return true
        case .fresh, .givenUp, .missed: return false
        }
        let targets = Self.targets(in: known, from: 2)
        try record(failures, targets, batch.profile)
        try session.execute(
            """
            UPDATE journalBatch SET state = $3, settledAt = $4, accepted = $5, tokens = NULL, badges = NULL, tries = NULL
            WHERE delivery = $1 AND number = $2
            """,
            key + [
                .integer(BatchState.settled.rawValue), .integer(now.milliseconds),
                .integer(Int64(targets.count - failures.count)),
            ])
        return true
    }

    private func record(_ failures: [TargetFailure], _ targets: [Tried], _ profile: String) throws {
        let failed = Set(failures.map(\.index))
        guard failed.count == failures.count, failed.allSatisfy(targets.indices.contains) else {
            throw RegistryError(internal: "a batch's failures do not fit its devices")
        }
        let marks = PostgresMarks(session)
        var (dead, suspects): ([(token: String, since: Timestamp?)], [String]) = ([], [])
        var (outcomes, missed): ([Outcome], Int) = ([], 0)
        for failure in failures {
            let target = targets[failure.index]
            var outcome = Outcome(target: target, state: .refused, reason: failure.reason)
            switch failure.ending {
            case .refused: break
            case .dead(let since): dead.append((target.token, since))
            case .deadIfProven: suspects.append(target.token)
            case .again where journal.isClosed:
                missed += 1
                continue
            case .again(let after):
                outcome = Outcome(target: target, state: .waits, dueAt: after, reason: failure.reason)
            case .inDoubt: outcome = Outcome(target: target, state: .inDoubt, reason: failure.reason)
            }
            outcomes.append(outcome)
        }
        dead += try marks.proven(among: suspects, in: journal.environment).sorted().map { ($0, nil) }
        try marks.markDead(dead, at: now)
        try add(outcomes, profile)
        if missed > 0 {
            try session.execute(
                "UPDATE journal SET missed = missed + $2 WHERE delivery = $1", [id, .integer(Int64(missed))])
        }
        try marks.prove(
            targets.indices.filter { !failed.contains($0) }.map { targets[$0].token }, in: journal.environment)
    }

    /// Gives up the open batches of earlier fences, and those that were claimed earlier than `before`.
    func giveUp(fence: Int?, before: Timestamp?) throws {
        let batches = try session.rows(
            """
            UPDATE journalBatch SET state = $2 WHERE delivery = $1 AND state = $3 AND (fence < $4 OR claimedAt < $5)
            RETURNING number, profile, tokens, badges, tries
            """,
            [
                id, .integer(BatchState.givenUp.rawValue), .integer(BatchState.open.rawValue),
                .integer(fence.map { Int64($0) } ?? .min), .integer(before?.milliseconds ?? .min),
            ])
        for batch in batches {
            try add(Self.targets(in: batch, from: 2).map { Outcome(target: $0, state: .inDoubt) }, batch.text(1) ?? "")
        }
        try session.execute(
            """
            UPDATE journalBatch SET tokens = NULL, badges = NULL, tries = NULL
            WHERE delivery = $1 AND number = ANY ($2::bigint[])
            """, [id, .integers(batches.compactMap { $0.integer(0) })])
    }

    /// Makes the devices in doubt wait for another try; a closed delivery is open again then.
    func reopenDoubtful() throws {
        let devices = try session.execute(
            "UPDATE journalTarget SET state = $2, dueAt = $3, reason = NULL WHERE delivery = $1 AND state = $4",
            [
                id, .integer(TargetState.waits.rawValue), .integer(now.milliseconds),
                .integer(TargetState.inDoubt.rawValue),
            ])
        guard devices > 0 else { return }
        try session.execute(
            "UPDATE journal SET closedAt = NULL, reopenedAt = $2 WHERE delivery = $1", [id, .integer(now.milliseconds)])
    }

    /// Ends a delivery: what waits is missed.
    func close() throws {
        guard !journal.isClosed else { return }
        try session.execute(
            "UPDATE journalBatch SET state = $2, tokens = NULL WHERE delivery = $1 AND state = $3",
            [
                id, .integer(BatchState.missed.rawValue), .integer(BatchState.fresh.rawValue),
            ])
        let missed = try session.execute(
            "DELETE FROM journalTarget WHERE delivery = $1 AND state = $2",
            [id, .integer(TargetState.waits.rawValue)])
        try session.execute(
            "UPDATE journal SET missed = missed + $2, closedAt = $3 WHERE delivery = $1",
            [id, .integer(Int64(missed)), .integer(now.milliseconds)])
    }

    private static func targets(in row: PostgresRow, from column: Int) -> [Tried] {
        let tokens = row.texts(column)
        let (badges, tries) = (row.integers(column + 1), row.integers(column + 2))
        return tokens.indices.map { index in
            Tried(
                token: tokens[index], badge: badges.flatMap { $0.indices.contains(index) ? $0[index] : nil } ?? 0,
                attempts: tries.flatMap { $0.indices.contains(index) ? $0[index] : nil } ?? 0)
        }
    }

    private func add(_ outcomes: [Outcome], _ profile: String) throws {
        guard !outcomes.isEmpty else { return }
        try session.copy(
            outcomes.map { outcome in
                [
                    id, .text(outcome.target.token), .text(profile), .integer(outcome.state.rawValue),
                    .integer(Int64(outcome.target.badge)), .integer(Int64(outcome.target.attempts + 1)),
                    PostgresValue(outcome.dueAt?.milliseconds), PostgresValue(outcome.reason),
                ]
            }, into: "journalTarget(delivery, token, profile, state, badge, attempts, dueAt, reason)")
    }
}
