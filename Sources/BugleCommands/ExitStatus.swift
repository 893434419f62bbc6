internal import ArgumentParser
internal import Base
internal import Apply
internal import Push

/// The program's exit codes; docs/reference/exit-codes.md#codes describes what each guarantees.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Success.
    case success = 0
    /// The remote or the machine failed.
    case failed = 1
    /// `plan --detailed-exitcode`: there are changes.
    case changes = 2
    /// The configuration is invalid.
    case invalid = 3
    /// Credentials are missing or were rejected.
    case credentials = 4
    /// A rate limit outlasted the retries.
    case rateLimited = 5
    /// A policy or safety limit blocks something.
    case blocked = 6
    /// The outcome of a send is unknown.
    case unknown = 7
    /// Applied in part; the next apply continues.
    case partial = 8
    /// The saved plan is no longer valid, or not valid here.
    case stale = 9
    /// Confirmation is needed and there is nobody to ask.
    case confirmation = 10
    /// Another apply holds the lock.
    case locked = 11
    /// Wrong usage.
    case usage = 64

    /// What it means, as the tables of docs/reference/exit-codes.md#codes and CONTRIBUTING.md say.
    var text: String {
        switch self {
        case .success: "done, or goes on by design; plan: fine"
        case .failed: "failed: the remote or the machine"
        case .changes: "plan --detailed-exitcode: there are changes"
        case .invalid: "the configuration is invalid"
        case .credentials: "credentials are refused or missing"
        case .rateLimited: "a rate limit outlasted the retries"
        case .blocked: "blocked by a policy or a safety limit"
        case .unknown: "a person must decide: an outcome is unknown or in doubt, or a rollout was stopped"
        case .partial: "applied in part: something failed, was missed or must be tried again"
        case .stale: "the saved plan is stale, or of another workspace, remote or version"
        case .confirmation: "confirmation is needed and nobody can be asked"
        case .locked: "another apply holds the lock"
        case .usage: "wrong usage, or an output file that cannot be written"
        }
    }

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

    /// Returns the exit status for an error of a remote.
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
        if plan.diagnostics.contains(where: { $0.severity == .error }) { statuses.append(.invalid) }
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
        switch outcome.ending {
        case .finished: of(outcome.results)
        case .stopped: combined([of(outcome.results), .partial])
        // Nobody can look up later what was sent.
        case .ledgerLost: outcome.results.contains { $0.outcome == .unknown } ? .unknown : .failed
        case .lockLost: outcome.results.contains(where: \.needsPerson) ? .unknown : .locked
        case .lockHeld: .locked
        case .stale, .olderCommit: .stale
        }
    }

    /// The exit code to throw.
    var exit: ExitCode { ExitCode(rawValue) }
}
