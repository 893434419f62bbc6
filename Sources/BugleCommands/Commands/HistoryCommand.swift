internal import ArgumentParser
internal import Push
internal import PushReport

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
            let all = try await remote.ledger()
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
