package import PushModel
package import PushPlan

/// What became of one change of a plan.
package struct ChangeResult: Hashable, Sendable {
    /// The change.
    package var change: Change
    /// How it ended.
    package var outcome: ChangeOutcome
    /// Why, or what else there is to say; empty when there is nothing.
    package var detail: String
    /// The service's id of the push.
    package var objectID: String?
    /// What the service counted.
    package var figures: DeliveryFigures?

    /// What kept it from being done, where the exit code asks.
    package var cause: Cause?

    /// What has an exit code of its own.
    package enum Cause: Hashable, Sendable {
        /// The service does not take the credentials.
        case credentials
        /// The service asked to slow down for longer than the retries last.
        case rateLimit
        /// Nothing is wrong: what is left of it is only a matter of time, and a later apply goes on with it.
        case goesOn
    }

    /// Joins them.
    package init(
        _ change: Change, _ outcome: ChangeOutcome, _ detail: String = "", objectID: String? = nil,
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
    /// Whether its push was made, even if some devices are in doubt or wait: what follows need not wait for a person.
    var isDelivered: Bool { outcome == .done || figures != nil || cause == .goesOn }
}

/// What an apply tells while it works.
package enum ApplyEvent: Sendable {
    /// Another apply holds the lock; it is tried again.
    case waitingForLock(LockRecord)
    /// A change is begun: its place among so many.
    case began(Change, index: Int, count: Int)
    /// A delivery goes on.
    case progress(Change, DeliveryProgress)
    /// A change has ended.
    case ended(ChangeResult)
    /// A wait, and why.
    case waiting(String, Duration)
    /// Something a person should know.
    case warning(String)
}
