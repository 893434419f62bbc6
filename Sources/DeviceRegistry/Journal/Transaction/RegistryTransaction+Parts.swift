internal import Push

/// The parts of deliveries.
extension RegistryTransaction {
    /// Returns the parts of a journal, in the order in which they open; none for an undivided one.
    func parts(of journal: JournalRow) throws -> [PartRow] {
        try rows(
            """
            SELECT number, opensAt, devices, unplaced, missed, closedAt, verdict FROM journalPart
            WHERE delivery = ? ORDER BY number
            """, [journal.delivery]
        ).map { row in
            PartRow(
                number: row.number(0), opensAt: row.time(1), devices: row.number(2), unplaced: row.number(3),
                missed: row.number(4), closedAt: row.time(5), verdict: row.text(6))
        }
    }

    func add(_ parts: [PartRow], to journal: JournalRow) throws {
        try add(
            parts.map { [journal.delivery, $0.number, $0.opensAt, $0.devices, $0.unplaced] },
            to: "journalPart(delivery, number, opensAt, devices, unplaced)")
    }

    func write(_ part: PartRow, of journal: JournalRow) throws {
        try execute(
            "UPDATE journalPart SET opensAt = ?, missed = ?, closedAt = ?, verdict = ? WHERE delivery = ? AND number = ?",
            [part.opensAt, part.missed, part.closedAt, part.verdict, journal.delivery, part.number])
    }

    func removeParts(of journal: JournalRow) throws {
        try execute("DELETE FROM journalPart WHERE delivery = ?", [journal.delivery])
    }

    /// Opens the parts that were closed: a person has found that some of their devices received nothing.
    func reopenParts(of journal: JournalRow) throws {
        try execute("UPDATE journalPart SET closedAt = NULL WHERE delivery = ?", [journal.delivery])
    }

    func isClosed(part: Int, of journal: JournalRow) throws -> Bool {
        guard part > 0 else { return false }
        return try !rows(
            "SELECT 1 FROM journalPart WHERE delivery = ? AND number = ? AND closedAt IS NOT NULL",
            [journal.delivery, part]
        ).isEmpty
    }
}
