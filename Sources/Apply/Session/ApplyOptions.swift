package import Push

/// The options of an apply, besides the plan.
package struct ApplyOptions: Sendable {
    /// True to continue with further sends after one failed.
    package var keepGoing: Bool
    /// The most retries of a deferred send.
    package var retries: Int
    /// The longest wait for the lock.
    package var lockTimeout: Duration
    /// The timeout of a request; at most 60 s.
    package var requestTimeout: Duration
    /// The longest wait for the records of pushes.
    package var recordTimeout: Duration
    /// The user, host and process that apply.
    package var holder: String
    /// The random name of this run.
    package var run: String
    /// The commit, actor and run, for the ledger.
    package var provenance: Provenance
    /// The commit's own time.
    package var committedAt: Instant?

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
