/// The outcome of a planned change.
package enum ChangeOutcome: String, Hashable, Sendable, CaseIterable {
    /// The change was carried out.
    case done
    /// The service refused it; nothing was sent.
    case refused
    /// The change was certainly not carried out.
    case failed
    /// The outcome is unknown.
    case unknown
    /// The change was not attempted.
    case skipped
}
