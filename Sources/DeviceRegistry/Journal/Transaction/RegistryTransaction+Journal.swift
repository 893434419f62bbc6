internal import Push

/// The journals of deliveries.
extension RegistryTransaction {
    func journal(of delivery: String, _ hold: RowHold) throws -> JournalRow? {
        try rows(
            """
            SELECT workspace, environment, batchSize, raisesBadges, freezing, targets, missed, leftOut, reopenedAt, closedAt
            FROM journal WHERE delivery = ?\(clause(hold))
            """, [delivery]
        ).first.map { row in
            JournalRow(
                delivery: delivery, workspace: row.text(0) ?? "", environment: row.text(1) ?? "",
                batchSize: row.number(2), raisesBadges: row.boolean(3), freezing: row.text(4), targets: row.number(5),
                missed: row.number(6), leftOut: row.text(7) ?? "{}", reopenedAt: row.time(8), closedAt: row.time(9))
        }
    }

    /// Adds a journal; false when it exists already. When two freeze the same delivery, one waits here for the other.
    func add(_ journal: JournalRow) throws -> Bool {
        try execute(
            """
            INSERT INTO journal(delivery, workspace, environment, batchSize, raisesBadges, freezing)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (delivery) DO NOTHING
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
              leftOut = ?, reopenedAt = ?, closedAt = ? WHERE delivery = ?
            """,
            [
                journal.environment, journal.batchSize, journal.raisesBadges, journal.freezing, journal.targets,
                journal.missed, journal.leftOut, journal.reopenedAt, journal.closedAt, journal.delivery,
            ])
    }

    /// Removes a journal without batches.
    func remove(_ journal: JournalRow) throws {
        try execute("DELETE FROM journal WHERE delivery = ?", [journal.delivery])
    }

    /// Sums the devices of a journal's batches by part and state.
    func batchSums(of journal: JournalRow) throws -> [BatchSum] {
        try rows(
            """
            SELECT state, part, SUM(devices), SUM(accepted), SUM(missed), MAX(settledAt), form FROM journalBatch
            WHERE delivery = ? GROUP BY state, part, form
            """, [journal.delivery]
        ).compactMap { row in
            row.integer(0).flatMap(BatchState.init).map {
                BatchSum(
                    part: row.number(1), form: row.number(6), state: $0, devices: row.number(2),
                    accepted: row.number(3),
                    missed: row.number(4), settledAt: row.time(5))
            }
        }
    }

    /// Counts the devices that were not accepted, by part, state and reason.
    func targetSums(of journal: JournalRow) throws -> [TargetSum] {
        try rows(
            """
            SELECT state, part, reason, COUNT(*), form FROM journalTarget
            WHERE delivery = ? GROUP BY state, part, reason, form
            """, [journal.delivery]
        ).compactMap { row in
            row.integer(0).flatMap(TargetState.init).map {
                TargetSum(
                    part: row.number(1), form: row.number(4), state: $0, reason: row.text(2) ?? "",
                    devices: row.number(3))
            }
        }
    }
}
