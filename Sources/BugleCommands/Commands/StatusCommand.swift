internal import ArgumentParser
internal import FoundationEssentials
internal import Push
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
            let (all, orders) = try await remote.ledger()
            let ledger = campaigns.isEmpty ? all : try campaigns.flatMap { try remote.deliveries(of: $0, in: all) }
            let stops = campaigns.isEmpty ? orders : orders.of(ledger)
            let now = try await reader.now()
            let rows = try await remote.rows(of: ledger, at: now)
            let report = StatusReport(
                workspace: remote.desired.name, remote: reader.description,
                lastApplied: try await reader.lock()?.lastApplied, now: now, zone: remote.zone, rows: rows,
                stops: stops)
            remote.bench.printing.write(.status(report), as: formats.requested)
            let waitsForPerson =
                !stops.isEmpty || rows.contains { $0.state == .unknown || $0.state.isStopped }
                || ledger.strongest.values.contains { $0.isInDoubt(at: now) }
            return waitsForPerson ? .unknown : .success
        }
    }
}

/// Shows who applied what, when, and to how many.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Shows who applied what, when, and to how many, from the ledger.",
        discussion: """
            EXAMPLES
              bugle history --since 7d
              bugle history --since 365d --format csv=history.csv

            A line a delivery, the newest first: when an apply began it, who last wrote it, the commit and the run. \
            With --format csv it is for spreadsheets.
            """)

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var formats: FormatOptions<HistoryForms>

    @Option(help: ArgumentHelp("How far to look back, such as 24h or 90d. Default: 30d.", valueName: "DURATION"))
    var since: DurationOption?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common, formats: formats.requested) {
            let remote = try await RemoteAccess(common, remote)
            let reader = remote.connected.reader
            let start = try await reader.now() - (since?.duration ?? .seconds(30 * 86_400))
            let all = try await remote.ledger().entries
            let recent = all.filter { $0.intendedAt >= start }
            let earlier = Set(all.map(\.delivery)).subtracting(recent.map(\.delivery))
            let report = HistoryReport(
                workspace: remote.desired.name, remote: reader.description, since: start, earlier: earlier.count,
                zone: remote.zone, rows: try await remote.rows(of: recent))
            remote.bench.printing.write(.history(report), as: formats.requested)
            return .success
        }
    }
}

// MARK: - Deliveries

extension RemoteAccess {
    /// Returns the deliveries of ledger entries, one each, with what the remote knows of them besides, and how a person
    /// closes what is in doubt at `now`.
    ///
    /// - Throws: `RemoteError` when the remote cannot be queried.
    func rows(of ledger: [LedgerEntry], at now: Instant? = nil) async throws -> [StatusReport.Row] {
        let reader = connected.reader
        let strongest = ledger.strongest
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
            if row.reason == nil, let now, entry.isInDoubt(at: now) {
                row.reason = Reason(.answersLost, .count(entry.figures?.inDoubt ?? 0), .text(entry.resolveCommand))
            }
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
