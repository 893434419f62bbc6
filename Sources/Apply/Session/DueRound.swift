package import Push

/// One round of a runner: looks without the lock whether anything is due, and applies only then.
///
/// Without anything due it writes nothing, so that a runner that looks every minute leaves the lock to others.
package struct DueRound: Sendable {
    private let reader: any RemoteReading

    /// Creates a round on a remote.
    package init(reader: any RemoteReading) { self.reader = reader }

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
        desired: Workspace, input: @escaping @Sendable (RemoteState) -> PlanInput,
        session: () async throws -> ApplySession
    ) async throws -> Ending {
        let state = try await reader.observe { Planner.questions(input($0)) }
        let plan = Planner.plan(input(state)).plan
        guard plan.hasChanges || plan.hasNewlyMissed else { return .idle(plan) }
        return .applied(try await session().run(desired: desired, input: input, agree: { _ in [] }))
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
