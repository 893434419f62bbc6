internal import ArgumentParser

/// The program.
@main
struct BugleServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bugle-server",
        abstract: "A push server that answers LeanCloud's calls, with simulated devices.",
        subcommands: [Serve.self], defaultSubcommand: Serve.self)
}
