package import Push

/// The reached sets of deliveries: docs/background/parts.md#the-reached-set.
///
/// Senders on several machines share no row that all of them write, so each batch has a row of its own until the
/// delivery is closed; then there is one for every 65,536 numbers.
extension RegistryTransaction {
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

extension RegistryTransaction {
    /// Records that some of a batch's devices were sent to, in the transaction of its outcome.
    func reach(_ indices: some Sequence<Int>, of batch: BatchRow, in journal: JournalRow, isDoubtful: Bool) throws {
        // Devices that are not registered have no number.
        let numbers = Set(indices.lazy.map { batch.targets.rows[$0] }.filter { $0 > 0 }).sorted()
        let row = ReachedRow(
            numbers, part: batch.part, form: batch.form, number: batch.number, isDoubtful: isDoubtful,
            at: now)
        if let row { try add([row], to: journal) }
    }

    /// Merges the rows of a closed delivery's batches into those of blocks; the set stays the same.
    func packReached(_ delivery: String, under lease: Lease?) throws {
        guard let journal = try journal(of: delivery, .free), journal.closedAt != nil else { return }
        try check(lease, of: journal.workspace)
        guard try hasReachedByBatch(journal) else { return }
        var places: [ReachedIndex.Place: (set: ReachedSet, at: Instant)] = [:]
        for row in try takeReached(of: journal) {
            let (numbers, place) = (try row.numbers(), ReachedIndex.Place(part: row.part, form: row.form))
            places[place, default: (ReachedSet(), row.at)].set.insert(numbers)
            if let at = places[place]?.at, at < row.at { places[place]?.at = row.at }
        }
        for (place, reached) in places.sorted(by: { ($0.key.part, $0.key.form) < ($1.key.part, $1.key.form) }) {
            var rows: [ReachedRow] = []
            reached.set.eachBlock { block, numbers in
                let row = ReachedRow(
                    numbers, part: place.part, form: place.form, number: ReachedRow.number(block, place.form),
                    isDoubtful: false, at: reached.at)
                if let row { rows.append(row) }
            }
            try add(rows, to: journal)
        }
    }

    /// Forgets which installations a workspace's deliveries reached before a time.
    package func forgetReached(before: Instant, of workspace: String, under lease: Lease?) throws {
        try check(lease, of: workspace)
        guard let last = try lastReached(before: before, of: workspace) else { return }
        try noteForgotten(last, of: workspace)
        try forgetReached(before: before, of: workspace)
        try forgetFormerTokens()
    }

    /// Counts, for each installation, the deliveries that were sent to it at a time or later, or that have it in
    /// `others`.
    package func reachCounts(
        of deliveries: Set<String>, since: Instant?, beside others: [String: ReachedSet] = [:]
    ) throws -> ReachCounts {
        var counts = ReachCounts()
        for delivery in deliveries {
            var set = others[delivery] ?? ReachedSet()
            for row in try reached(by: delivery, since: since, holding: nil) {
                set.insert(try row.numbers())
            }
            counts.add(set)
        }
        return counts
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
