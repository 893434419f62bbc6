internal import Base
internal import Push

/// The batches of journals.
extension RegistryTransaction {
    func add(_ batches: [BatchRow]) throws {
        try add(
            batches.map { batch in
                [
                    batch.delivery, batch.number, batch.part, batch.profile, batch.targets.count, batch.state.rawValue,
                    batch.claim?.claimant, batch.claim?.fence, batch.claim?.at, SQLValue.bytes(batch.targets.bytes),
                    batch.tries.isEmpty ? SQLValue.null : .bytes(batch.tries.bytes), batch.form,
                    batch.texts.isEmpty ? nil : JSONValue.array(batch.texts.map(JSONValue.init(texts:))).canonicalText,
                ]
            },
            to: """
                journalBatch(
                  delivery, number, part, profile, devices, state, claimant, fence, claimedAt, targets, tries,
                  form, texts)
                """)
    }

    /// Writes the badges and attempts of a batch's devices.
    func writeTries(of batch: BatchRow) throws {
        try execute(
            "UPDATE journalBatch SET tries = ? WHERE delivery = ? AND number = ?",
            [SQLValue.bytes(batch.tries.bytes), batch.delivery, batch.number])
    }

    /// Returns the highest batch number; 0 without batches. When two take the next one they conflict, and one retries.
    func lastNumber(in journal: JournalRow) throws -> Int {
        try rows("SELECT MAX(number) FROM journalBatch WHERE delivery = ?", [journal.delivery]).first?.number(0) ?? 0
    }

    /// Claims a fresh batch of an open part, skipping those that others are about to claim.
    func takeFresh(of journal: JournalRow, upTo part: Int, for claim: BatchClaim) throws -> BatchRow? {
        try batches(
            """
            UPDATE journalBatch SET state = \(BatchState.open.rawValue), claimant = ?, fence = ?, claimedAt = ?
            WHERE delivery = ? AND number = (
              SELECT number FROM journalBatch
              WHERE delivery = ? AND state = \(BatchState.fresh.rawValue) AND part <= ?
              ORDER BY part, number LIMIT 1\(clause(.passing)))
            RETURNING \(BatchRow.columns)
            """, [claim.claimant, claim.fence, claim.at, journal.delivery, journal.delivery, part]
        ).first
    }

    func hasFresh(_ journal: JournalRow, upTo part: Int) throws -> Bool {
        try !rows(
            """
            SELECT 1 FROM journalBatch WHERE delivery = ? AND state = \(BatchState.fresh.rawValue) AND part <= ? LIMIT 1
            """, [journal.delivery, part]
        ).isEmpty
    }

    func batch(_ number: Int, of journal: JournalRow) throws -> BatchRow? {
        try batches(
            """
            SELECT \(BatchRow.columns) FROM journalBatch WHERE delivery = ? AND number = ?\(clause(.changing))
            """, [journal.delivery, number]
        ).first
    }

    /// Returns the open batches of earlier fences, and those claimed before an instant.
    func open(of journal: JournalRow, before fence: Int?, or instant: Instant?) throws -> [BatchRow] {
        try batches(
            """
            SELECT \(BatchRow.columns) FROM journalBatch
            WHERE delivery = ? AND state = \(BatchState.open.rawValue) AND (fence < ? OR claimedAt < ?)
            ORDER BY number\(clause(.changing))
            """,
            [
                journal.delivery, fence.map { Int64($0) } ?? Int64.min, instant ?? Instant(milliseconds: .min),
            ])
    }

    private func batches(_ sql: String, _ values: [any SQLBindable]) throws -> [BatchRow] {
        try rows(sql, values).compactMap(BatchRow.init)
    }

    /// Returns the claim time of the oldest open batch of other claimants.
    func oldestOpen(of journal: JournalRow, besides claimant: String) throws -> Instant? {
        try rows(
            """
            SELECT MIN(claimedAt) FROM journalBatch
            WHERE delivery = ? AND state = \(BatchState.open.rawValue) AND claimant <> ?
            """, [journal.delivery, claimant]
        ).first?.time(0)
    }

    /// Writes the outcome of a batch and clears its devices.
    func end(_ batch: BatchRow, as ending: BatchEnding) throws {
        try execute(
            """
            UPDATE journalBatch SET state = ?, settledAt = ?, accepted = ?, missed = ?, targets = NULL, tries = NULL,
              texts = NULL
            WHERE delivery = ? AND number = ?
            """,
            [
                ending.state.rawValue, ending.settledAt, ending.accepted, ending.missed, batch.delivery, batch.number,
            ])
    }

    /// Marks the fresh batches of a part, or of all, as missed.
    func missFresh(of journal: JournalRow, part: Int?) throws {
        try execute(
            """
            UPDATE journalBatch SET state = \(BatchState.missed.rawValue)
            WHERE delivery = ? AND state = \(BatchState.fresh.rawValue) AND part = coalesce(?, part)
            """, [journal.delivery, part])
    }

    /// Clears the devices of some missed batches; false when none were left.
    func clearMissed(of journal: JournalRow) throws -> Bool {
        try execute(
            """
            UPDATE journalBatch SET targets = NULL, texts = NULL WHERE delivery = ? AND number IN (
              SELECT number FROM journalBatch
              WHERE delivery = ? AND state = \(BatchState.missed.rawValue) AND targets IS NOT NULL LIMIT 200)
            """, [journal.delivery, journal.delivery]) > 0
    }

    /// Removes some batches; false when none were left.
    func removeBatches(of journal: JournalRow) throws -> Bool {
        try execute(
            """
            DELETE FROM journalBatch WHERE delivery = ? AND number IN (
              SELECT number FROM journalBatch WHERE delivery = ? LIMIT 200)
            """, [journal.delivery, journal.delivery]) > 0
    }
}

extension BatchRow {
    fileprivate static let columns =
        "delivery, number, profile, state, claimant, fence, claimedAt, targets, tries, part, form, texts"

    /// Reads ``columns``; nil for a batch in an unknown state.
    ///
    /// - Throws: ``RegistryError`` when its devices are damaged.
    fileprivate init?(_ row: any SQLRow) throws {
        guard let state = row.integer(3).flatMap(BatchState.init) else { return nil }
        let written = state == .fresh || state == .open ? row.bytes(7) : []
        guard let written, let targets = TargetPack(written),
            let tries = TargetTries(written.isEmpty ? nil : row.bytes(8), count: targets.count)
        else { throw RegistryError(internal: "a stored batch is damaged") }
        let texts =
            try written.isEmpty ? nil : row.text(11).map { try JSONValue(stored: $0).array?.map(\.texts) ?? [] }
        guard texts.map({ $0.count == targets.count }) ?? true else {
            throw RegistryError(internal: "the texts of a stored batch are damaged")
        }
        self.init(
            delivery: row.text(0) ?? "", number: row.number(1), part: row.number(9), form: row.number(10),
            profile: row.text(2) ?? "",
            state: state,
            claim: row.text(4).map {
                BatchClaim(claimant: $0, fence: row.number(5), at: row.time(6) ?? Instant(milliseconds: 0))
            }, targets: targets, tries: tries, texts: texts ?? [])
    }
}
