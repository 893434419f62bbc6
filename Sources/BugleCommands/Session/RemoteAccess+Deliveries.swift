internal import FoundationEssentials
internal import Push
internal import PushReport

extension RemoteAccess {
    /// Returns the deliveries of ledger entries, one each, with what the remote knows of them besides.
    ///
    /// - Throws: `RemoteError` when the remote cannot be queried.
    func rows(of ledger: [LedgerEntry]) async throws -> [StatusReport.Row] {
        let reader = connected.reader
        let strongest = Dictionary(ledger.map { ($0.delivery, $0) }) { $0.outranks($1) ? $0 : $1 }
        var rows: [StatusReport.Row] = []
        for entry in strongest.values.sorted(by: Self.precedes) {
            let record = await Self.record(of: entry, reader)
            let journal = entry.state.isUnderWay ? try? await reader.journal(of: entry) : nil
            let figures =
                journal.map { Self.figures(of: $0, entry) }
                ?? record.flatMap { $0.isDone ? $0.figures : nil }
            var row = StatusReport.Row(of: entry, figures: figures)
            row.wait = record?.wait
            row.part = journal?.part
            if row.reason == nil, let journal, journal.part == nil { row.reason = journal.reason }
            row.events = try await reader.events(of: entry)
            if let request = entry.request, let events = row.events, let variants = row.figures?.variants {
                row.figures?.variants = request.counting(events, in: variants)
            }
            rows.append(row)
        }
        return rows
    }

    /// The clock of the times that people read: of the policy's quiet hours, else this machine's.
    var zone: ZoneClock? {
        desired.policy.quietHours.flatMap { ZoneClock($0.timeZone) } ?? ZoneClock(TimeZone.current.identifier)
    }

    /// The service's record of a delivery's push; nil when it is gone.
    private static func record(of entry: LedgerEntry, _ reader: any RemoteReading) async -> PushRecord? {
        guard entry.state == .sent || entry.state == .scheduled, let id = entry.objectID else { return nil }
        return try? await reader.record(objectID: id)
    }

    /// The figures of a delivery under way, from its journal.
    private static func figures(of journal: JournalState, _ entry: LedgerEntry) -> DeliveryFigures {
        var figures = entry.figures ?? DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0)
        figures.devices = journal.targets
        figures.successes = journal.answered - journal.refused
        figures.inDoubt = journal.inDoubt
        if let standing = journal.standing {
            figures.invalidTokens = standing.variants.reduce(0) { $0 + $1.answers.deadTokens }
            figures.variants = standing.variants
        }
        return figures
    }

    private static func precedes(_ lhs: LedgerEntry, _ rhs: LedgerEntry) -> Bool {
        let days = (lhs.occurrence.date?.text ?? "", rhs.occurrence.date?.text ?? "")
        if (lhs.campaign, days.0) != (rhs.campaign, days.1) { return (lhs.campaign, days.0) < (rhs.campaign, days.1) }
        return (lhs.revision, lhs.delivery) < (rhs.revision, rhs.delivery)
    }
}
