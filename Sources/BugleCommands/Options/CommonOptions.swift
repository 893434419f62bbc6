internal import ArgumentParser
internal import FoundationEssentials
internal import PushModel

/// Options that every command takes.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .customShort("C"), help: "The workspace's folder. Default: '.' if it holds bugle.yaml, else ./campaigns.")
    var directory: String?

    @Option(help: "The language of plans, comments, previews and status: en or zh-Hans. Default: the workspace's.")
    var language: Language?

    @Flag(name: .customLong("no-color"), help: "Print without colours; NO_COLOR does the same.")
    var noColor = false

    @Flag(name: .short, help: "Tell on standard error what is asked of the remote.")
    var verbose = false

    @Option(name: .customLong("log-format"), help: "The form of what -v tells: text or json.")
    var logFormat = LogFormat.text

    /// Nothing is set.
    init() {}

    /// The language of what people read: as it was asked for, else as the workspace says, else that of the environment.
    func language(in workspace: Language?) -> Language {
        let environment = ProcessInfo.processInfo.environment
        let locale = [environment["LC_ALL"], environment["LANG"]].compactMap(\.self).first { !$0.isEmpty }
        return language ?? workspace ?? locale.flatMap(Language.init(locale:)) ?? .english
    }
}

extension Language: ExpressibleByArgument {}

/// The forms of what `-v` tells.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// One line of text each.
    case text
    /// One JSON object each.
    case json
}

/// Which remote is meant.
struct RemoteOptions: ParsableArguments {
    @Option(help: "The remote to use. Default: defaultRemote, or the only one.")
    var remote: String?

    /// Nothing is set.
    init() {}
}

/// What part of a workspace is meant.
struct TargetOptions: ParsableArguments {
    @Option(
        name: .customLong("target"),
        help: ArgumentHelp("Only these: KIND/NAME or label=VALUE (repeatable).", valueName: "KIND/NAME"))
    var targets: [String] = []

    /// Nothing is set.
    init() {}
}
