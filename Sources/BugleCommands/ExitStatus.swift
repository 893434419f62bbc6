internal import Apply
internal import ArgumentParser
internal import Base
internal import CLibrary
@preconcurrency internal import Dispatch
internal import FoundationEssentials
internal import Push
internal import PushReport

/// The program's exit codes; docs/reference/exit-codes.md#codes describes what each guarantees.
enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    case failed = 1
    /// `plan --detailed-exitcode`: there are changes.
    case changes = 2
    case invalid = 3
    /// Credentials are missing or were rejected.
    case credentials = 4
    /// A rate limit outlasted the retries.
    case rateLimited = 5
    /// A policy or safety limit blocks something.
    case blocked = 6
    case unknown = 7
    /// Applied in part; the next apply continues.
    case partial = 8
    /// The saved plan is no longer valid, or not valid here.
    case stale = 9
    /// Confirmation is needed and there is nobody to ask.
    case confirmation = 10
    /// Another apply holds the lock.
    case locked = 11
    case usage = 64

    private var row: (text: String, label: Phrase) {
        switch self {
        case .success: ("done, or goes on by design; plan: fine", .endedWell)
        case .failed: ("failed: the remote or the machine", .endedFailed)
        case .changes: ("plan --detailed-exitcode: there are changes", .endedWithChanges)
        case .invalid: ("the configuration is invalid", .endedInvalid)
        case .credentials: ("credentials are refused or missing", .endedCredentials)
        case .rateLimited: ("a rate limit outlasted the retries", .endedLimited)
        case .blocked: ("blocked by a policy or a safety limit", .endedBlocked)
        case .unknown:
            ("a person must decide: an outcome is unknown or in doubt, or something was stopped", .endedUnknown)
        case .partial: ("applied in part: something failed, was missed or must be tried again", .endedPartial)
        case .stale: ("the saved plan is stale, or of another workspace, remote or version", .endedStale)
        case .confirmation: ("confirmation is needed and nobody can be asked", .endedUnconfirmed)
        case .locked: ("another apply holds the lock", .endedLocked)
        case .usage: ("wrong usage, or an output file that cannot be written", .endedUsage)
        }
    }

    /// What it means, as the tables of docs/reference/exit-codes.md#codes and CONTRIBUTING.md say.
    var text: String { row.text }
    /// What it means, in a comment or a report on many workspaces.
    var label: Phrase { row.label }

    /// Every code with its meaning, in one paragraph.
    static var table: String {
        "Exit codes: " + allCases.map { "\($0.rawValue) \($0.text)" }.joined(separator: "; ") + "."
    }

    /// The priority of statuses when several apply.
    private static let precedence: [ExitStatus] = [
        .usage, .invalid, .stale, .locked, .confirmation, .credentials, .unknown, .partial, .rateLimited, .blocked,
        .failed, .changes, .success,
    ]

    /// Returns the status of highest priority.
    static func combined(_ statuses: some Sequence<ExitStatus>) -> ExitStatus {
        let all = Set(statuses)
        return precedence.first(where: all.contains) ?? .success
    }

    static func of(_ error: RemoteError) -> ExitStatus {
        switch error.kind {
        case .credentials: .credentials
        case .rateLimited: .rateLimited
        case .unavailable, .refused, .unexpectedAnswer, .conditionFailed, .ledgerLost, .unknownOutcome: .failed
        }
    }

    /// Returns the exit status for a plan; changes only count with `detailed` (`--detailed-exitcode`).
    static func of(_ plan: Plan, detailed: Bool = false) -> ExitStatus {
        var statuses: [ExitStatus] = [.success]
        if plan.isBlocked { statuses.append(.blocked) }
        if plan.hasUnknown { statuses.append(.unknown) }
        // What was missed is an error that a rule holds back.
        if plan.diagnostics.contains(where: { $0.severity == .error && $0.code != .missed }) {
            statuses.append(.invalid)
        }
        if detailed, plan.hasChanges { statuses.append(.changes) }
        return combined(statuses)
    }

    /// Returns the exit status for the results of an apply; blocked changes do not count as failures.
    static func of(_ results: [ChangeResult]) -> ExitStatus {
        let tried = results.filter { !$0.change.isBlocked }
        var statuses: [ExitStatus] = [.success]
        if tried.count < results.count { statuses.append(.blocked) }
        if tried.contains(where: \.needsPerson) { statuses.append(.unknown) }
        if tried.contains(where: { $0.cause == .unsettled }) { statuses.append(.partial) }
        if tried.contains(where: { $0.cause == .credentials }) { statuses.append(.credentials) }
        if tried.contains(where: { $0.cause == .rateLimit }) { statuses.append(.rateLimited) }
        if tried.contains(where: { $0.cause == .notHandedOn }) { statuses.append(.partial) }
        let outcomes = Set(tried.map(\.outcome))
        if outcomes.contains(.partly) { statuses.append(.partial) }
        if !outcomes.isDisjoint(with: [.failed, .refused, .skipped]) {
            statuses.append(outcomes.isDisjoint(with: [.done, .ongoing]) ? .failed : .partial)
        }
        return combined(statuses)
    }

    /// Returns the exit status of an apply: whatever stopped it, what a person must look at is said.
    static func of(_ outcome: ApplySession.Outcome) -> ExitStatus {
        let stops: ExitStatus = outcome.plan?.stops.isEmpty == false ? .unknown : .success
        return switch outcome.ending {
        case .finished: combined([of(outcome.results), stops])
        case .stopped: combined([of(outcome.results), stops, .partial])
        // Nobody can look up later what was sent.
        case .ledgerLost: outcome.results.contains { $0.outcome == .unknown } ? .unknown : .failed
        case .lockLost: outcome.results.contains(where: \.needsPerson) ? .unknown : .locked
        case .lockHeld: .locked
        case .stale, .olderCommit: .stale
        }
    }

    var exit: ExitCode { ExitCode(rawValue) }
}

