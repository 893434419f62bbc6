package import Push

/// A run's permission to send, and the means to stop it.
package struct DeliveryPermit: Sendable {
    /// The run's random name, recorded in its batches.
    package var run: String
    /// The lock under which it writes; nil for the server, whose registry has no other writer.
    package var lease: Lease?
    /// Tells whether requests may start, and until when.
    package var permission: @Sendable () async -> Permission
    /// True once the run was asked to stop; called before every request, so it must not block.
    package var isStopped: @Sendable () -> Bool

    /// The time during which requests may start after the lock was found to last as long as one takes;
    /// docs/background/lock.md#lifetime.
    package static let grace = Duration.seconds(10)

    package init(
        run: String, lease: Lease?,
        permission: @escaping @Sendable () async -> Permission = { .granted(for: grace) },
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.run = run
        self.lease = lease
        self.permission = permission
        self.isStopped = isStopped
    }
}

/// The timeouts and retries of a delivery.
package struct DeliverySettings: Sendable {
    /// The timeout of a request; 30 s by default.
    package var requestTimeout: Duration
    /// The most batches in a row that may end without any request; 5 by default.
    package var retries: Int
    /// The time after its claim during which a batch may start requests; the rest of it is then returned.
    package var batchTime: Duration
    /// The longest wait for its next request, with nothing else to do, before it is left to a later run; nil: no limit.
    /// A minute by default.
    package var longestWait: Duration?
    /// The time after which a device that was not seen gets nothing; nil: it always gets it. 90 days by default.
    package var staleAfter: Duration?

    package init(
        requestTimeout: Duration = .seconds(30), retries: Int = 5, batchTime: Duration = .seconds(60),
        longestWait: Duration? = .seconds(60), staleAfter: Duration? = AudienceCount.threeMonths
    ) {
        self.staleAfter = staleAfter
        self.requestTimeout = requestTimeout
        self.retries = retries
        self.batchTime = batchTime
        self.longestWait = longestWait
    }

    /// The time after which a batch claimed by another sender will not be settled any more.
    var abandonedAfter: Duration { batchTime + requestTimeout + .seconds(30) }
}
