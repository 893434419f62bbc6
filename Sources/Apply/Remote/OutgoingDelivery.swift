package import Push

/// A delivery to send, with the callbacks for its progress and permission.
package struct OutgoingDelivery: Sendable {
    /// The delivery, with its request.
    package var entry: LedgerEntry
    /// The numbers of devices that an audience which the remote selects itself may have: one of any other size is sent
    /// nothing.
    package var allowed: Range<Int>
    /// The lock as last confirmed.
    package var lease: @Sendable () async -> Lease
    /// Called before each request, or batch of requests, to learn whether it may be written, and until when.
    package var permission: @Sendable () async -> Permission
    /// True once the apply was asked to stop: nothing new starts.
    package var isStopped: @Sendable () -> Bool
    /// Called with the delivery's progress.
    package var progress: @Sendable (DeliveryProgress) -> Void

    package init(
        entry: LedgerEntry, allowed: Range<Int> = 0..<Int.max,
        lease: @escaping @Sendable () async -> Lease,
        permission: @escaping @Sendable () async -> Permission = { .granted(for: .seconds(60)) },
        isStopped: @escaping @Sendable () -> Bool = { false },
        progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) {
        self.entry = entry
        self.allowed = allowed
        self.lease = lease
        self.permission = permission
        self.isStopped = isStopped
        self.progress = progress
    }
}

/// A helper for a delivery in progress.
package struct DeliveryHelper: Sendable {
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
