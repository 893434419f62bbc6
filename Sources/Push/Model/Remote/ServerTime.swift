/// The server's clock between two readings: the last reading plus the time elapsed here since.
package struct ServerTime: Sendable {
    /// The time since a fixed moment on a monotonic clock.
    package let elapsed: @Sendable () -> Duration
    private let base: Instant
    private let seen: Duration

    /// The longest reading that is trusted: during a longer one this machine may have been suspended.
    private static let longestLook = Duration.seconds(2)

    /// Starts from a reading of the server's clock, the quickest of three when they take long; `elapsed` is the time
    /// since a fixed moment on a monotonic clock.
    ///
    /// - Throws: the error of the reading.
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

    /// The server's time now, as far as known without a request.
    package var now: Instant { base + (elapsed() - seen) }

    /// The elapsed time at which the server's clock shows a time.
    package func elapsed(at time: Instant) -> Duration { seen + (time - base) }
}
