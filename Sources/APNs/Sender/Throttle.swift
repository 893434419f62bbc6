/// Lets through so many requests a second, evenly: a bucket that holds a tenth of a second's.
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

    /// How many may go now, at most `wanted`; they count as gone.
    mutating func take(_ wanted: Int, at now: ContinuousClock.Instant) -> Int {
        if now > filled {
            tokens = min(capacity, tokens + filled.duration(to: now) / .seconds(1) * perSecond)
            filled = now
        }
        let taken = min(wanted, Int(tokens))
        tokens -= Double(taken)
        return taken
    }

    /// Gives back what was taken and not used.
    mutating func giveBack(_ count: Int) { tokens = min(capacity, tokens + Double(count)) }

    /// How long until the next may go.
    var patience: Duration { .seconds(max(0, (1 - tokens) / perSecond)) }
}
