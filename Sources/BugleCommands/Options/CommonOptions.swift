internal import ArgumentParser
internal import FoundationEssentials
internal import Push

/// The options of every command.
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
    @Option(
        help: ArgumentHelp("The remote to use. Default: defaultRemote, or the only one.", valueName: "REMOTE"),
        completion: WorkspaceNames.remotes)
    var remote: String?

    init() {}
}

/// The options that select a part of a workspace.
struct TargetOptions: ParsableArguments {
    @Option(
        name: .customLong("target"),
        help: ArgumentHelp("Only these: KIND/NAME or label=VALUE (repeatable).", valueName: "KIND/NAME"),
        completion: WorkspaceNames.targets)
    var targets: [String] = []

    init() {}
}
