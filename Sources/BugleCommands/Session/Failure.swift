internal import Diagnostics
internal import PushConfig

/// Why a command ends early: an exit code with something to say.
struct Failure: Error {
    /// The exit code.
    let status: ExitStatus
    /// One sentence for standard error; nil when everything was said.
    let message: String?
    /// What is wrong, also where only diagnostics say it.
    var summary: String { message ?? diagnostics.first?.message ?? "it cannot be used" }
    /// Diagnostics to print in the requested form.
    let diagnostics: [Diagnostic]
    /// The files they speak of.
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
