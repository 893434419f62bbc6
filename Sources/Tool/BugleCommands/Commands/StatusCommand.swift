internal import ArgumentParser
internal import PushModel
internal import PushReport

/// Shows the deliveries in the ledger, with the remote's figures.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows what was delivered, and the remote's delivery figures.",
        discussion: """
            EXAMPLES
              bugle status
              bugle status welcome --format json
            """)

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var formats: FormatOptions<ReviewForms>

    @Argument(help: ArgumentHelp("Only these campaigns.", valueName: "CAMPAIGN"), completion: WorkspaceNames.campaigns)
    var campaigns: [String] = []

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common, formats: formats.requested) {
            let remote = try await RemoteAccess(common, remote)
            let reader = remote.connected.reader
            let all = try await remote.ledger()
            let ledger = campaigns.isEmpty ? all : try campaigns.flatMap { try remote.deliveries(of: $0, in: all) }
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
                if row.reason == nil, let journal, journal.part == nil { row.reason = journal.text }
                row.events = try await reader.events(of: entry)
                if let request = entry.request, let events = row.events, let variants = row.figures?.variants {
                    row.figures?.variants = request.counting(events, in: variants)
                }
                rows.append(row)
            }
            let report = StatusReport(
                workspace: remote.desired.name, remote: reader.description,
                lastApplied: try await reader.lock()?.lastApplied, now: try await reader.now(), rows: rows)
            remote.bench.printing.write(.status(report), as: formats.requested)
            return rows.contains { $0.state == .unknown } ? .unknown : .success
        }
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
