/// The lock of a workspace on a remote, with the last apply.
package struct LockRecord: Hashable, Sendable {
    /// The current or last holder: a user, a host and a process.
    package var holder: String
    /// The random name of the run that holds the lock; empty when it is free.
    package var run: String
    /// The fence, raised by every apply that takes the lock.
    package var fence: Int
    /// The time the lock was taken.
    package var acquiredAt: Instant?
    /// The time the lock expires, on the server's clock.
    package var expiresAt: Instant
    /// The last apply that finished.
    package var lastApplied: LastApplied?

    package init(
        holder: String, run: String, fence: Int, acquiredAt: Instant? = nil, expiresAt: Instant,
        lastApplied: LastApplied? = nil
    ) {
        self.holder = holder
        self.run = run
        self.fence = fence
        self.acquiredAt = acquiredAt
        self.expiresAt = expiresAt
        self.lastApplied = lastApplied
    }

    /// True when the lock is held at this instant of the server's clock.
    package func isHeld(at now: Instant) -> Bool { !run.isEmpty && expiresAt > now }
}

/// The last apply, with the commit it was made from.
package struct LastApplied: Hashable, Sendable {
    /// The commit that was applied.
    package var commit: String?
    /// The time of the commit.
    package var committedAt: Instant?
    /// The time of the apply, on the server's clock.
    package var at: Instant
    /// The run's URL or name.
    package var run: String?
    /// What later applies must know of approvals; nil: nothing.
    package var approvals: ApprovalMemory?

    package init(commit: String?, committedAt: Instant?, at: Instant, run: String?, approvals: ApprovalMemory? = nil) {
        self.commit = commit
        self.committedAt = committedAt
        self.at = at
        self.run = run
        self.approvals = approvals
    }

    /// The same without what applies tell each other, as people see it.
    package var withoutApprovals: LastApplied {
        LastApplied(commit: commit, committedAt: committedAt, at: at, run: run)
    }
}
