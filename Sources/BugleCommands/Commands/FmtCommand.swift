internal import ArgumentParser
internal import Base
internal import Push
internal import PushReport
internal import YAML

/// Formats the layout of YAML files.
struct FmtCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fmt", abstract: "Formats YAML files; comments and values stay as they are.",
        discussion: """
            EXAMPLES
              bugle fmt
              bugle fmt --check

            Only white space between values changes: two spaces a level, lists inside mappings indented too, one space \
            after ':' and '-', none inside brackets and at the end of lines, at most one blank line, LF, a final newline. \
            Nothing is reordered, requoted or wrapped, and a file is written only after it was read again and says the \
            same. The workspace need not be valid; a file that is not YAML is reported and left as it is.

            Exit codes: 0 done, or with --check nothing to do; 1 with --check: some file would change; 3 some file cannot \
            be read as YAML.
            """)

    @OptionGroup var formats: FormatOptions<DiagnosticForms>

    @Flag(help: "List the files that would change, without changing them; exit with 1 if there are any.")
    var check = false

    @Argument(help: ArgumentHelp("Files and folders; default: every file of the workspace.", valueName: "PATH"))
    var paths: [String] = []

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common, formats: formats.requested) {
            let console = Console.of(common)
            var formatting = FileFormatter(isCheck: check)
            for file in try SourceSelection.files(paths, workspace: common.directory, &formatting.diagnostics) {
                try formatting.format(file)
            }
            ReportPrinter(
                console: console, sources: SourceFiles(formatting.sources), language: common.language(in: nil)
            )
            .write(.diagnostics(formatting.diagnostics.sortedForPrinting()), as: formats.requested)
            if formats.requested.standardOutput == .text {
                for name in formatting.changed { console.output(escaped(name) + "\n") }
            }
            var statuses: [ExitStatus] = [.success]
            if formatting.diagnostics.contains(where: { $0.severity == .error }) { statuses.append(.invalid) }
            if check, !formatting.changed.isEmpty { statuses.append(.failed) }
            return .combined(statuses)
        }
    }
}
