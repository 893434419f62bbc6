internal import FoundationEssentials
package import Push
internal import Synchronization

/// This machine's clocks.
package struct LocalClock: Sendable {
    /// The time of day.
    package let time: @Sendable () -> Instant
    /// A clock that nobody sets.
    package let steady: @Sendable () -> ContinuousClock.Instant

    /// Creates replacements for the system's clocks.
    ///
    /// - Parameters:
    ///   - time: the time of day.
    ///   - steady: a monotonic clock; the system's by default.
    package init(
        time: @escaping @Sendable () -> Instant, steady: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.time = time
        self.steady = steady
    }

    /// The system's clocks.
    package static let system = LocalClock { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}

/// The facts told by the headers of the server's answers: its time, and the way it reaches devices.
package final class ServerFacts: Sendable {
    /// This machine's clocks.
    package let local: LocalClock
    private let offset = Mutex<Duration?>(nil)
    private let applesOnly = Mutex(false)
    private let bugles = Mutex(false)

    /// Starts with nothing known about the server.
    package init(_ local: LocalClock = .system) { self.local = local }

    /// Records the server's time from an answer.
    package func note(_ date: Instant) {
        let difference = date - local.time()
        offset.withLock { $0 = difference }
    }

    /// Records whether an answer came from a bugle-server, and from one that reaches devices only through Apple.
    package func note(reachesAppleOnly: Bool, isBugleServer: Bool = false) {
        applesOnly.withLock { $0 = reachesAppleOnly }
        bugles.withLock { $0 = isBugleServer }
    }

    /// True when a bugle-server answered.
    package var isBugleServer: Bool { bugles.withLock { $0 } }

    /// True when the server reaches devices only through Apple; false for LeanCloud, and for a bugle-server that
    /// simulates all.
    package var reachesAppleOnly: Bool { applesOnly.withLock { $0 } }

    /// The server's approximate time now; nil until an answer told it.
    package var estimate: Instant? { offset.withLock { $0 }.map { local.time() + $0 } }
}
