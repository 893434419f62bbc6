internal import ArgumentParser

/// The program.
@main
struct BugleServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bugle-server",
        abstract: "A push server that answers LeanCloud's calls, with simulated devices.",
        subcommands: [Serve.self, Import.self, Pull.self], defaultSubcommand: Serve.self)
}
