internal import GRDB
internal import JSONValue

/// Writes the audience of a delivery down, within one transaction a step.
///
/// Nothing is sent before the audience is whole, so one that was cut short is begun anew: what is sent is one snapshot.
struct JournalFreezing {
    let db: Database
    let freeze: DeliveryFreeze
    let lease: DeployLease?
    /// Names this try: a step of an earlier one, which a later one took over, writes nothing.
    let attempt: String

    /// Batches of an earlier try that one transaction removes.
    private static let batchesAtOnce = 200

    /// Begins; the figures when the audience was frozen before.
    func begin() throws -> JournalFigures? {
        try LockTable(db: db).check(lease, of: freeze.workspace)
        if let journal = try JournalRow.find(freeze.delivery, in: db) {
            guard journal.workspace == freeze.workspace else {
                throw RegistryError(.valueTaken, "The delivery '\(freeze.delivery)' is another workspace's.")
            }
            guard journal.freezing != nil else { return try JournalRow.figures(freeze.delivery, in: db) }
        }
        try db.execute(
            sql: """
                INSERT INTO journal(delivery, workspace, environment, batchSize, raisesBadges, freezing)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT(delivery) DO UPDATE SET environment = excluded.environment,
                  batchSize = excluded.batchSize, raisesBadges = excluded.raisesBadges, freezing = excluded.freezing
                """,
            arguments: [
                freeze.delivery, freeze.workspace, freeze.environment, freeze.batchSize, freeze.raisesBadges, attempt,
            ])
        return nil
    }

    /// Removes some of what an earlier try left; false when there is nothing more.
    func clear() throws -> Bool {
        let journal = try ours()
        try db.execute(
            sql: """
                DELETE FROM journalPack WHERE batch IN (SELECT id FROM journalBatch WHERE journal = ? LIMIT ?)
                """, arguments: [journal, Self.batchesAtOnce])
        try db.execute(
            sql: "DELETE FROM journalBatch WHERE id IN (SELECT id FROM journalBatch WHERE journal = ? LIMIT ?)",
            arguments: [journal, Self.batchesAtOnce])
        let removed = db.changesCount
        try db.execute(
            sql: "UPDATE journal SET targets = 0, waiting = 0, batches = 0 WHERE id = ?", arguments: [journal])
        return removed > 0
    }

    /// Writes some batches down.
    func add(_ batches: [AudienceFreezer.Batch]) throws {
        let journal = try ours()
        let first = try Int.fetchOne(db, sql: "SELECT batches FROM journal WHERE id = ?", arguments: [journal]) ?? 0
        for (index, batch) in batches.enumerated() {
            try db.cachedStatement(
                sql: "INSERT INTO journalBatch(journal, number, profile, devices, state) VALUES (?, ?, ?, ?, ?)"
            ).execute(
                arguments: [journal, first + index + 1, batch.profile, batch.devices, BatchState.fresh.rawValue])
            try db.cachedStatement(sql: "INSERT INTO journalPack(batch, targets) VALUES (?, ?)")
                .execute(arguments: [db.lastInsertedRowID, batch.pack])
        }
        let devices = batches.reduce(0) { $0 + $1.devices }
        try db.execute(
            sql: """
                UPDATE journal SET batches = batches + ?, targets = targets + ?, waiting = waiting + ? WHERE id = ?
                """, arguments: [batches.count, devices, devices, journal])
    }

    /// Declares the audience whole.
    func finish(_ leftOut: [AudienceFigures.LeftOut: Int]) throws -> JournalFigures {
        try db.execute(
            sql: "UPDATE journal SET freezing = NULL, leftOut = ? WHERE id = ?",
            arguments: [JournalRow.text(of: leftOut), try ours()])
        guard let figures = try JournalRow.figures(freeze.delivery, in: db) else { throw RegistryError.notFound }
        return figures
    }

    private func ours() throws -> Int64 {
        try LockTable(db: db).check(lease, of: freeze.workspace)
        guard let journal = try JournalRow.find(freeze.delivery, in: db), journal.freezing == attempt else {
            throw RegistryError(
                .noEffect, "Another sender freezes the audience of the delivery '\(freeze.delivery)'.")
        }
        return journal.id
    }
}
