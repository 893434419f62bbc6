internal import ArgumentParser
internal import FoundationEssentials

/// `bugle-server check`.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the settings, the keys and the certificate, and starts nothing.",
        discussion: "Ends with 0 when the server would start, with 3 when the file of settings is wrong.")

    @OptionGroup var options: SettingOptions

    func run() async throws {
        try Output.reporting {
            let loaded = try options.settings()
            _ = try loaded.data()
            _ = try loaded.configuration(ProcessInfo.processInfo.environment)
        }
        Output.print("the settings are valid")
    }
}
