internal import ArgumentParser
internal import Base
internal import CLibrary
internal import PushReport
internal import PushServer

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

/// The program's output and exit codes.
enum Output {
    static let invalid = ExitCode(3)
    /// Something was left out of what was moved.
    static let inPart = ExitCode(8)

    /// Prints one line, escaped, and flushes it, so that a pipe gets it at once.
    static func print(_ line: String) {
        Swift.print(escaped(line))
        fflush(nil)
    }

    /// Prints a text of several lines, each of them escaped.
    static func print(lines text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { print(String(line)) }
    }

    /// Warns on standard error, in one line.
    static func warn(_ text: String) { Descriptor.writeToStandardError(escaped("warning: \(text)") + "\n") }

    /// Prints what an error says, which others have written, such as a remote or a database; or the help asked for.
    static func say(_ error: any Error, _ code: ExitCode) {
        let text = CommandHelp.wrapped(BugleServer.fullMessage(for: error))
        // An exit code alone has said its reason.
        if text.isEmpty { return }
        if code.isSuccess { return print(lines: text) }
        // The parser's messages have several lines; of any other error a line break is not ours.
        let lines =
            code == .failure
            ? ["Error: " + BugleServer.message(for: error)]
            : text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for line in lines { Descriptor.writeToStandardError(escaped(line) + "\n") }
    }

    /// Describes how the server reaches devices, so that nobody mistakes simulated devices for real ones.
    static func ways(_ workspace: AppleWorkspace?) -> String {
        guard let workspace else {
            return "all devices are simulated: nothing leaves this server, because 'workspace' names no DeviceProfiles"
        }
        guard let reach = workspace.profiles.reach else {
            return "no device is reached: no DeviceProfile of the workspace has its credential here"
        }
        return "\(reach); other devices are not reached"
    }

    /// Describes an error in one line of a log.
    static func reason(_ error: any Error) -> String {
        let text = (error as? InvalidSettings)?.text ?? "\(error)"
        return text.split(separator: "\n").joined(separator: "; ")
    }

    /// Runs `body`; if the settings are invalid, prints the problems and exits with 3.
    static func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as InvalidSettings {
            Descriptor.writeToStandardError(error.text)
            throw invalid
        }
    }
}
