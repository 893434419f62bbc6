package import PushModel

/// How an apply works, besides the plan.
package struct ApplyOptions: Sendable {
    /// Whether sends go on after one failed.
    package var keepGoing: Bool
    /// How often a deferred send is tried again.
    package var retries: Int
    /// How long to wait for the lock.
    package var lockTimeout: Duration
    /// The time one request may take; at most 60 s.
    package var requestTimeout: Duration
    /// How long to wait for the records of what was sent.
    package var recordTimeout: Duration
    /// Who applies: user, host and process.
    package var holder: String
    /// The random name of this run.
    package var run: String
    /// Commit, actor and run, for the ledger.
    package var provenance: Provenance
    /// The commit's own time.
    package var committedAt: Instant?

    /// Joins them.
    package init(
        keepGoing: Bool = false, retries: Int = 5, lockTimeout: Duration = .zero,
        requestTimeout: Duration = .seconds(30), recordTimeout: Duration = .seconds(60), holder: String, run: String,
        provenance: Provenance = Provenance(), committedAt: Instant? = nil
    ) {
        self.keepGoing = keepGoing
        self.retries = retries
        self.lockTimeout = lockTimeout
        self.requestTimeout = requestTimeout
        self.recordTimeout = recordTimeout
        self.holder = holder
        self.run = run
        self.provenance = provenance
        self.committedAt = committedAt
    }
}
