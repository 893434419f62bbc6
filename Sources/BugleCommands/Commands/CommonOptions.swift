internal import ArgumentParser
internal import Base
internal import FoundationEssentials
internal import Push
internal import PushReport

struct CommonOptions: ParsableArguments {
    @Option(
        name: .customShort("C"),
        help: ArgumentHelp(
            "The workspace's folder. Default: '.' if it holds bugle.yaml, else ./campaigns.", valueName: "DIR"),
        completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "The language of plans, comments, previews and status: en or zh-Hans. Default: the workspace's.",
            valueName: "LANGUAGE"))
    var language: Language?

    @Flag(name: .customLong("no-color"), help: "Print without colours; NO_COLOR does the same.")
    var noColor = false

    @Flag(name: .short, help: "Log requests to stderr.")
    var verbose = false

    @Option(name: .customLong("log-format"), help: ArgumentHelp("The log's format: text or json.", valueName: "FORMAT"))
    var logFormat = LogFormat.text

    /// Returns the output language: the requested one, else the workspace's, else the environment's.
    func language(in workspace: Language?) -> Language {
        let environment = ProcessInfo.processInfo.environment
        let locale = [environment["LC_ALL"], environment["LANG"]].compactMap(\.self).first { !$0.isEmpty }
        return language ?? workspace ?? locale.flatMap(Language.init(locale:)) ?? .english
    }
}

extension Language: ExpressibleByArgument {}

enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// One line of text per record.
    case text
    /// One JSON object per record.
    case json
}

struct RemoteOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The remote to use. Default: defaultRemote, or the only one.", valueName: "REMOTE"),
        completion: WorkspaceNames.remotes)
    var remote: String?
}

/// The options that select a part of a workspace.
struct TargetOptions: ParsableArguments {
    @Option(
        name: .customLong("target"),
        help: ArgumentHelp("Only these: KIND/NAME or label=VALUE (repeatable).", valueName: "KIND/NAME"),
        completion: WorkspaceNames.targets)
    var targets: [String] = []
}

/// One `--format` option: an output format and its destination.
struct OutputFormat: ExpressibleByArgument, Sendable {
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

protocol PrintedForms {
    /// The formats, the default first.
    static var forms: [ReportFormat] { get }
}

/// The formats of reviewed output: plans, results, the ledger.
enum ReviewForms: PrintedForms {
    static let forms: [ReportFormat] = [.text, .markdown, .html, .json, .github]
}

enum DiagnosticForms: PrintedForms {
    static let forms: [ReportFormat] = [.text, .markdown, .html, .json, .github, .sarif]
}

enum HistoryForms: PrintedForms {
    static let forms: [ReportFormat] = [.text, .csv, .json]
}

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

extension Instant: ExpressibleByArgument {
    /// Parses an instant in RFC 3339 with an offset.
    init?(argument: String) { self.init(argument) }
}

/// What a shell completes from the workspace at hand, in the folder or the one that -C names.
enum WorkspaceNames {
    static let remotes = completion { $0.remotes.keys.sorted() }
    static let campaigns = completion { $0.campaigns.map(\.name) }
    /// The values of `--target`.
    static let targets = completion(\.targetTexts)

    /// Files that cannot be read complete nothing, and say nothing: somebody is in the middle of a line.
    private static func completion(_ names: @escaping @Sendable (Workspace) -> [String]) -> CompletionKind {
        .custom { words, _, _ async -> [String] in
            let option = words.lastIndex(of: "-C").map { $0 + 1 }
            let chosen = option.flatMap { words.indices.contains($0) ? words[$0] : nil }
            guard let place = try? WorkspaceFinder.find(chosen: chosen) else { return [] }
            let loaded = await WorkspaceLoader.load(directory: place.directory, displayedAs: place.displayName)
            return loaded.readable.map { written(names($0), for: CompletionShell.requesting) } ?? []
        }
    }

    /// The names as a shell takes them: bash expands what it is given, and zsh ends a word at a colon. A name with a
    /// character that nobody sees is none to choose.
    static func written(_ names: [String], for shell: CompletionShell?) -> [String] {
        let visible = names.filter { name in !name.unicodeScalars.contains(where: HiddenCharacters.contain) }
        return switch shell {
        case .bash: visible.map(\.shellWord)
        case .zsh: visible.map { $0.replacingScalars(by: ["\\": "\\\\", ":": "\\:"]) }
        default: visible
        }
    }
}
