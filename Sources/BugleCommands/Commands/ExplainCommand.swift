internal import ArgumentParser
internal import Base
internal import Push

/// Prints the reference's article of a diagnostic.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explains a diagnostic: why it is said, an example, and what to do.",
        discussion: """
            EXAMPLE
              bugle explain unknown-key

            The code stands in square brackets at the end of a diagnostic.
            """)

    @Argument(help: ArgumentHelp("The code of the diagnostic.", valueName: "CODE"))
    var code: String

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common) {
            // Whoever copies the brackets means the code in them.
            let name = code.hasPrefix("[") && code.hasSuffix("]") ? String(code.dropFirst().dropLast()) : code
            guard let code = DiagnosticCode(rawValue: name),
                let page = DiagnosticArticle.page(of: code, in: common.language(in: nil))
            else {
                let ending = Suggestion.ending(for: name, among: DiagnosticCode.allCases.map(\.rawValue))
                throw Failure(
                    .usage,
                    "explain: there is no diagnostic \(quoted(name))\(ending); the code stands in square brackets at the "
                        + "end of a diagnostic, and docs/reference/README.md lists all")
            }
            Console.of(common).output(page)
            return .success
        }
    }
}
