/// The operation of an apply for a change, including everything that a plan file does not hold.
///
/// Indirect, because plans of thousands of steps are sorted and copied, and a ledger entry is large.
package indirect enum Operation: Hashable, Sendable {
    /// No operation.
    case nothing
    /// Records a resource.
    case save(ResourceRecord)
    /// Removes the record of a resource.
    case forget(ResourceRecord)
    /// Records the deliveries of a renamed campaign under its new name, and then the campaign itself if it is recurring.
    case rename([LedgerEntry], saving: ResourceRecord?)
    /// Records that a campaign's time passed before anything was sent, although a rule blocks its line: from then on it
    /// is known.
    case miss(LedgerEntry)
    /// Sends or schedules a delivery; the ledger entry is new or replaces a closed one.
    case deliver(LedgerEntry, replaces: Bool)
    /// Cancels a pending delivery, whichever generation is pending, and then delivers the next one if there is one.
    case cancel(LedgerEntry, then: LedgerEntry?)
    /// Cancels pushes of a delivery that should not be pending, such as those of earlier generations; the state of the
    /// delivery itself does not change.
    case withdraw(LedgerEntry, [ScheduledPush])
    /// Settles a delivery that was left in `sending`.
    case resume(LedgerEntry, ResumeContext)
}

/// The context for settling an open delivery, besides the evidence and the time.
package struct ResumeContext: Hashable, Sendable {
    /// The current intent of the files.
    package var wish: Wish
    /// The hours in which nothing is sent.
    package var quietHours: QuietHours?

    /// The possible intents of the files for a delivery that was started.
    package enum Wish: Hashable, Sendable {
        /// The delivery is wanted.
        case delivered
        /// The rest of the delivery is on hold.
        case held
        /// The delivery is no longer wanted: it is gone from the files, or not meant for this remote.
        case ended
    }

    package init(_ wish: Wish, quietHours: QuietHours?) {
        self.wish = wish
        self.quietHours = quietHours
    }
}
