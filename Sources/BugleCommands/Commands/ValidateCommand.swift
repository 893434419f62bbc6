internal import Delivery
internal import ArgumentParser
internal import Base
internal import PushReport
internal import Push

/// Checks the workspace offline, without any secret.
struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Checks every file offline; needs no secrets.",
        discussion: """
            EXAMPLES
              bugle validate
              bugle validate --changed-since origin/main --format github
              bugle validate --fix
            """)

    @OptionGroup var formats: FormatOptions<DiagnosticForms>

    @Option(
        name: .customLong("changed-since"),
        help: ArgumentHelp(
            "Report only what the branch has introduced since it left this commit or branch.", valueName: "REV"))
    var changedSince: String?

    @Flag(help: "Mend what can only be meant in one way: show the difference, ask, and write.")
    var fix = false

    @Flag(name: .customLong("auto-approve"), help: "With --fix: do not ask.")
    var autoApprove = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if fix, changedSince != nil { throw ValidationError("--fix and --changed-since exclude each other") }
        if autoApprove, !fix { throw ValidationError("--auto-approve goes with --fix") }
    }

    func run() async throws {
        try await running(common, formats: formats.requested) {
            var bench = try await Workbench(common)
            if fix {
                let isText = formats.requested.standardOutput == .text
                switch try FileMender(bench: bench).mend(isApproved: autoApprove, showsOnOutput: isText) {
                case .mended: bench = try await Workbench(common)
                case .unconfirmed: return .confirmation
                case .nothing: bench.console.say("bugle: --fix: there is nothing that can be meant in one way only")
                }
            }
            let all = findings(in: bench.loaded, bench).sortedForPrinting()
            var found = all
            if let changedSince {
                let earlier = try await EarlierFiles(in: bench.loaded.folder, since: changedSince)
                found = try await earlier.introduced(all, bench) { [bench] in
                    findings(in: $0, bench).sortedForPrinting()
                }
            }
            bench.printing.write(.diagnostics(found), as: formats.requested)
            let errors = found.filter { $0.severity == .error }
            guard errors.isEmpty else { return errors.allSatisfy(\.code.isPolicy) ? .blocked : .invalid }
            if formats.requested.standardOutput == .text {
                let campaigns = bench.loaded.readable?.campaigns.count ?? 0
                let said =
                    all.hasErrors
                    ? Phrase.nothingIntroduced(since: changedSince ?? "", earlier: all.count - found.count)
                    : .valid(files: bench.loaded.files.count, campaigns: campaigns)
                bench.console.output(escaped(bench.printing.language.say(said)) + "\n")
            }
            return .success
        }
    }

    /// The findings of every check that needs no remote, in files that were read; secrets are those of here and now.
    private func findings(in loaded: LoadedWorkspace, _ bench: Workbench) -> [Diagnostic] {
        guard var workspace = loaded.readable else { return loaded.diagnostics }
        var found = loaded.diagnostics
        let checked = CredentialChecks(CredentialReader(bench.secrets), now: Workbench.localNow).check(
            workspace.deviceProfiles)
        found += checked.diagnostics
        workspace.deviceProfiles = checked.profiles
        for remote in workspace.remotes.values.sorted(by: { $0.name < $1.name }) {
            found += Checker.findings(workspace, remote: remote.name, encoder: remote.type.encoder)
            found += AuthorityCheck(secrets: bench.secrets).findings(remote, isNeeded: false)
            if let trusted = TrustedHosts(environment: bench.environment) {
                found += trusted.findings(remote, secrets: bench.secrets)
            }
        }
        found += Checker.policyFindings(workspace)
        return found + Checker.certificateFindings(workspace, now: Workbench.localNow)
    }
}
