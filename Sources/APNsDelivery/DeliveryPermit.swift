internal import DeviceRegistry
package import PushModel

/// What allows a run to send, and what may stop it.
package struct DeliveryPermit: Sendable {
    /// The run's random name, which its batches bear.
    package var run: String
    /// The lock under which it writes; nil for the server, whose registry has no second writer.
    package var lease: Lease?
    /// Whether requests may start, and until when.
    package var permission: @Sendable () async -> Permission
    /// Whether it was asked to end; asked before every request, so it must not wait.
    package var isStopped: @Sendable () -> Bool

    /// How long requests may start after the lock was found to hold as long as one takes;
    /// <doc:/PushApply/Lock#Lifetime>.
    package static let grace = Duration.seconds(10)

    /// Joins them.
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

/// How patient a delivery is.
package struct DeliverySettings: Sendable {
    /// How long one request takes at most; 30 s by default.
    package var requestTimeout: Duration
    /// How many batches in a row may end without any request having been made; 5 by default.
    package var retries: Int
    /// How long after its claim a batch may start requests; what is left of it then goes back.
    package var batchTime: Duration
    /// How long it waits for its next request, with nothing else to do, before it is left to a later run; nil: as long
    /// as need be. A minute by default.
    package var longestWait: Duration?

    /// Joins them.
    package init(
        requestTimeout: Duration = .seconds(30), retries: Int = 5, batchTime: Duration = .seconds(60),
        longestWait: Duration? = .seconds(60)
    ) {
        self.requestTimeout = requestTimeout
        self.retries = retries
        self.batchTime = batchTime
        self.longestWait = longestWait
    }

    /// After so long a batch that another sender claimed will not be settled any more.
    var abandonedAfter: Duration { batchTime + requestTimeout + .seconds(30) }
}
