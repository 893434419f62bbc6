package import Push

/// The result of one change of a plan.
package struct ChangeResult: Hashable, Sendable {
    /// The change.
    package var change: Change
    /// The outcome.
    package var outcome: ChangeOutcome
    /// The reason, or other remarks; nil when there are none.
    package var detail: Reason?
    /// The service's id of the push.
    package var objectID: String?
    /// The service's figures.
    package var figures: DeliveryFigures?
    /// The time at which a delivery that goes on by design does the next thing; nil when it is not known.
    package var next: Instant?

    /// The cause of a failure, if it decides the exit code.
    package var cause: Cause?

    /// The causes with an exit code of their own.
    package enum Cause: Hashable, Sendable {
        /// The service refused the credentials.
        case credentials
        /// The service asked to slow down for longer than the retries last.
        case rateLimit
        /// The service took the push, and could not hand it on for as long as its record was waited for.
        case notHandedOn
        /// The outcome is open, and the next apply settles it: no person is needed.
        case unsettled
    }

    package init(
        _ change: Change, _ outcome: ChangeOutcome, _ detail: Reason? = nil, objectID: String? = nil,
        figures: DeliveryFigures? = nil, cause: Cause? = nil
    ) {
        self.change = change
        self.outcome = outcome
        self.detail = detail
        self.objectID = objectID
        self.figures = figures
        self.cause = cause
    }
}

extension ChangeResult {
    /// True when a person must look at it, or decide about the rest.
    package var needsPerson: Bool { outcome == .unknown && cause != .unsettled }

    /// The result of a delivery that goes on by design, with what was sent of it so far.
    init(_ change: Change, goesOn why: Reason, _ state: JournalState?, at now: Instant) {
        let part = state?.part.flatMap { $0.next > now ? $0 : nil }
        let figures = state.map { state in
            DeliveryFigures(
                devices: state.answered + state.inDoubt, successes: state.answered - state.refused, invalidTokens: 0,
                inDoubt: state.inDoubt)
        }
        self.init(change, .ongoing, part?.outcome ?? why, figures: figures)
        next = part?.next
    }

    /// True when its push was made, even if some devices are in doubt or waiting: later changes need not wait for a
    /// person.
    var isDelivered: Bool { outcome == .done || outcome == .ongoing || outcome == .partly || figures != nil }
}

/// An event reported while an apply works.
package enum ApplyEvent: Sendable {
    /// Another apply holds the lock; the apply tries again.
    case waitingForLock(LockRecord)
    /// A change was started; its index and the number of changes.
    case began(Change, index: Int, count: Int)
    /// The progress of a delivery.
    case progress(Change, DeliveryProgress)
    /// A change has ended.
    case ended(ChangeResult)
    /// A wait, with its reason.
    case waiting(String, Duration)
    /// A warning for the user.
    case warning(String)
}
