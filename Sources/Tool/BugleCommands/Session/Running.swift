internal import ArgumentParser
internal import Diagnostics
internal import FoundationEssentials
internal import PushConfig
internal import PushModel
internal import PushPlan
internal import PushReport

/// Runs a command's work and exits with its code: the one place where failures become messages and exit codes.
func running(
    _ options: CommonOptions, formats: [OutputFormat] = [OutputFormat(.text)], _ body: () async throws -> ExitStatus
) async throws {
    let console = Console.of(options)
    let status: ExitStatus
    do {
        status = try await body()
    } catch let failure as Failure {
        if !failure.diagnostics.isEmpty {
            try? ReportPrinter(
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
    if Console.hasFailed {
        console.say("bugle: error: the output could not be written")
        throw ExitStatus.combined([status, .failed]).exit
    }
    if status != .success { throw status.exit }
}
