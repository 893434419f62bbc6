package import Push

/// A delivery whose devices report events.
package struct CountedDelivery: Hashable, Sendable {
    /// The delivery.
    package var delivery: String
    /// The workspace that it is of.
    package var workspace: String
    /// The campaign; nil when the workspace's ledger does not have it.
    package var campaign: String?
    /// The time when its audience was frozen.
    package var startedAt: Instant
    /// The devices for which Apple accepted it.
    package var accepted: Int
    /// The devices that reported.
    package var events: EventFigures
}
