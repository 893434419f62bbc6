/// The lock of one workspace at one remote, and the memory of the last apply.
package struct LockRecord: Hashable, Sendable {
    /// Who holds or held it: a user, a host and a process.
    package var holder: String
    /// The random name of the run that holds it; empty when it is free.
    package var run: String
    /// Raised by every apply that takes the lock.
    package var fence: Int
    /// When it was taken.
    package var acquiredAt: Instant?
    /// Until when it holds, on the server's clock.
    package var expiresAt: Instant
    /// The last apply that ended.
    package var lastApplied: LastApplied?

    /// Makes a record.
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

    /// Whether somebody holds it at this instant of the server's clock.
    package func isHeld(at now: Instant) -> Bool { !run.isEmpty && expiresAt > now }
}

/// What the last apply was made from.
package struct LastApplied: Hashable, Sendable {
    /// The commit.
    package var commit: String?
    /// The commit's own time.
    package var committedAt: Instant?
    /// When it was applied, on the server's clock.
    package var at: Instant
    /// The run's address or name.
    package var run: String?

    /// Joins them.
    package init(commit: String?, committedAt: Instant?, at: Instant, run: String?) {
        self.commit = commit
        self.committedAt = committedAt
        self.at = at
        self.run = run
    }
}
