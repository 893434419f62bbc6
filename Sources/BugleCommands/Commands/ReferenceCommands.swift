internal import ArgumentParser
internal import Base
internal import Push
internal import PushReport

/// Prints the reference's article of a diagnostic.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explains a diagnostic: why it is said, an example, and what to do.",
        discussion: """
            EXAMPLE
              bugle explain unknown-key

            The code stands in square brackets at the end of a diagnostic.
            """)

    @Argument(help: ArgumentHelp("The code of the diagnostic.", valueName: "CODE"))
    var code: String

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common) {
            // Whoever copies the brackets means the code in them.
            let name = code.hasPrefix("[") && code.hasSuffix("]") ? String(code.dropFirst().dropLast()) : code
            guard let code = DiagnosticCode(rawValue: name),
                let page = DiagnosticArticle.page(of: code, in: common.language(in: nil))
            else {
                let ending = Suggestion.ending(for: name, among: DiagnosticCode.allCases.map(\.rawValue))
                throw Failure(
                    .usage,
                    "explain: there is no diagnostic \(quoted(name))\(ending); the code stands in square brackets at the "
                        + "end of a diagnostic, and docs/reference/README.md lists all")
            }
            Console.of(common).output(page)
            return .success
        }
    }
}

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of the configuration, or of what bugle writes for programs.",
        discussion: """
            EXAMPLE
              bugle schema > bugle.schema.json

            The schema (draft 2020-12) lets an editor complete, explain and check every field. 'bugle init' writes it to \
            bugle.schema.json; in another workspace write it with 'bugle schema > bugle.schema.json' and begin each YAML \
            file with this line (with the path to the file, such as ../bugle.schema.json):

              # yaml-language-server: $schema=bugle.schema.json

            It covers all that one document shows by itself; 'bugle validate' also checks what depends on other files.

            --of plan, diagnostics, apply, status and history: of what 'plan --format json', 'validate --format json', \
            'apply --json-result', 'status --format json' and 'history --format json' write; --of approvals: of what 'apply --approvals' reads.
            """)

    @Option(help: ArgumentHelp("The kind of document to describe.", valueName: "WHAT"))
    var of = PublishedSchema.configuration

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common) {
            Console.of(common).output(of.text)
            return .success
        }
    }
}

enum PublishedSchema: ExpressibleByArgument, CaseIterable, Sendable {
    /// The files of a workspace.
    case configuration
    /// A document that programs write or read.
    case report(ReportSchema)

    init?(argument: String) {
        guard let found = Self.allCases.first(where: { $0.defaultValueDescription == argument }) else { return nil }
        self = found
    }

    static var allCases: [Self] { [.configuration] + ReportSchema.allCases.map(Self.report) }

    static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }

    var defaultValueDescription: String {
        switch self {
        case .configuration: "configuration"
        case .report(let schema): schema.rawValue
        }
    }

    /// The schema as written to a file.
    var text: String {
        switch self {
        case .configuration: String(decoding: ConfigurationSchema.document.bytes, as: UTF8.self)
        case .report(let schema): String(decoding: schema.json.bytes, as: UTF8.self)
        }
    }
}

/// Prints what completes the program's commands and options in a shell.
struct CompletionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Prints the completions of a shell.",
        discussion: """
            EXAMPLE
              bugle completions fish

            bash: source <(bugle completions bash)
            zsh:  bugle completions zsh > "${fpath[1]}/_bugle"
            fish: bugle completions fish > ~/.config/fish/completions/bugle.fish
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: ArgumentHelp("The shell: bash, zsh or fish.", valueName: "SHELL"))
    var shell: Shell

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common) {
            let shell: CompletionShell =
                switch shell {
                case .bash: .bash
                case .zsh: .zsh
                case .fish: .fish
                }
            Console.of(common).output(Bugle.completionScript(for: shell) + "\n")
            return .success
        }
    }
}

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Prints the version, the commit it was built from, and the versions of libcurl and libyaml.",
        discussion: """
            EXAMPLE
              bugle version
            """)

    func run() {
        print(ProgramVersion.text(of: "bugle"), ProgramVersion.libraries, separator: "\n")
    }
}
