package import PushModel

/// What an apply carries out for a change: the change's meaning with everything that no plan file holds.
///
/// Indirect, because plans of thousands of steps are sorted and copied, and a ledger entry is large.
package indirect enum Operation: Hashable, Sendable {
    /// Nothing.
    case nothing
    /// Records a resource.
    case save(ResourceRecord)
    /// Forgets a resource.
    case forget(ResourceRecord)
    /// Sends or schedules a delivery; the ledger entry is new or replaces one that is closed.
    case deliver(LedgerEntry, replaces: Bool)
    /// Cancels a pending delivery, whichever of its generations is pending; then, when there is one, delivers its next.
    case cancel(LedgerEntry, then: LedgerEntry?)
    /// Cancels pushes of a delivery that should not be pending, such as those of earlier generations; where the
    /// delivery itself stands does not change.
    case withdraw(LedgerEntry, [ScheduledPush])
    /// Settles a delivery that was left in `sending`.
    case resume(LedgerEntry, ResumeContext)
}

/// What decides how an open delivery is settled, besides the evidence and the time.
package struct ResumeContext: Hashable, Sendable {
    /// What the files say of it now.
    package var wish: Wish
    /// Hours in which nothing is sent.
    package var quietHours: QuietHours?

    /// What the files can want of a delivery that was begun.
    package enum Wish: Hashable, Sendable {
        /// That it is delivered.
        case delivered
        /// That what is left of it waits.
        case held
        /// Nothing any more: it is gone from them, or not meant for this remote.
        case ended
    }

    /// Joins the two.
    package init(_ wish: Wish, quietHours: QuietHours?) {
        self.wish = wish
        self.quietHours = quietHours
    }
}
