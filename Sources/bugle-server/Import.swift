internal import ArgumentParser
internal import Base
internal import CLibrary
internal import DeviceRegistry
internal import FoundationEssentials
internal import Push
internal import PushServer
internal import Synchronization

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Imports an export of LeanCloud's console into the data file.",
        discussion: """
            EXAMPLE
              bugle-server import export.zip --data registry.sqlite

            PATH is a .tar.gz, a .zip, a folder or a file; its first bytes tell which. A file in it holds one JSON \
            object a line, a JSON list, or a mapping whose 'results' is a list, packed with gzip or not; its class is \
            that of its heading '#filetype:…', else of its name, such as _Installation.0.jsonl.

            It imports _Installation, _User, the classes that conditions of the workspace's segments and campaigns \
            point to (--workspace, or 'workspace' in the settings file), and those that --class names. Other classes \
            are counted and left out. Left out by design are also sign-in data of users (password, salt, sessionToken, \
            authData), channel names that break the naming rule, and devices without a token or id.

            Ids and times stay as they are, so that devices that were not seen for three months stay out of every \
            push. An object that is here already is replaced only by a version written later: importing twice changes \
            nothing, importing what was exported before the move loses nothing that was written since, and an import \
            that was killed is run again.

            Objects that were left out are counted by reason, and the first are named by line. Exit codes: 0 everything \
            was imported that is ever kept, 8 something else was left out, 1 failed (run it again), 3 the settings file or the \
            workspace is wrong, 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The export.", valueName: "FILE"))
    var path: String

    @OptionGroup var options: RegistryOptions

    @Option(
        name: .customLong("class"), help: ArgumentHelp("Import this class as well (repeatable).", valueName: "CLASS"))
    var classes: [String] = []

    func run() async throws {
        let (data, pointedTo) = try await Output.reporting { try await options.read() }
        let registry = try await data.open(for: .transfer)
        defer { registry.close() }
        let line = TransferProgressLine()
        let work = try ExportTransfer(into: registry, classes: classes, pointedTo: pointedTo) {
            line.show($0.className, $0.read, part: $0.part)
        }
        defer { line.end() }
        let report = try await work.run(path: path)
        line.end()
        if let remains = await registry.remainsBesideFile() { Output.warn(remains) }
        Output.print(lines: report.text)
        if !report.isComplete { throw Output.inPart }
    }
}

/// A progress line on standard error, redrawn in place on a terminal; elsewhere a line every 100,000 objects.
final class TransferProgressLine: Sendable {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let hundredThousands = Atomic<Int>(0)

    /// Shows the number of objects read of a class, and the share of the total if known.
    func show(_ className: String, _ count: Int, part: Double? = nil, doing: String = "objects read") {
        let percent = part.map { "\(min(100, Int($0 * 100)))%  " } ?? ""
        let text = escaped("\(percent)\(className): \(count) \(doing)")
        if isTerminal { return Descriptor.writeToStandardError("\r\u{1B}[K\(text)") }
        let now = count / 100_000
        if hundredThousands.exchange(now, ordering: .relaxed) != now, now > 0 {
            Descriptor.writeToStandardError(text + "\n")
        }
    }

    /// Clears the line.
    func end() {
        if isTerminal { Descriptor.writeToStandardError("\r\u{1B}[K") }
    }
}

/// The options that name the registry to fill and the workspace that will push to it.
struct RegistryOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server's settings file, for its 'data' and 'workspace'.", valueName: "FILE"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The SQLite file, created if missing, or postgres://USER@HOST/DATABASE.", valueName: "FILE|URL"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the bugle workspace whose conditions say which classes are needed.", valueName: "DIR"))
    var workspace: String?

    /// The place of the registry, and the classes that the workspace's conditions point to.
    ///
    /// - Throws: ``InvalidSettings`` if the settings file or the workspace is invalid, `ValidationError` if no source
    ///   names the registry.
    func read() async throws -> (data: DataPlace, pointedTo: Set<String>) {
        let loaded = try LoadedSettings(config: config) { setting in
            switch setting {
            case .data: data
            case .workspace: workspace
            default: nil
            }
        }
        let place = try loaded.data()
        guard let folder = loaded.settings.workspace else { return (place, []) }
        let read = await WorkspaceLoader.load(directory: folder, displayedAs: folder)
        guard let workspace = read.workspace else { throw InvalidSettings(read.diagnostics) }
        return (place, workspace.pointedClasses)
    }
}
