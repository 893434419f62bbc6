internal import ArgumentParser
internal import Diagnostics
internal import PushApply
internal import PushModel
internal import PushPlan

/// The program's exit codes; <doc:ExitCodes#Codes> says what each promises.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Done, and fine.
    case success = 0
    /// The remote or the machine failed.
    case failed = 1
    /// `plan --detailed-exitcode`: there are changes.
    case changes = 2
    /// The configuration is invalid.
    case invalid = 3
    /// Credentials are refused or missing.
    case credentials = 4
    /// A rate limit outlasted the retries.
    case rateLimited = 5
    /// A policy or safety limit blocks something.
    case blocked = 6
    /// The outcome of a send is unknown.
    case unknown = 7
    /// Applied in part: the next apply goes on.
    case partial = 8
    /// The saved plan does not hold any more, or here.
    case stale = 9
    /// Nobody to ask.
    case confirmation = 10
    /// Another apply holds the lock.
    case locked = 11
    /// Wrong usage.
    case usage = 64

    /// Where several hold, the first of these is the program's.
    private static let precedence: [ExitStatus] = [
        .usage, .invalid, .stale, .locked, .confirmation, .credentials, .unknown, .partial, .rateLimited, .blocked,
        .failed, .changes, .success,
    ]

    /// The one of several that the program ends with.
    static func combined(_ statuses: some Sequence<ExitStatus>) -> ExitStatus {
        let all = Set(statuses)
        return precedence.first(where: all.contains) ?? .success
    }

    /// What an error of a remote ends with.
    static func of(_ error: RemoteError) -> ExitStatus {
        switch error.kind {
        case .credentials: .credentials
        case .rateLimited: .rateLimited
        case .unavailable, .refused, .unexpectedAnswer, .conditionFailed, .unknownOutcome: .failed
        }
    }

    /// What a plan ends with, besides the changes that `--detailed-exitcode` counts.
    static func of(_ plan: Plan, detailed: Bool = false) -> ExitStatus {
        var statuses: [ExitStatus] = [.success]
        if plan.isBlocked { statuses.append(.blocked) }
        if plan.hasUnknown { statuses.append(.unknown) }
        if plan.diagnostics.hasErrors { statuses.append(.invalid) }
        if detailed, plan.hasChanges { statuses.append(.changes) }
        return combined(statuses)
    }

    /// What the results of an apply end with; blocked changes are no failures.
    static func of(_ results: [ChangeResult]) -> ExitStatus {
        let tried = results.filter { !$0.change.isBlocked }
        var statuses: [ExitStatus] = [.success]
        if tried.count < results.count { statuses.append(.blocked) }
        if tried.contains(where: { $0.outcome == .unknown }) { statuses.append(.unknown) }
        if tried.contains(where: { $0.cause == .credentials }) { statuses.append(.credentials) }
        if tried.contains(where: { $0.cause == .rateLimit }) { statuses.append(.rateLimited) }
        if tried.contains(where: { $0.cause == .goesOn }) { statuses.append(.partial) }
        let isIncomplete = tried.contains { $0.outcome == .failed || $0.outcome == .refused || $0.outcome == .skipped }
        if isIncomplete { statuses.append(tried.contains { $0.outcome == .done } ? .partial : .failed) }
        return combined(statuses)
    }

    /// Ends the program with this code.
    var exit: ExitCode { ExitCode(rawValue) }
}
