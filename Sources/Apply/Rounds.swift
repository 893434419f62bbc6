package import Base
package import Push

/// Runs rounds at equal intervals, one after the other, until a stop is requested; one that takes longer than the
/// interval is followed by the next at once. `elapsed` is the time since a fixed moment on a monotonic clock.
package func runRounds(
    every interval: Duration, stop: StopSignal, pausing: any Pausing, elapsed: @Sendable () -> Duration,
    _ round: () async throws -> Void
) async throws {
    while !stop.isRaised {
        let began = elapsed()
        try await round()
        let rest = interval - (elapsed() - began)
        guard rest > .zero else { continue }
        do throws(CancellationError) {
            try await pausing.pause(for: rest)
        } catch {
            return
        }
    }
}

/// The ways a round of a runner ends.
package enum DueRound: Sendable {
    /// Nothing was due; the plan shows what waits.
    case idle(Plan)
    /// Something was due, or had been missed, and an apply has ended.
    case applied(ApplySession.Outcome)
}

extension RemoteReading {
    /// One round of a runner: looks without the lock whether anything is due, and applies only then.
    ///
    /// Without anything due it writes nothing, so that a runner that looks every minute leaves the lock to others.
    /// `input` makes the planner's input from a state and must select only what is due; `session` makes the apply,
    /// which takes the lock and plans again under it. With `notifies`, what a team was not told yet is due, too.
    ///
    /// - Throws: `RemoteError` when the remote cannot be queried before anything was carried out, and what `session`
    ///   throws.
    package func dueRound(
        notifies: Bool = false, input makeInput: @escaping @Sendable (RemoteState) -> PlanInput,
        session: () async throws -> ApplySession
    ) async throws -> DueRound {
        let state = try await observe { Planner.questions(makeInput($0)) }
        let input = makeInput(state)
        let plan = Planner.plan(input).plan
        let hasNews = notifies && NewsRecorder.hasNews(state, plan, input.desired.policy)
        guard plan.hasChanges || plan.hasNewlyMissed || hasNews else { return .idle(plan) }
        return .applied(try await session().run(input: makeInput, agree: { _ in [] }))
    }
}

extension Plan {
    /// True when something was missed that no apply knows yet: the next one lists or records it.
    package var hasNewlyMissed: Bool {
        changes.contains { change in
            guard change.action == .missed else { return false }
            // Of a send that was interrupted the ledger says so only then. In quiet hours its time is not over yet.
            let isOpen = change.reason.has(Reason.Progress.neverReceived)
            return change.isMissedDay || isOpen && !change.reason.has(Reason.Planned.wouldBeQuiet)
                || change.blocked.contains { $0.rule == .missed }
        }
    }
}
