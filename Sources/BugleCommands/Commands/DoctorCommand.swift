internal import ArgumentParser
internal import Diagnostics
internal import JSONValue
internal import PushModel
internal import PushPlan
internal import PushReport

/// Checks credentials, certificates, clock and connectivity of each remote.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks credentials, certificates, clock and connectivity of each remote.",
        discussion: """
            Apple is asked with a silent notification to a device token that no device has: it answers that the token is \
            bad only if the credential, the environment and the topic are right. Nobody gets anything.
            """)

    @OptionGroup var common: CommonOptions

    @Option(help: ArgumentHelp("Only this remote.", valueName: "NAME"))
    var remote: String?

    @OptionGroup var formats: FormatOptions<PlainForms>

    func run() async throws {
        try await running(common, formats: formats.requested) {
            let bench = try await Workbench(common)
            let desired = try bench.desired()
            var names = desired.remotes.keys.sorted()
            if let remote { names = [try bench.remote(named: remote, in: desired).name] }
            let examination = Examination(bench: bench, desired: desired)
            var findings = examination.program()
            findings += examination.profiles()
            for name in names {
                guard let declaration = desired.remotes[name] else { continue }
                findings += await examination.remote(declaration)
            }
            for format in formats.requested { try Self.write(findings, as: format, bench.console) }
            return .combined(findings.map(\.status))
        }
    }

    private static func write(_ findings: [Examination.Finding], as format: OutputFormat, _ console: Console) throws {
        let text: String
        switch format.form {
        case .text, .markdown, .html, .github, .sarif, .svg:
            let marks = console.usesUnicode ? ["✓", "!", "✗"] : ["ok", "warning:", "error:"]
            text = findings.map { "\(marks[$0.severity.rawValue]) \(escaped("\($0.subject): \($0.message)"))\n" }
                .joined()
        case .json:
            let rows = findings.map { finding -> JSONValue in
                [
                    "subject": .string(finding.subject), "severity": .string(finding.severity.word),
                    "message": .string(finding.message),
                ]
            }
            text =
                JSONValue.object([
                    "formatVersion": .string(BugleVersion.format), "tool": .string(BugleVersion.tool),
                    "findings": .array(rows),
                ]).canonicalText + "\n"
        }
        if let file = format.file { try OutputFile.write(Array(text.utf8), to: file) } else { console.output(text) }
    }
}
