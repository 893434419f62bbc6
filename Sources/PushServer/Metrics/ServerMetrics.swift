internal import Synchronization

/// Counts what the server does.
///
/// The labels are closed lists: no token, id or path of a client can become one, and their number is bounded.
final class ServerMetrics: Sendable {
    /// A kind of request with its outcome.
    struct Outcome: Hashable, Comparable, Sendable {
        let route: RouteClass
        let status: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.route.rawValue, left.status) < (right.route.rawValue, right.status)
        }
    }

    /// How long requests took.
    struct Histogram: Sendable {
        /// The bounds in seconds; a last one without bound follows.
        static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

        /// How many requests fell under each bound and over the one before.
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        /// All times together, in seconds.
        var sum = 0.0

        mutating func add(_ seconds: Double) {
            counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            sum += seconds
        }
    }

    /// What was counted.
    struct Counts: Sendable {
        var requests: [Outcome: Int] = [:]
        var durations: [RouteClass: Histogram] = [:]
        var inFlight = 0
    }

    /// How many connections are open.
    let connections = ConnectionGauge()
    /// What became of notifications to Apple.
    let apple = AppleCounters()
    private let state = Mutex(Counts())

    /// A request has begun.
    func begin() {
        state.withLock { $0.inFlight += 1 }
    }

    /// A request has ended; a status that nobody was sent is 499.
    func end(_ outcome: Outcome, seconds: Double) {
        state.withLock { counts in
            counts.inFlight -= 1
            counts.requests[outcome, default: 0] += 1
            counts.durations[outcome.route, default: Histogram()].add(seconds)
        }
    }

    /// Something was refused before it was a request that can be read.
    func countRefused(_ status: Int) {
        state.withLock { $0.requests[Outcome(route: .other, status: status), default: 0] += 1 }
    }

    /// What was counted until now.
    var counts: Counts { state.withLock { $0 } }
}

/// Counts open connections.
final class ConnectionGauge: Sendable {
    private let count = Atomic(0)

    /// How many are open.
    var value: Int { count.load(ordering: .relaxed) }

    func opened() { count.add(1, ordering: .relaxed) }
    func closed() { count.subtract(1, ordering: .relaxed) }
}
