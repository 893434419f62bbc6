internal import ArgumentParser
internal import FoundationEssentials
internal import PushModel

/// The options of every command.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .customShort("C"), help: "The workspace's folder. Default: '.' if it holds bugle.yaml, else ./campaigns.")
    var directory: String?

    @Option(help: "The language of plans, comments, previews and status: en or zh-Hans. Default: the workspace's.")
    var language: Language?

    @Flag(name: .customLong("no-color"), help: "Print without colours; NO_COLOR does the same.")
    var noColor = false

    @Flag(name: .short, help: "Log requests to stderr.")
    var verbose = false

    @Option(name: .customLong("log-format"), help: "The log's format: text or json.")
    var logFormat = LogFormat.text

    init() {}

    /// Returns the output language: the requested one, else the workspace's, else the environment's.
    func language(in workspace: Language?) -> Language {
        let environment = ProcessInfo.processInfo.environment
        let locale = [environment["LC_ALL"], environment["LANG"]].compactMap(\.self).first { !$0.isEmpty }
        return language ?? workspace ?? locale.flatMap(Language.init(locale:)) ?? .english
    }
}

extension Language: ExpressibleByArgument {}

/// The formats of the `-v` log.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// One line of text per record.
    case text
    /// One JSON object per record.
    case json
}

/// The option that selects a remote.
struct RemoteOptions: ParsableArguments {
    @Option(help: "The remote to use. Default: defaultRemote, or the only one.")
    var remote: String?

    init() {}
}

/// The options that select a part of a workspace.
struct TargetOptions: ParsableArguments {
    @Option(
        name: .customLong("target"),
        help: ArgumentHelp("Only these: KIND/NAME or label=VALUE (repeatable).", valueName: "KIND/NAME"))
    var targets: [String] = []

    init() {}
}
