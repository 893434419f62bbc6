internal import ArgumentParser
internal import Base
internal import Push
internal import PushReport

/// Prints a JSON Schema.
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

/// The documents that have a schema.
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
