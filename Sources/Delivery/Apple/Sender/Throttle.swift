/// An even rate limit per second: a token bucket that holds a tenth of a second's requests.
struct Throttle {
    private let perSecond: Double
    private let capacity: Double
    private var tokens: Double
    private var filled: ContinuousClock.Instant

    /// Starts with a full bucket.
    init(perSecond: Int, at now: ContinuousClock.Instant) {
        self.perSecond = Double(perSecond)
        capacity = max(1, Double(perSecond) / 10)
        tokens = capacity
        filled = now
    }

    /// Takes up to `wanted` requests from the bucket and returns how many may start now.
    mutating func take(_ wanted: Int, at now: ContinuousClock.Instant) -> Int {
        if now > filled {
            tokens = min(capacity, tokens + filled.duration(to: now) / .seconds(1) * perSecond)
            filled = now
        }
        let taken = min(wanted, Int(tokens))
        tokens -= Double(taken)
        return taken
    }

    /// Returns unused requests to the bucket.
    mutating func giveBack(_ count: Int) { tokens = min(capacity, tokens + Double(count)) }

    /// The time until the next request may start.
    var patience: Duration { .seconds(max(0, (1 - tokens) / perSecond)) }
}
