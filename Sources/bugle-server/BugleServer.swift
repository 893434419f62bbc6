internal import ArgumentParser
internal import CLibrary
internal import PushReport

@main
struct BugleServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bugle-server",
        abstract: "A push server that answers LeanCloud's calls, with simulated devices.",
        discussion: """
            EXAMPLES
              bugle-server demo
              bugle-server serve --config server.yaml
            """,
        version: ProgramVersion.text(of: "bugle-server"),
        subcommands: [
            Serve.self, Demo.self, Check.self, Backup.self, Restore.self, Held.self, Import.self, Pull.self,
            Return.self, Copy.self, Migrate.self,
        ],
        defaultSubcommand: Serve.self)

    /// Runs the program; files it creates, the registry above all, are readable by its user only.
    static func main() async {
        umask(0o077)
        await runProgram {
            let arguments = CommandLine.arguments.dropFirst()
            if arguments.first == "help",
                let problem = CommandHelp.unknownCommand(in: arguments.dropFirst(), of: BugleServer.self)
            {
                throw ValidationError(problem)
            }
        } saying: { error, code in
            Output.say(error, code)
        }
    }
}
