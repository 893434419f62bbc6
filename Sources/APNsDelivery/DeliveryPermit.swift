package import DeviceRegistry

/// What allows a run to send, and what may stop it.
package struct DeliveryPermit: Sendable {
    /// The run's random name, which its batches bear.
    package var run: String
    /// The lock under which it writes; nil for the server, whose registry has no second writer.
    package var lease: DeployLease?
    /// Whether requests may start: the lock certainly holds as long as one takes, and ``grace`` more.
    package var mayStart: @Sendable () async -> Bool
    /// Whether it was asked to end; asked before every request, so it must not wait.
    package var isStopped: @Sendable () -> Bool

    /// How long requests may start after ``mayStart`` said yes; apply.md, "Lock".
    package static let grace = Duration.seconds(10)

    /// Joins them.
    package init(
        run: String, lease: DeployLease?, mayStart: @escaping @Sendable () async -> Bool = { true },
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.run = run
        self.lease = lease
        self.mayStart = mayStart
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

    /// Joins them.
    package init(
        requestTimeout: Duration = .seconds(30), retries: Int = 5, batchTime: Duration = .seconds(60)
    ) {
        self.requestTimeout = requestTimeout
        self.retries = retries
        self.batchTime = batchTime
    }

    /// After so long a batch that another sender claimed will not be settled any more.
    var abandonedAfter: Duration { batchTime + requestTimeout + .seconds(30) }
}
