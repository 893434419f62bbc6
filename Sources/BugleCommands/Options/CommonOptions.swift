internal import ArgumentParser

/// Options that every command takes.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .customShort("C"), help: "The workspace's folder. Default: '.' if it holds bugle.yaml, else ./campaigns.")
    var directory: String?

    @Flag(name: .customLong("no-color"), help: "Print without colours; NO_COLOR does the same.")
    var noColor = false

    @Flag(name: .short, help: "Tell on standard error what is asked of the remote.")
    var verbose = false

    @Option(name: .customLong("log-format"), help: "The form of what -v tells: text or json.")
    var logFormat = LogFormat.text

    /// Nothing is set.
    init() {}
}

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
