/// The server's clock between two looks at it: the last look and the time that passed here since.
package struct ServerTime: Sendable {
    /// Time since any fixed moment, on a clock that nobody sets.
    package let elapsed: @Sendable () -> Duration
    private let base: Instant
    private let seen: Duration

    /// A look that took longer says little: this machine may have stood still before or after the server's.
    private static let longestLook = Duration.seconds(2)

    /// Starts from a look at the server's clock, the shortest of three when they take long.
    ///
    /// - Parameter elapsed: time since any fixed moment, on a clock that nobody sets.
    /// - Throws: what the look throws.
    package init<Failure: Error>(
        elapsed: @escaping @Sendable () -> Duration, _ look: () async throws(Failure) -> Instant
    ) async throws(Failure) {
        self.elapsed = elapsed
        var began = elapsed()
        var best = (base: try await look(), seen: began, took: elapsed() - began)
        for _ in 0..<2 where best.took > Self.longestLook {
            began = elapsed()
            let base = try await look()
            let took = elapsed() - began
            if took < best.took { best = (base, began, took) }
        }
        (base, seen) = (best.base, best.seen)
    }

    /// The server's clock now, as far as it can be known without asking.
    package var now: Instant { base + (elapsed() - seen) }

    /// What has elapsed when the server's clock shows a time.
    package func elapsed(at time: Instant) -> Duration { seen + (time - base) }
}
