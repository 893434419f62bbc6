internal import ArgumentParser
internal import Base
internal import FoundationEssentials
internal import Push
internal import PushReport

/// Runs a command's work and exits with its code: the one place where failures become messages and exit codes.
///
/// That the files of `formats`, and `files`, can be written is made sure of first.
func running(
    _ options: CommonOptions, formats: [OutputFormat] = [OutputFormat(.text)], files: [String?] = [],
    _ body: () async throws -> ExitStatus
) async throws {
    let console = Console.of(options)
    let status: ExitStatus
    do {
        try OutputFile.check(formats.compactMap(\.file) + files.compactMap(\.self))
        status = try await body()
    } catch let failure as Failure {
        if !failure.diagnostics.isEmpty {
            ReportPrinter(
                console: console, sources: failure.sources, language: options.language(in: nil)
            )
            .write(.diagnostics(failure.diagnostics), as: formats)
        }
        if let message = failure.message { console.say("bugle: error: \(message)") }
        status = failure.status
    } catch let error as RemoteError {
        console.say("bugle: error: \(error.description)")
        status = .of(error)
    }
    if Console.hasFailed { throw ExitStatus.combined([status, .failed]).exit }
    if status != .success { throw status.exit }
}
