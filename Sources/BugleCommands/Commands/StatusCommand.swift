internal import ArgumentParser
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
            let all = try await remote.ledger()
            let ledger = campaigns.isEmpty ? all : try campaigns.flatMap { try remote.deliveries(of: $0, in: all) }
            let rows = try await remote.rows(of: ledger)
            let report = StatusReport(
                workspace: remote.desired.name, remote: reader.description,
                lastApplied: try await reader.lock()?.lastApplied, now: try await reader.now(), zone: remote.zone,
                rows: rows)
            remote.bench.printing.write(.status(report), as: formats.requested)
            return rows.contains { $0.state == .unknown } ? .unknown : .success
        }
    }
}
