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

    package init(workspace: String, run: String, fence: Int, expiresAt: Instant) {
        self.workspace = workspace
        self.run = run
        self.fence = fence
        self.expiresAt = expiresAt
    }
}
