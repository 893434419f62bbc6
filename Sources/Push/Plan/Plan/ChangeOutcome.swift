/// The outcome of a planned change.
package enum ChangeOutcome: String, Hashable, Sendable, CaseIterable {
    /// The change was carried out.
    case done
    /// What was due was carried out, and the rest goes on by design: its time has not come.
    case ongoing
    /// It was carried out for some devices: time ran out for the others, or they must be tried again.
    case partly
    /// The service refused it; nothing was sent.
    case refused
    /// The change was certainly not carried out.
    case failed
    /// The outcome is unknown.
    case unknown
    /// The change was not attempted.
    case skipped
}
