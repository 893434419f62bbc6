package import PushModel

/// A delivery that is to be made, with what it must ask while it goes on.
package struct Sending: Sendable {
    /// The delivery, with its request.
    package var entry: LedgerEntry
    /// A remote that chooses the audience itself sends nothing to one of more devices; nil: any number.
    package var mostDevices: Int?
    /// The lock as last confirmed.
    package var lease: @Sendable () async -> Lease
    /// Whether another request may start: the lock certainly holds as long as one takes.
    package var mayStart: @Sendable () async -> Bool
    /// Whether the apply was asked to end: nothing new starts.
    package var isStopped: @Sendable () -> Bool
    /// Told how far it is.
    package var progress: @Sendable (DeliveryProgress) -> Void

    /// Joins them.
    package init(
        entry: LedgerEntry, mostDevices: Int? = nil, lease: @escaping @Sendable () async -> Lease,
        mayStart: @escaping @Sendable () async -> Bool = { true },
        isStopped: @escaping @Sendable () -> Bool = { false },
        progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) {
        self.entry = entry
        self.mostDevices = mostDevices
        self.lease = lease
        self.mayStart = mayStart
        self.isStopped = isStopped
        self.progress = progress
    }
}

/// Help for a delivery under way.
package struct Joining: Sendable {
    /// The random name of the run that helps.
    package var run: String
    /// Whether the helper was asked to end.
    package var isStopped: @Sendable () -> Bool
    /// Told how far the delivery is.
    package var progress: @Sendable (DeliveryProgress) -> Void

    /// Joins them.
    package init(
        run: String, isStopped: @escaping @Sendable () -> Bool, progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) {
        self.run = run
        self.isStopped = isStopped
        self.progress = progress
    }
}

/// How far a delivery is, in devices.
package struct DeliveryProgress: Hashable, Sendable {
    /// Devices in the audience; nil: it is still being frozen.
    package var targets: Int?
    /// Those that Apple accepted.
    package var accepted: Int
    /// Those that Apple refused, by its reasons.
    package var refused: [String: Int]
    /// Those whose answer was lost.
    package var inDoubt: Int
    /// Devices a second, lately.
    package var perSecond: Double
    /// How long the rest takes at that rate; nil: not known.
    package var remaining: Duration?

    /// Joins them.
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
