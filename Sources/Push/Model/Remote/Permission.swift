/// Tells whether a request of a delivery may be written.
package enum Permission: Hashable, Sendable {
    /// Allowed, for this long from the moment the permission was *requested*; a request that is not being written by
    /// then must not be written any more. The lock lasts as long as its answer may take, and 10 s more.
    case granted(for: Duration)
    /// Not allowed; a remote that has begun a delivery then interrupts it.
    case denied(Denial)
}

/// The reason no request of a delivery may be written now.
package enum Denial: Hashable, Sendable {
    /// The lock may not last as long as a request takes.
    case lockLost
    /// The delivery's window has ended, or it has expired: which, and when.
    case over(Reason)
    /// The request would start in quiet hours; the value is their end, if they have one.
    case quietHours(until: Instant?)

    /// The denial in words.
    package var reason: Reason {
        switch self {
        case .lockLost: Reason(.lockLost)
        case .over(let why): why
        case .quietHours: Reason(.quietBegan)
        }
    }
}

/// The progress of a delivery, in devices.
package struct DeliveryProgress: Hashable, Sendable {
    /// The number of devices in the audience; nil while it is being frozen.
    package var targets: Int?
    /// The number of devices that Apple accepted.
    package var accepted: Int
    /// The number of devices that Apple refused, by reason.
    package var refused: [String: Int]
    /// The number of devices whose answer was lost.
    package var inDoubt: Int
    /// The recent rate in devices a second.
    package var perSecond: Double
    /// The estimated time for the rest at that rate; nil when unknown.
    package var remaining: Duration?

    package init(
        targets: Int?, accepted: Int = 0, refused: [String: Int] = [:], inDoubt: Int = 0, perSecond: Double = 0,
        remaining: Duration? = nil
    ) {
        self.targets = targets
        self.accepted = accepted
        self.refused = refused
        self.inDoubt = inDoubt
        self.perSecond = perSecond
        self.remaining = remaining
    }
}
