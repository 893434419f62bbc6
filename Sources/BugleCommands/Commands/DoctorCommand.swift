internal import ArgumentParser
internal import Push

/// Checks credentials, certificates, clock and connectivity of each remote.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks credentials, certificates, clock and connectivity of each remote.",
        discussion: """
            EXAMPLES
              bugle doctor
              bugle doctor --remote production

            Apple is sent a silent notification to a device token that no device has: it reports a bad token \
            only if the credential, the environment and the topic are right. No device gets anything.
            """)

    @Option(help: ArgumentHelp("Only this remote.", valueName: "NAME"))
    var remote: String?

    @OptionGroup var formats: FormatOptions<PlainForms>

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common, formats: formats.requested) {
            let bench = try await Workbench(common)
            let desired = try bench.desired()
            var names = desired.remotes.keys.sorted()
            if let remote { names = [try bench.remote(named: remote, in: desired).name] }
            let examination = HealthCheck(bench: bench, desired: desired)
            var findings = examination.program()
            findings += examination.profiles()
            for name in names {
                guard let declaration = desired.remotes[name] else { continue }
                findings += await examination.remote(declaration)
            }
            for format in formats.requested { findings.write(as: format, bench.console, in: bench.printing.language) }
            return .combined(findings.map(\.status))
        }
    }
}
