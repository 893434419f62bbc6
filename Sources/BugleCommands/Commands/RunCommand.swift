internal import ArgumentParser
internal import Base
internal import Push

/// Carries out what is due, again and again, until it is told to stop.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Carries out what is due, again and again, until it is told to stop.",
        discussion: """
            EXAMPLE
              bugle run --every 1m --listen 127.0.0.1:9090

            The same as 'bugle apply --due' at every interval: it sends scheduled campaigns and occurrences whose time \
            has come, and goes on with what was interrupted. It starts nothing else: what is new or changed in the \
            files is applied by 'bugle apply'. The files are read before each round, and the lock is held only while \
            something is carried out. It logs JSON to standard error. SIGINT or SIGTERM ends it after the change in \
            flight; a second one ends it at once, and the next round, wherever it runs, settles what is open.
            """)

    @OptionGroup var remote: RemoteOptions

    @Option(
        help: ArgumentHelp("The time between the beginnings of two rounds. Default: 1m.", valueName: "DURATION"))
    var every: DurationOption?

    @Option(
        help: ArgumentHelp(
            "Answer GET /health and /metrics (Prometheus) here; port 0 takes a free one.", valueName: "HOST:PORT"))
    var listen: String?

    @Option(help: ArgumentHelp("The number of retries of a deferred send. Default: 5.", valueName: "N"))
    var retries = 5

    @Option(
        name: .customLong("stop-file"),
        help: ArgumentHelp("Stop as on SIGTERM when this file appears.", valueName: "PATH"))
    var stopFile: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if retries < 0 || retries > 100 { throw ValidationError("--retries takes 0 to 100") }
        if let every, every.duration < .seconds(1) { throw ValidationError("--every takes a second or more") }
    }

    func run() async throws {
        try await running(common) {
            try await Runner(
                common: common, remote: remote, interval: every?.duration ?? .seconds(60), retries: retries,
                listen: listen, stopFile: stopFile
            ).run()
        }
    }
}
