package import Base

/// Rounds at equal intervals until a stop is requested.
package struct Rounds: Sendable {
    private let interval: Duration
    private let stop: StopSignal
    private let pausing: any Pausing
    private let elapsed: @Sendable () -> Duration

    /// Creates rounds: `elapsed` is the time since a fixed moment on a monotonic clock.
    package init(
        every interval: Duration, stop: StopSignal, pausing: any Pausing,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        self.interval = interval
        self.stop = stop
        self.pausing = pausing
        self.elapsed = elapsed
    }

    /// Runs rounds one after the other; one that takes longer than the interval is followed by the next at once.
    package func run(_ round: () async throws -> Void) async throws {
        while !stop.isRaised {
            let began = elapsed()
            try await round()
            let rest = interval - (elapsed() - began)
            guard rest > .zero else { continue }
            do throws(CancellationError) {
                try await pausing.pause(for: rest)
            } catch {
                return
            }
        }
    }
}
