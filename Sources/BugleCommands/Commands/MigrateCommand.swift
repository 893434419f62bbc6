internal import ArgumentParser
internal import Base
internal import Push

/// Shows the state of a migration from LeanCloud and the next step.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Shows what is done and what is next in the move off LeanCloud.",
        discussion: """
            EXAMPLES
              bugle migrate --from leancloud --to server
              bugle migrate --from leancloud --to server --rehearse

            Looks at the live app, at the new server, at the domain that apps call and at the workspace, and changes \
            nothing anywhere. Run it again after each step: it numbers the steps of the turn, ticks those that are done, \
            and says what to type for the others; the next one is printed last.

            --rehearse looks closer, days before the turn: it compares the audience of every campaign, channel and segment \
            on both sides by number and by ids, and explains each difference by its cause; lets the new server render \
            every campaign that is due for each way that it has, without sending it; and asks for a copy that is less than \
            a minute behind ('bugle-server pull --follow'). Devices that the new server cannot reach are to be dealt with, \
            unless the workspace accepts to lose them (migration.accept).

            Ends with 0 when the domain may be moved, and again when it has been; with 6 while something is left to do \
            before. A remote that cannot be asked, a credential that is wrong or a file with an error has its own code.
            """)

    @Option(
        help: ArgumentHelp("The remote that is LeanCloud's service.", valueName: "REMOTE"),
        completion: WorkspaceNames.remotes)
    var from: String

    @Option(
        help: ArgumentHelp("The remote that is the new server, by an address of its own.", valueName: "REMOTE"),
        completion: WorkspaceNames.remotes)
    var to: String

    @Option(
        help: ArgumentHelp("The domain that apps call, or its address. Default: that of --from.", valueName: "HOST"))
    var domain: String?

    @Flag(help: "Compare every audience by ids, render every campaign that is due, and ask for a copy in step.")
    var rehearse = false

    @Flag(
        name: .customLong("dry-run-vendors"),
        help: "With --rehearse: let FCM and Huawei check each campaign in a dry run, which no device gets.")
    var dryRunsVendors = false

    @OptionGroup var formats: FormatOptions<PlainForms>

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if from == to { throw ValidationError("--from and --to name the same remote") }
        if dryRunsVendors, !rehearse { throw ValidationError("--dry-run-vendors needs --rehearse") }
    }

    func run() async throws {
        try await running(common, formats: formats.requested) {
            var migration = try await Migration(
                try await Workbench(common, for: to), from: from, to: to, domain: domain)
            migration.isRehearsal = rehearse
            migration.dryRunsVendors = dryRunsVendors
            let outcome = try await migration.look()
            let words = TurnWords(outcome: outcome, migration: migration)
            for format in formats.requested {
                outcome.findings.write(
                    as: format, migration.bench.console, in: migration.bench.printing.language, closing: words.lines,
                    more: [
                        "state": .string(outcome.state.rawValue), "next": .string(outcome.next.text),
                        "steps": words.json,
                    ])
            }
            return .combined(outcome.findings.map(\.status))
        }
    }
}
