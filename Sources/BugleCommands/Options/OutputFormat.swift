internal import ArgumentParser
internal import PushReport

/// One `--format`: a form of output, and the file it goes to.
struct OutputFormat: ExpressibleByArgument, Sendable {
    /// The form.
    let form: ReportFormat
    /// The file; nil: standard output.
    let file: String?

    init(_ form: ReportFormat, file: String? = nil) {
        self.form = form
        self.file = file
    }

    /// Reads `FORMAT` or `FORMAT=FILE`.
    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let form = ReportFormat(rawValue: parts[0]), parts.count == 1 || !parts[1].isEmpty else { return nil }
        self.form = form
        file = parts.count == 2 ? parts[1] : nil
    }

    static var allValueStrings: [String] { ReportFormat.allCases.map(\.rawValue) }
}

/// The forms of a command's output.
struct FormatOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "text (default), json or github; FORMAT=FILE writes to a file (repeatable).", valueName: "FORMAT[=FILE]"))
    var formats: [OutputFormat] = []

    /// Nothing is set.
    init() {}

    /// What was asked for; text when nothing was.
    var requested: [OutputFormat] { formats.isEmpty ? [OutputFormat(.text)] : formats }

    /// The form on standard output; nil when everything goes to files.
    var standardOutput: ReportFormat? { requested.first { $0.file == nil }?.form }

    mutating func validate() throws {
        guard requested.filter({ $0.file == nil }).count <= 1 else {
            throw ValidationError("only one --format can go to standard output; give the others a file: FORMAT=FILE")
        }
    }
}
