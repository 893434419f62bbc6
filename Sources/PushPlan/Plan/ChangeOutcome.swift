/// How a change of a plan ended.
package enum ChangeOutcome: String, Hashable, Sendable, CaseIterable {
    /// It was carried out.
    case done
    /// The service refused it; nothing was sent.
    case refused
    /// It was not carried out, and that is known.
    case failed
    /// Nobody knows whether it was carried out.
    case unknown
    /// It was not tried.
    case skipped
}
