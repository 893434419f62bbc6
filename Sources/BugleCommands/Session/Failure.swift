internal import Base
internal import Push

/// The error that ends a command early: an exit code and its messages.
struct Failure: Error {
    /// The exit code.
    let status: ExitStatus
    /// One sentence for standard error; nil when everything has been printed.
    let message: String?
    /// The error in one sentence, taken from the diagnostics if there is no message.
    var summary: String { message ?? diagnostics.first?.message ?? "it cannot be used" }
    /// Diagnostics to print in the requested form.
    let diagnostics: [Diagnostic]
    /// The sources of files with diagnostics.
    let sources: SourceFiles

    init(
        _ status: ExitStatus, _ message: String? = nil, diagnostics: [Diagnostic] = [],
        sources: SourceFiles = SourceFiles()
    ) {
        self.status = status
        self.message = message
        self.diagnostics = diagnostics
        self.sources = sources
    }
}