/// Runs a command's work and exits with its code: the one place where failures become messages and exit codes.
///
/// That the files of `formats`, and `files`, can be written is made sure of first.
func running(
    _ options: CommonOptions, formats: [OutputFormat] = [OutputFormat(.text)], files: [String?] = [],
    _ body: () async throws -> ExitStatus
) async throws {
    let status = try await settled(options, formats) {
        try OutputFile.check(formats.compactMap(\.file) + files.compactMap(\.self))
        return try await body()
    }
    if Console.hasFailed { throw ExitStatus.combined([status, .failed]).exit }
    if status != .success { throw status.exit }
}

/// Does a command's work; its failures become messages and the exit code that is returned.
func settled(
    _ options: CommonOptions, _ formats: [OutputFormat], _ body: () async throws -> ExitStatus
) async throws -> ExitStatus {
    let console = Console.of(options)
    do {
        return try await body()
    } catch let failure as Failure {
        console.section?.dropReport()
        if !failure.diagnostics.isEmpty {
            ReportPrinter(console: console, sources: failure.sources, language: options.language(in: nil))
                .write(.diagnostics(failure.diagnostics), as: formats)
        }
        if let message = failure.message { console.sayError(message) }
        return failure.status
    } catch let error as RemoteError {
        console.section?.dropReport()
        console.sayError(error.description)
        return .of(error)
    }
}

/// The error that ends a command early: an exit code and its messages.
struct Failure: Error {
    let status: ExitStatus
    /// One sentence for standard error; nil when everything has been printed.
    let message: String?
    /// The error in one sentence, taken from the diagnostics if there is no message.
    var summary: String { message ?? diagnostics.first?.message ?? "it cannot be used" }
    /// Diagnostics to print in the requested form.
    let diagnostics: [Diagnostic]
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

    /// Does something that a diagnostic can end; it ends the command.
    static func reporting<Value>(_ body: () throws(Diagnostic) -> Value) throws(Failure) -> Value {
        do throws(Diagnostic) {
            return try body()
        } catch {
            throw Failure(.invalid, diagnostics: [error])
        }
    }
}

/// Requests an apply to stop on SIGINT, SIGTERM, or when a file appears; a second signal ends the program.
final class StopWatch: Sendable {
    private let sources: [any DispatchSourceSignal]
    private let polling: Task<Void, Never>?

    /// Starts watching for signals and, unless it is nil, for the file whose appearance stops the apply.
    init(_ stop: StopSignal, file: String?) {
        let queue = DispatchQueue(label: "bugle.signals")
        sources = [SIGINT, SIGTERM].map { number in
            // The default action would end the program before the source sees the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if stop.isRaised { _exit(ExitStatus.partial.rawValue) }
                stop.raise()
            }
            source.resume()
            return source
        }
        polling = file.map { path in
            Task {
                while !stop.isRaised, !Task.isCancelled {
                    if FileManager.default.fileExists(atPath: path) { stop.raise() }
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
        }
    }

    /// Stops watching and restores the default signal actions.
    func end() {
        polling?.cancel()
        for source in sources { source.cancel() }
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
    }
}
