internal import ArgumentParser
internal import FoundationEssentials

/// `bugle-server serve`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            EXAMPLE
              bugle-server serve --config server.yaml

            The keys come from the environment or from sources that the settings file names: BUGLE_SERVER_KEY is the \
            master key, BUGLE_SERVER_APP_KEY the key that clients have; without the second only the master key is \
            accepted. Every option can be set as a variable too, such as BUGLE_SERVER_LISTEN. The first line of output \
            says where it listens, the second how it reaches devices.
            """)

    @OptionGroup var options: SettingOptions

    func run() async throws {
        try await ServerRun(environment: ProcessInfo.processInfo.environment) {
            try options.settings($0)
        } announce: { address, workspace in
            Output.print("listening on \(address)")
            Output.print(Output.ways(workspace))
        }.run()
    }
}
