internal import Synchronization

/// Counts the server's activity.
///
/// The labels are closed lists: no client's token, id or path can become one, and their number is bounded.
final class ServerMetrics: Sendable {
    /// A class of requests with its response status.
    struct Outcome: Hashable, Comparable, Sendable {
        let route: RouteClass
        let status: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.route.rawValue, left.status) < (right.route.rawValue, right.status)
        }
    }

    /// The distribution of request durations.
    struct Histogram: Sendable {
        /// The upper bounds in seconds; the last bucket has none.
        static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

        /// The number of requests per bucket.
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        /// The sum of all durations, in seconds.
        var sum = 0.0

        mutating func add(_ seconds: Double) {
            counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            sum += seconds
        }
    }

    /// The counts so far.
    struct Counts: Sendable {
        var requests: [Outcome: Int] = [:]
        var durations: [RouteClass: Histogram] = [:]
        var inFlight = 0
    }

    /// The number of open connections.
    let connections = ConnectionGauge()
    /// The outcomes of notifications to Apple.
    let apple = AppleCounters()
    private let state = Mutex(Counts())

    /// Counts the start of a request.
    func begin() {
        state.withLock { $0.inFlight += 1 }
    }

    /// Counts the end of a request; without a response, its status is 499.
    func end(_ outcome: Outcome, seconds: Double) {
        state.withLock { counts in
            counts.inFlight -= 1
            counts.requests[outcome, default: 0] += 1
            counts.durations[outcome.route, default: Histogram()].add(seconds)
        }
    }

    /// Counts a refusal of something that never became a readable request.
    func countRefused(_ status: Int) {
        state.withLock { $0.requests[Outcome(route: .other, status: status), default: 0] += 1 }
    }

    /// The counts so far.
    var counts: Counts { state.withLock { $0 } }
}

/// The number of open connections.
final class ConnectionGauge: Sendable {
    private let count = Atomic(0)

    /// The current number.
    var value: Int { count.load(ordering: .relaxed) }

    func opened() { count.add(1, ordering: .relaxed) }
    func closed() { count.subtract(1, ordering: .relaxed) }
}
