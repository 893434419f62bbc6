package import ArgumentParser
internal import PushReport

/// The `bugle` command-line tool.
package struct Bugle: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
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
            UnlockCommand.self,
            LedgerCommand.self, RegistryCommand.self, ImportCommand.self, FmtCommand.self, SchemaCommand.self,
            DoctorCommand.self, MigrateCommand.self, CommentCommand.self, ExplainCommand.self,
            CompletionsCommand.self, VersionCommand.self,
        ])

    /// Creates the command with default options.
    package init() {}
}
