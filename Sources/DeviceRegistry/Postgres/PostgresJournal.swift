internal import JSONValue
internal import PostgresClient

/// The journal of one delivery, without its devices.
///
/// Every count but the audience's is told by the rows of batches and devices: senders on several machines share no row
/// that all of them write.
struct PostgresJournal {
    let delivery: String
    let workspace: String
    let environment: String
    let batchSize: Int
    let raisesBadges: Bool
    let isClosed: Bool

    /// The journal of a delivery, which is not closed or opened before the transaction ends; nil when it was not begun.
    ///
    /// One that is there is frozen: its audience and it are written in one transaction.
    ///
    /// - Parameter hold: how the row is held: `SHARE`, or `UPDATE` by what closes or opens it.
    static func find(_ delivery: String, in session: PostgresSession, hold: String = "SHARE") throws -> Self? {
        try session.row(
            """
            SELECT workspace, environment, batchSize, raisesBadges, closedAt IS NOT NULL FROM journal
            WHERE delivery = $1 FOR \(hold)
            """, [.text(delivery)]
        ).map { row in
            PostgresJournal(
                delivery: delivery, workspace: row.text(0) ?? "", environment: row.text(1) ?? "",
                batchSize: Int(row.integer(2) ?? 0), raisesBadges: row.boolean(3), isClosed: row.boolean(4))
        }
    }

    /// The journal of a delivery that must have been begun.
    ///
    /// - Throws: ``RegistryError`` when it was not.
    static func frozen(_ delivery: String, in session: PostgresSession) throws -> Self {
        guard let journal = try find(delivery, in: session) else {
            throw RegistryError(.notFound, "The delivery '\(delivery)' was not begun.")
        }
        return journal
    }

    /// What a delivery has come to; nil when it was never begun.
    static func figures(_ delivery: String, in session: PostgresSession) throws -> JournalFigures? {
        let id = PostgresValue.text(delivery)
        guard
            let row = try session.row(
                "SELECT targets, missed, leftOut, reopenedAt, closedAt IS NOT NULL FROM journal WHERE delivery = $1",
                [id])
        else { return nil }
        var figures = JournalFigures(
            targets: Int(row.integer(0) ?? 0), missed: Int(row.integer(1) ?? 0),
            leftOut: try leftOut(in: row.text(2) ?? "{}"), isClosed: row.boolean(4))
        var lastOutcome = row.integer(3)
        let batches = try session.rows(
            """
            SELECT state, sum(devices)::bigint, sum(accepted)::bigint, max(settledAt) FROM journalBatch
            WHERE delivery = $1 GROUP BY state
            """, [id])
        for row in batches {
            let devices = Int(row.integer(1) ?? 0)
            figures.accepted += Int(row.integer(2) ?? 0)
            if let settled = row.integer(3) { lastOutcome = max(lastOutcome ?? settled, settled) }
            switch row.integer(0).flatMap(BatchState.init) {
            case .fresh: figures.waiting += devices
            case .open: figures.underWay += devices
            case .missed: figures.missed += devices
            case .settled, .givenUp, nil: break
            }
        }
        let targets = try session.rows(
            "SELECT state, reason, count(*) FROM journalTarget WHERE delivery = $1 GROUP BY state, reason", [id])
        for row in targets {
            let devices = Int(row.integer(2) ?? 0)
            switch row.integer(0).flatMap(TargetState.init) {
            case .refused: figures.refused[row.text(1) ?? "", default: 0] += devices
            case .waits: figures.waiting += devices
            case .inDoubt: figures.inDoubt += devices
            case nil: break
            }
        }
        figures.lastOutcomeAt = lastOutcome.map { Timestamp(milliseconds: $0) }
        return figures
    }

    /// Counts by reason as they are stored.
    static func text(of leftOut: [AudienceFigures.LeftOut: Int]) -> String {
        JSONValue.object(
            Dictionary(uniqueKeysWithValues: leftOut.map { ($0.key.rawValue, .integer(Int64($0.value))) })
        ).canonicalText
    }

    private static func leftOut(in text: String) throws -> [AudienceFigures.LeftOut: Int] {
        (try RecordTable.document(text).object ?? [:]).reduce(into: [:]) { counts, entry in
            guard let reason = AudienceFigures.LeftOut(rawValue: entry.key) else { return }
            counts[reason] = entry.value.integer.map { Int($0) }
        }
    }
}
