internal import APNs
internal import ArgumentParser
internal import Diagnostics
internal import Phrasebook
internal import PushConfig
internal import PushModel
internal import PushPlan
internal import PushReport

/// Checks the workspace offline, without any secret.
struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Checks every file offline; needs no secrets.")

    @OptionGroup var common: CommonOptions
    @OptionGroup var formats: FormatOptions<DiagnosticForms>

    func run() async throws {
        try await running(common, formats: formats.requested) {
            var bench = try await Workbench(common)
            if let workspace = bench.loaded.readable { check(workspace, &bench) }
            let found = bench.diagnostics.sortedForPrinting()
            bench.printing.write(.diagnostics(found), as: formats.requested)
            let errors = found.filter { $0.severity == .error }
            if errors.isEmpty {
                if formats.requested.standardOutput == .text {
                    let campaigns = bench.loaded.readable?.campaigns.count ?? 0
                    let said = Phrase.valid(files: bench.loaded.files.count, campaigns: campaigns)
                    bench.console.output(bench.printing.language.say(said) + "\n")
                }
                return .success
            }
            return errors.allSatisfy(\.code.isPolicy) ? .blocked : .invalid
        }
    }

    private func check(_ desired: Workspace, _ bench: inout Workbench) {
        let checked = CredentialChecks(CredentialReader(bench.secrets), now: Workbench.localNow).check(
            desired.deviceProfiles)
        bench.diagnostics += checked.diagnostics
        var workspace = desired
        workspace.deviceProfiles = checked.profiles
        for remote in workspace.remotes.values.sorted(by: { $0.name < $1.name }) {
            bench.diagnostics += Checker.findings(
                workspace, remote: remote.name, encoder: remote.type.encoder)
            bench.diagnostics += AuthorityCheck(secrets: bench.secrets).findings(remote, isNeeded: false)
            if let trusted = TrustedHosts(environment: bench.environment) {
                bench.diagnostics += trusted.findings(remote, secrets: bench.secrets)
            }
        }
        bench.diagnostics += Checker.policyFindings(workspace)
        bench.diagnostics += Checker.certificateFindings(workspace, now: Workbench.localNow)
    }
}
