/// The right to write until it expires.
package struct Lease: Hashable, Sendable {
    /// The workspace whose lock it is.
    package var workspace: String
    /// The run that holds it.
    package var run: String
    /// The fence of the lock.
    package var fence: Int
    /// The time it expires, on the server's clock.
    package var expiresAt: Instant
    /// The time for which taking or renewing it lasts; two minutes for an apply.
    package var length: Duration

    /// The length of an apply's lock; docs/background/lock.md#lifetime.
    package static let usualLength = Duration.seconds(120)

    package init(
        workspace: String, run: String, fence: Int, expiresAt: Instant, length: Duration = usualLength
    ) {
        self.workspace = workspace
        self.run = run
        self.fence = fence
        self.expiresAt = expiresAt
        self.length = length
    }
}
