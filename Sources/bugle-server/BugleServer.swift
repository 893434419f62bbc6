internal import ArgumentParser
internal import Glibc

/// The program.
@main
struct BugleServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bugle-server",
        abstract: "A push server that answers LeanCloud's calls, with simulated devices.",
        subcommands: [Serve.self, Check.self, Backup.self], defaultSubcommand: Serve.self)

    /// What the program writes, the registry first, nobody but its user may read.
    static func main() async {
        umask(0o077)
        await main(nil)
    }
}
