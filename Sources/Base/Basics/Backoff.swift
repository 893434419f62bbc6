/// The pauses between tries: each twice as long as the one before, up to a limit.
package struct Backoff: Hashable, Sendable {
    /// The first pause.
    package let first: Duration
    /// The longest pause.
    package let longest: Duration
    private let jitter: ClosedRange<Double>?

    /// Pauses from `first` to `longest`, each multiplied by a random number in `jitter`, so that callers spread out.
    package init(first: Duration, longest: Duration, jitter: ClosedRange<Double>? = nil) {
        self.first = first
        self.longest = longest
        self.jitter = jitter
    }

    /// The pause after so many failures in a row, counted from 1.
    package func pause(after failures: Int) -> Duration {
        let pause = min(longest, first * (1 << min(max(0, failures - 1), 20)))
        return jitter.map { pause * Double.random(in: $0) } ?? pause
    }
}
