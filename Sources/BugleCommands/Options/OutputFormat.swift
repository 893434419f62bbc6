internal import ArgumentParser
internal import FoundationEssentials
internal import PushReport

/// One `--format` option: an output format and its destination.
struct OutputFormat: ExpressibleByArgument, Sendable {
    /// The format.
    let form: ReportFormat
    /// The file; nil for standard output.
    let file: String?

    init(_ form: ReportFormat, file: String? = nil) {
        self.form = form
        self.file = file
    }

    /// Parses `FORMAT` or `FORMAT=FILE`.
    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let form = ReportFormat(rawValue: parts[0]), parts.count == 1 || !parts[1].isEmpty else { return nil }
        self.form = form
        file = parts.count == 2 ? parts[1] : nil
    }

    static var allValueStrings: [String] { ReportFormat.allCases.map(\.rawValue) }
}

extension [OutputFormat] {
    /// The format for standard output; nil when all output goes to files.
    var standardOutput: ReportFormat? { first { $0.file == nil }?.form }
}

/// The formats that a command supports.
protocol PrintedForms {
    /// The formats, the default first.
    static var forms: [ReportFormat] { get }
}

/// The formats of reviewed output: plans, results, the ledger.
enum ReviewForms: PrintedForms {
    static let forms: [ReportFormat] = [.text, .markdown, .html, .json, .github]
}

/// The formats of diagnostics.
enum DiagnosticForms: PrintedForms {
    static let forms: [ReportFormat] = [.text, .markdown, .html, .json, .github, .sarif]
}

/// The formats of the history.
enum HistoryForms: PrintedForms {
    static let forms: [ReportFormat] = [.text, .csv, .json]
}

/// The formats of a preview.
enum PreviewForms: PrintedForms {
    static let forms: [ReportFormat] = [.text, .html, .json, .svg]
}

/// The formats of output for the terminal or for scripts only.
enum PlainForms: PrintedForms {
    static let forms: [ReportFormat] = [.text, .json]
}

/// The `--format` options of a command; an unsupported format is a usage error.
struct FormatOptions<Forms: PrintedForms>: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "\(Self.list) (default text); FORMAT=FILE writes to a file (repeatable).", valueName: "FORMAT[=FILE]"))
    var formats: [OutputFormat] = []

    init() {}

    /// The requested formats; text by default.
    var requested: [OutputFormat] { formats.isEmpty ? [OutputFormat(.text)] : formats }

    /// `text, json or github`.
    private static var list: String {
        let names = Forms.forms.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    mutating func validate() throws {
        if let other = formats.first(where: { !Forms.forms.contains($0.form) }) {
            throw ValidationError("--format \(other.form.rawValue): this command prints \(Self.list)")
        }
        guard requested.filter({ $0.file == nil }).count <= 1 else {
            throw ValidationError("only one --format can go to standard output; give the others a file: FORMAT=FILE")
        }
        try Self.checkDistinct(requested.compactMap(\.file))
    }

    /// Rejects one file for two outputs of a command: the last one would replace the others.
    ///
    /// - Throws: `ValidationError` naming the file.
    static func checkDistinct(_ files: [String]) throws {
        var seen: Set<String> = []
        for file in files where !seen.insert(URL(filePath: file).standardized.path()).inserted {
            throw ValidationError("two outputs go to \(file); give each a file of its own")
        }
    }
}
