/// A delivery to send, with the callbacks for its progress and permission.
package struct Sending: Sendable {
    /// The delivery, with its request.
    package var entry: LedgerEntry
    /// The limit on an audience that the remote selects itself: a larger one is sent nothing; nil: no limit.
    package var mostDevices: Int?
    /// The lock as last confirmed.
    package var lease: @Sendable () async -> Lease
    /// Called before each request, or batch of requests, to learn whether it may be written, and until when.
    package var permission: @Sendable () async -> Permission
    /// True once the apply was asked to stop: nothing new starts.
    package var isStopped: @Sendable () -> Bool
    /// Called with the delivery's progress.
    package var progress: @Sendable (DeliveryProgress) -> Void

    package init(
        entry: LedgerEntry, mostDevices: Int? = nil, lease: @escaping @Sendable () async -> Lease,
        permission: @escaping @Sendable () async -> Permission = { .granted(for: .seconds(60)) },
        isStopped: @escaping @Sendable () -> Bool = { false },
        progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) {
        self.entry = entry
        self.mostDevices = mostDevices
        self.lease = lease
        self.permission = permission
        self.isStopped = isStopped
        self.progress = progress
    }
}

/// Tells whether a request of a delivery may be written.
package enum Permission: Hashable, Sendable {
    /// Allowed, for this long from the moment the permission was *requested*; a request that is not being written by
    /// then must not be written any more. The lock lasts as long as its answer may take, and 10 s more.
    case granted(for: Duration)
    /// Not allowed; a remote that has begun a delivery then interrupts it.
    case denied(Denial)
}

/// The reason no request of a delivery may be written now.
package enum Denial: Hashable, Sendable, CustomStringConvertible {
    /// The lock may not last as long as a request takes.
    case lockLost
    /// The delivery's window has ended, or it has expired: which, and when.
    case over(String)
    /// The request would start in quiet hours; the value is their end, if they have one.
    case quietHours(until: Instant?)

    package var description: String {
        switch self {
        case .lockLost: "the lock was lost"
        case .over(let why): why
        case .quietHours: "quiet hours began"
        }
    }
}

/// A helper for a delivery in progress.
package struct Joining: Sendable {
    /// The random name of the run that helps.
    package var run: String
    /// The hours in which it makes no requests.
    package var quietHours: QuietHours?
    /// True once the helper was asked to stop.
    package var isStopped: @Sendable () -> Bool
    /// Called with the delivery's progress.
    package var progress: @Sendable (DeliveryProgress) -> Void

    package init(
        run: String, quietHours: QuietHours? = nil, isStopped: @escaping @Sendable () -> Bool,
        progress: @escaping @Sendable (DeliveryProgress) -> Void
    ) {
        self.run = run
        self.quietHours = quietHours
        self.isStopped = isStopped
        self.progress = progress
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
