package import PushModel

/// The server's clock between two looks at it: the last look and the time that passed here since.
package struct ServerTime: Sendable {
    private let base: Instant
    private let seen: Duration
    private let elapsed: @Sendable () -> Duration

    /// Starts from a look at the server's clock.
    ///
    /// - Parameter elapsed: time since any fixed moment, on a clock that nobody sets.
    package init(_ base: Instant, elapsed: @escaping @Sendable () -> Duration) {
        self.base = base
        self.elapsed = elapsed
        seen = elapsed()
    }

    /// The server's clock now, as far as it can be known without asking.
    package var now: Instant { base + (elapsed() - seen) }
}
