package import Base
package import Push

/// Rounds at equal intervals until a stop is requested.
package struct Rounds: Sendable {
    private let interval: Duration
    private let stop: StopSignal
    private let pausing: any Pausing
    private let elapsed: @Sendable () -> Duration

    /// Creates rounds: `elapsed` is the time since a fixed moment on a monotonic clock.
    package init(
        every interval: Duration, stop: StopSignal, pausing: any Pausing,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        self.interval = interval
        self.stop = stop
        self.pausing = pausing
        self.elapsed = elapsed
    }

    /// Runs rounds one after the other; one that takes longer than the interval is followed by the next at once.
    package func run(_ round: () async throws -> Void) async throws {
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
}

/// One round of a runner: looks without the lock whether anything is due, and applies only then.
///
/// Without anything due it writes nothing, so that a runner that looks every minute leaves the lock to others.
package struct DueRound: Sendable {
    private let reader: any RemoteReading
    private let notifies: Bool

    /// Creates a round on a remote; with `notifies`, what a team was not told yet is due, too.
    package init(reader: any RemoteReading, notifies: Bool = false) {
        self.reader = reader
        self.notifies = notifies
    }

    /// The ways a round ends.
    package enum Ending: Sendable {
        /// Nothing was due; the plan shows what waits.
        case idle(Plan)
        /// Something was due, or had been missed, and an apply has ended.
        case applied(ApplySession.Outcome)
    }

    /// Runs the round. `input` makes the planner's input from a state and must select only what is due; `session` makes
    /// the apply, which takes the lock and plans again under it.
    ///
    /// - Throws: `RemoteError` when the remote cannot be queried before anything was carried out, and what `session`
    ///   throws.
    package func run(
        input makeInput: @escaping @Sendable (RemoteState) -> PlanInput,
        session: () async throws -> ApplySession
    ) async throws -> Ending {
        let state = try await reader.observe { Planner.questions(makeInput($0)) }
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
            return change.isBlocked
                ? change.blocked.contains { $0.rule == .missed } : change.delivery?.occurrence.date != nil
        }
    }
}
