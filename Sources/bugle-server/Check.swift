internal import ArgumentParser
internal import FoundationEssentials

/// `bugle-server check`.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the settings, keys, certificate and workspace without starting.",
        discussion: """
            EXAMPLE
              bugle-server check --config server.yaml

            Exits with 0 if the server would start, with 3 if the settings file is wrong.
            """)

    @OptionGroup var options: SettingOptions

    func run() async throws {
        let workspace = try await Output.reporting {
            let loaded = try options.settings()
            let environment = ProcessInfo.processInfo.environment
            _ = try loaded.data(environment)
            _ = try loaded.configuration(environment)
            let workspace = try await loaded.appleWorkspace(environment)
            for warning in workspace?.warnings ?? [] { Output.warn(warning) }
            return workspace
        }
        Output.print("the settings are valid")
        Output.print(Output.ways(workspace))
    }
}
