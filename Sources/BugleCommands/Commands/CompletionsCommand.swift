internal import ArgumentParser

/// Prints what completes the program's commands and options in a shell.
struct CompletionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Prints the completions of a shell.",
        discussion: """
            EXAMPLE
              bugle completions fish

            bash: source <(bugle completions bash)
            zsh:  bugle completions zsh > "${fpath[1]}/_bugle"
            fish: bugle completions fish > ~/.config/fish/completions/bugle.fish
            """)

    /// A shell with completions.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: ArgumentHelp("The shell: bash, zsh or fish.", valueName: "SHELL"))
    var shell: Shell

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common) {
            let shell: CompletionShell =
                switch shell {
                case .bash: .bash
                case .zsh: .zsh
                case .fish: .fish
                }
            Console.of(common).output(Bugle.completionScript(for: shell) + "\n")
            return .success
        }
    }
}
