internal import Base
internal import Push

/// The devices of journals that were not accepted.
extension RegistryTransaction {
    func add(_ targets: [TargetRow], to journal: JournalRow) throws {
        try add(
            targets.map { target in
                [
                    journal.delivery, target.token, target.row, target.part, target.profile, target.state.rawValue,
                    target.badge, target.attempts, target.dueAt, target.reason, target.form,
                    target.texts.isEmpty ? nil : JSONValue(texts: target.texts).canonicalText,
                ]
            },
            to: """
                journalTarget(
                  delivery, token, installation, part, profile, state, badge, attempts, dueAt, reason, form, texts)
                """)
    }

    private var waits: String { "delivery = ? AND state = \(TargetState.waits.rawValue)" }

    /// Removes and returns devices that are due: up to one batch with the part, form and profile of the longest-waiting
    /// one.
    func takeDue(of journal: JournalRow) throws -> [TargetRow] {
        let due = "FROM journalTarget WHERE \(waits) AND dueAt <= ?"
        let first = try rows(
            "SELECT part, profile, form \(due) ORDER BY dueAt, token LIMIT 1\(clause(.passing))",
            [journal.delivery, now]
        ).first
        guard let first, let profile = first.text(1) else { return [] }
        let (part, form) = (first.number(0), first.number(2))
        let targets = try rows(
            """
            SELECT token, installation, badge, attempts, texts \(due) AND part = ? AND profile = ? AND form = ?
            ORDER BY dueAt, token LIMIT ?\(clause(.passing))
            """, [journal.delivery, now, part, profile, form, journal.batchSize]
        ).map { row in
            TargetRow(
                token: row.text(0) ?? "", row: row.integer(1) ?? 0, part: part, form: form,
                texts: try row.text(4).map { try JSONValue(stored: $0).texts } ?? [], profile: profile,
                badge: row.number(2),
                attempts: row.number(3), state: .waits)
        }
        try execute(
            "DELETE FROM journalTarget WHERE delivery = ? AND token \(dialect.isOneOf)",
            [journal.delivery, SQLValue.texts(targets.map(\.token))])
        return targets
    }

    func nextDue(of journal: JournalRow) throws -> Instant? {
        try rows("SELECT MIN(dueAt) FROM journalTarget WHERE \(waits)", [journal.delivery]).first?.time(0)
    }

    /// Schedules the devices in doubt for now; returns their number.
    func reopenDoubtful(of journal: JournalRow) throws -> Int {
        try execute(
            """
            UPDATE journalTarget SET state = \(TargetState.waits.rawValue), dueAt = ?, reason = NULL
            WHERE delivery = ? AND state = \(TargetState.inDoubt.rawValue)
            """, [now, journal.delivery])
    }

    /// Removes the waiting devices of a part, or of all; returns their number.
    func removeWaiting(of journal: JournalRow, part: Int?) throws -> Int {
        try execute("DELETE FROM journalTarget WHERE \(waits) AND part = coalesce(?, part)", [journal.delivery, part])
    }
}

extension JSONValue {
    init(texts: [String]) { self = .array(texts.map { .string($0) }) }

    /// The texts of a list.
    var texts: [String] { array?.compactMap(\.string) ?? [] }
}
