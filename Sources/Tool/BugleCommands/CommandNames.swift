internal import ArgumentParser
internal import Diagnostics

/// Suggestions for commands that people look for under another name.
enum CommandNames {
    private static let meant = [
        "deploy": "apply", "push": "apply", "send": "apply", "check": "validate", "lint": "validate", "diff": "plan",
        "dry-run": "plan", "serve": "run", "watch": "run", "daemon": "run", "format": "fmt", "list": "status",
    ]

    /// Returns a message about a wrong command name in the arguments; nil when there is none, or the parser reports it.
    static func problem(with arguments: ArraySlice<String>, of parent: any ParsableCommand.Type) -> String? {
        guard let name = arguments.first, !name.hasPrefix("-"), name != "help" else { return nil }
        if parent == ValidateCommand.self || parent == PlanCommand.self {
            return "\(quoted(name)) cannot be checked alone: files depend on each other, so the whole "
                + "workspace is read; leave it out, or name another workspace with -C DIR"
        }
        let commands = parent.configuration.subcommands
        guard !commands.isEmpty else { return nil }
        if let command = commands.first(where: { $0._commandName == name }) {
            return problem(with: arguments.dropFirst(), of: command)
        }
        let names = commands.map { $0._commandName }
        let known = meant[name].flatMap { names.contains($0) ? "; did you mean \(quoted($0))?" : nil }
        return "there is no command \(quoted(name))\(known ?? Suggestion.ending(for: name, among: names))"
    }
}

extension Bugle {
    /// Runs the program with the process's arguments.
    package static func start() async {
        if let problem = CommandNames.problem(with: CommandLine.arguments.dropFirst(), of: Bugle.self) {
            exit(withError: ValidationError(problem))
        }
        await main()
    }
}
