internal import ArgumentParser
internal import Push
internal import PushReport

/// Renders a saved plan in any format.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Renders a saved plan in any format.",
        discussion: """
            EXAMPLE
              bugle show plan.json --format markdown
            """)

    @OptionGroup var formats: FormatOptions<ReviewForms>

    @Argument(help: ArgumentHelp("A plan that 'bugle plan --out FILE' saved.", valueName: "PLAN"))
    var plan: String

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common, formats: formats.requested) {
            let plan = try readSavedPlan(self.plan)
            ReportPrinter(
                console: .of(common), sources: SourceFiles(), language: common.language(in: plan.language)
            )
            .write(.plan(plan), as: formats.requested)
            return .success
        }
    }
}
