internal import ArgumentParser
internal import Base
internal import Push

/// Shows the state of a migration from LeanCloud and the next step.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Shows what is done and what is next in the move off LeanCloud.",
        discussion: """
            EXAMPLE
              bugle migrate --from leancloud --to apple

            Looks at the live app, at the new server, at the domain that apps call and at the workspace, and changes \
            nothing anywhere. Run it again after each step; the next step is printed last.

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

    @OptionGroup var formats: FormatOptions<PlainForms>

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if from == to { throw ValidationError("--from and --to name the same remote") }
    }

    func run() async throws {
        try await running(common, formats: formats.requested) {
            let migration = try await Migration(try await Workbench(common), from: from, to: to, domain: domain)
            let outcome = try await migration.look()
            for format in formats.requested {
                outcome.findings.write(
                    as: format, migration.bench.console, in: migration.bench.printing.language, last: outcome.closing,
                    more: ["state": .string(outcome.state.rawValue), "next": .string(outcome.next.text)])
            }
            return .combined(outcome.findings.map(\.status))
        }
    }
}
