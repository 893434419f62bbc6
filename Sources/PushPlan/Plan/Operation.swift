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
    /// Cancels a pending delivery; then, when there is one, delivers its next generation.
    case cancel(LedgerEntry, then: LedgerEntry?)
    /// Settles a delivery that was left in `sending`.
    case resume(LedgerEntry, ResumeContext)
}

/// What decides how an open delivery is settled, besides the evidence and the time.
package struct ResumeContext: Hashable, Sendable {
    /// Whether the files still want it sent: present, meant for this remote, not held.
    package var isWanted: Bool
    /// Hours in which nothing is sent.
    package var quietHours: QuietHours?

    /// Joins the two.
    package init(isWanted: Bool, quietHours: QuietHours?) {
        self.isWanted = isWanted
        self.quietHours = quietHours
    }
}
