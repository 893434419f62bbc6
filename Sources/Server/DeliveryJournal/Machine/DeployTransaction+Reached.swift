internal import PushModel
internal import RegistryModel

/// The reached sets of deliveries: docs/background/parts.md#the-reached-set.
///
/// Senders on several machines share no row that all of them write, so each batch has a row of its own until the
/// delivery is closed; then there is one for every 65,536 numbers.
extension DeployTransaction {
    func add(_ rows: [ReachedRow], to journal: JournalRow) throws {
        try add(
            rows.map { row in
                [
                    journal.delivery, row.part, row.number, row.isDoubtful ? 1 : 0, row.at, row.lowest, row.highest,
                    SQLValue.bytes(row.installations), row.form,
                ]
            }, to: "reached(delivery, part, number, doubtful, reachedAt, lowest, highest, installations, form)")
    }

    /// Returns the rows of a delivery that were written at a time or later, and may hold a number.
    func reached(by delivery: String, since: Instant?, holding number: Int64?) throws -> [ReachedRow] {
        try reached(
            """
            SELECT \(ReachedRow.columns) FROM reached
            WHERE delivery = ? AND reachedAt >= ? AND lowest <= ? AND highest >= ?
            """,
            [delivery, since ?? Instant(milliseconds: .min), number ?? .max, number ?? .min])
    }

    /// Removes and returns the rows of a delivery's accepted devices.
    func takeReached(of journal: JournalRow) throws -> [ReachedRow] {
        try reached(
            "DELETE FROM reached WHERE delivery = ? AND doubtful = 0 RETURNING \(ReachedRow.columns)",
            [journal.delivery])
    }

    /// Returns the keys of a delivery's rows.
    func reachedKeys(by delivery: String) throws -> [ReachedIndex.RowKey] {
        try rows(
            "SELECT part, number, doubtful, reachedAt, length(installations) FROM reached WHERE delivery = ?",
            [delivery]
        ).map { row in
            ReachedIndex.RowKey(
                part: row.number(0), number: row.number(1), isDoubtful: row.number(2) == 1,
                at: row.time(3) ?? Instant(milliseconds: 0), bytes: row.number(4))
        }
    }

    /// Returns the row with a key.
    func reached(by delivery: String, _ key: ReachedIndex.RowKey) throws -> ReachedRow? {
        try reached(
            """
            SELECT \(ReachedRow.columns) FROM reached WHERE delivery = ? AND part = ? AND number = ? AND doubtful = ?
            """, [delivery, key.part, key.number, key.isDoubtful ? 1 : 0]
        ).first
    }

    /// True if the delivery has rows of single batches.
    func hasReachedByBatch(_ journal: JournalRow) throws -> Bool {
        try exists(
            "SELECT 1 FROM reached WHERE delivery = ? AND doubtful = 0 AND number > 0 LIMIT 1", [journal.delivery])
    }

    /// Removes the rows of a delivery's devices in doubt.
    func removeDoubtfulReached(of journal: JournalRow) throws {
        try execute("DELETE FROM reached WHERE delivery = ? AND doubtful = 1", [journal.delivery])
    }

    private var isOld: String {
        "reachedAt < ? AND delivery IN (SELECT delivery FROM journal WHERE workspace = ?)"
    }

    /// Returns the time of the latest row of a workspace's deliveries that was written before a time.
    func lastReached(before: Instant, of workspace: String) throws -> Instant? {
        try row("SELECT MAX(reachedAt) FROM reached WHERE \(isOld)", [before, workspace])?.time(0)
    }

    /// Removes the rows of a workspace's deliveries that were written before a time.
    func forgetReached(before: Instant, of workspace: String) throws {
        try execute("DELETE FROM reached WHERE \(isOld)", [before, workspace])
    }

    private func reached(_ sql: String, _ values: [any SQLBindable]) throws -> [ReachedRow] {
        try rows(sql, values).map { row in
            ReachedRow(
                part: row.number(0), form: row.number(7), number: row.number(1), isDoubtful: row.number(2) == 1,
                at: row.time(3) ?? Instant(milliseconds: 0), lowest: row.integer(4) ?? 0, highest: row.integer(5) ?? 0,
                installations: row.bytes(6) ?? [])
        }
    }
}

/// Installations that a delivery was sent to.
struct ReachedRow {
    let part: Int
    /// The form of the message that they got.
    let form: Int
    /// The number of the batch, or ``number(_:_:)``.
    let number: Int
    /// True when the answers were lost: a person may find that nothing was sent.
    let isDoubtful: Bool
    /// The time of the last outcome.
    let at: Instant
    let lowest: Int64
    let highest: Int64
    /// The numbers, packed by ``NumberSet``.
    let installations: [UInt8]

    fileprivate static let columns = "part, number, doubtful, reachedAt, lowest, highest, installations, form"

    /// The negative number of a row with a block of numbers, of one form.
    static func number(_ block: Int64, _ form: Int) -> Int { Int(-1 - block) - form << 40 }

    init(
        part: Int, form: Int, number: Int, isDoubtful: Bool, at: Instant, lowest: Int64, highest: Int64,
        installations: [UInt8]
    ) {
        self.part = part
        self.form = form
        self.number = number
        self.isDoubtful = isDoubtful
        self.at = at
        self.lowest = lowest
        self.highest = highest
        self.installations = installations
    }

    /// Packs numbers in ascending order; nil for none.
    init?(_ numbers: [Int64], part: Int, form: Int, number: Int, isDoubtful: Bool, at: Instant) {
        guard let lowest = numbers.first, let highest = numbers.last else { return nil }
        self.init(
            part: part, form: form, number: number, isDoubtful: isDoubtful, at: at, lowest: lowest, highest: highest,
            installations: NumberSet.pack(numbers))
    }

    /// The numbers, ascending.
    ///
    /// - Throws: ``RegistryError`` when they are damaged.
    func numbers() throws -> [Int64] {
        guard let numbers = NumberSet.numbers(installations) else {
            throw RegistryError(internal: "a stored reached set is damaged")
        }
        return numbers
    }
}
