/// A delivery that is to be made, with what it must ask while it goes on.
package struct Sending: Sendable {
    /// The delivery, with its request.
    package var entry: LedgerEntry
    /// A remote that chooses the audience itself sends nothing to one of more devices; nil: any number.
    package var mostDevices: Int?
    /// The lock as last confirmed.
    package var lease: @Sendable () async -> Lease
    /// Asked before each request, or batch of requests: whether it may be written, and until when.
    package var permission: @Sendable () async -> Permission
    /// Whether the apply was asked to end: nothing new starts.
    package var isStopped: @Sendable () -> Bool
    /// Told how far it is.
    package var progress: @Sendable (DeliveryProgress) -> Void

    /// Joins them.
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

/// Whether a request of a delivery may be written.
package enum Permission: Hashable, Sendable {
    /// It may, for so long from the moment at which the question was *asked*; a request that is not being written by
    /// then must not be written any more. The lock holds as long as its answer may take, and 10 s more.
    case granted(for: Duration)
    /// It may not; a remote that has begun a delivery then interrupts it.
    case denied(Denial)
}

/// Why no request of a delivery may be written now.
package enum Denial: Hashable, Sendable, CustomStringConvertible {
    /// The lock does not certainly hold as long as a request takes.
    case lockLost
    /// Its window has ended, or it has expired: which, and when.
    case over(String)
    /// It would start in quiet hours; until when they last, where they end.
    case quietHours(until: Instant?)

    package var description: String {
        switch self {
        case .lockLost: "the lock was lost"
        case .over(let why): why
        case .quietHours: "quiet hours began"
        }
    }
}

/// Help for a delivery under way.
package struct Joining: Sendable {
    /// The random name of the run that helps.
    package var run: String
    /// Hours in which it makes no request.
    package var quietHours: QuietHours?
    /// Whether the helper was asked to end.
    package var isStopped: @Sendable () -> Bool
    /// Told how far the delivery is.
    package var progress: @Sendable (DeliveryProgress) -> Void

    /// Joins them.
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
