internal import ArgumentParser
internal import Base
internal import PushReport

struct Bugle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bugle",
        abstract: "Deploys push notifications from a git repository.",
        discussion: """
            EXAMPLES
              bugle init push
              bugle plan -C push
              bugle apply -C push

            YAML files describe certificates, channels, segments and campaigns. 'bugle plan' shows what a merge would \
            change and whom it would reach; 'bugle apply' does exactly that, once. A push cannot be taken back.

            \(ExitStatus.table)
            """,
        version: ProgramVersion.text(of: "bugle"),
        subcommands: [
            InitCommand.self, DevCommand.self, ValidateCommand.self, PlanCommand.self, ShowCommand.self,
            ApplyCommand.self,
            RunCommand.self,
            StatusCommand.self, HistoryCommand.self, PreviewCommand.self, TestCommand.self, ResolveCommand.self,
            StopCommand.self, UnlockCommand.self,
            LedgerCommand.self, RegistryCommand.self, ImportCommand.self, FmtCommand.self, ExpandCommand.self,
            SchemaCommand.self,
            DoctorCommand.self, MigrateCommand.self, CommentCommand.self, ExplainCommand.self,
            CompletionsCommand.self, VersionCommand.self,
        ])
}

/// Suggestions for commands that people look for under another name.
enum CommandNames {
    private static let meant = [
        "deploy": "apply", "push": "apply", "send": "apply", "check": "validate", "lint": "validate", "diff": "plan",
        "dry-run": "plan", "serve": "run", "watch": "dev", "daemon": "run", "format": "fmt", "list": "status",
        "log": "history",
    ]

    /// What is said of options of `apply` that other programs have.
    private static let meantOptions: [String: String] = {
        let yes = "there is no such option; did you mean '--auto-approve'?"
        let force = "there is no --force: a limit is raised in the files, where it is reviewed"
        return [
            "--yes": yes, "-y": yes, "--approve": yes, "--assume-yes": yes, "--no-input": yes, "--force": force,
            "-f": force,
        ]
    }()

    /// Returns a message about a wrong or missing command name, or an option of another program, in the arguments; nil
    /// when there is none, or the parser reports it.
    static func problem(with arguments: ArraySlice<String>, of parent: any ParsableCommand.Type) -> String? {
        if parent == ApplyCommand.self || parent == ValidateCommand.self,
            let said = arguments.lazy.compactMap({ meantOptions[$0] }).first
        {
            return said
        }
        if parent == ApplyCommand.self { return nil }
        let all = parent.configuration.subcommands.map { $0._commandName }
        guard let name = arguments.first else {
            return all.isEmpty ? nil : "name a command: \(all.joined(separator: ", "))"
        }
        // What help is asked of must exist, too.
        if name == "help" {
            return CommandHelp.unknownCommand(in: arguments.dropFirst(), of: parent, meant: meant)
        }
        guard !name.hasPrefix("-") else { return nil }
        if parent == ValidateCommand.self || parent == PlanCommand.self {
            return "\(quoted(name)) cannot be checked alone: files depend on each other, so the whole "
                + "workspace is read; leave it out, or name another workspace with -C DIR"
        }
        guard !all.isEmpty else { return nil }
        if let command = parent.configuration.subcommands.first(where: { $0._commandName == name }) {
            return problem(with: arguments.dropFirst(), of: command)
        }
        return CommandHelp.unknownCommand(in: arguments, of: parent, meant: meant)
    }
}

extension Bugle {
    /// Runs the program with the process's arguments, and ends it.
    static func start() async -> Never {
        await runProgram {
            if let problem = CommandNames.problem(with: CommandLine.arguments.dropFirst(), of: Bugle.self) {
                throw ValidationError(problem)
            }
        } saying: { error, code in
            let text = CommandHelp.wrapped(fullMessage(for: error))
            let console = Console(environment: [:], noColor: true)
            if !text.isEmpty { code.isSuccess ? console.output(text + "\n") : console.error(text + "\n") }
        }
    }
}
