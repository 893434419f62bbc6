/// What a sender is doing now, for a progress line.
package struct SenderStatistics: Hashable, Sendable {
    /// Requests that were begun and not answered.
    package var inFlight = 0
    /// Connections that stand.
    package var connections = 0
    /// Answers of Apple's since the sender was made.
    package var answered = 0
    /// Answers a second over the last seconds; 0 when there were none.
    package var perSecond = 0.0

    /// Nothing yet.
    package init() {}
}

/// Measures answers a second over the last seconds.
struct Rate {
    /// The time over which is measured.
    static let window = Duration.seconds(2)

    private var samples: [(instant: ContinuousClock.Instant, total: Int)] = []

    /// Notes the total at a moment and gives the rate; looks at most ten times a second.
    mutating func note(_ total: Int, at now: ContinuousClock.Instant) -> Double {
        if samples.last.map({ $0.instant + .milliseconds(100) <= now }) ?? true { samples.append((now, total)) }
        // One sample at the window's edge stays.
        while samples.count > 2, samples[1].instant + Self.window <= now { samples.removeFirst() }
        guard let first = samples.first else { return 0 }
        let seconds = first.instant.duration(to: now) / .seconds(1)
        return seconds > 0 ? Double(total - first.total) / seconds : 0
    }
}
