internal import FoundationEssentials
package import PushModel
internal import Synchronization

/// This machine's clocks.
package struct LocalClock: Sendable {
    /// The time of day.
    package let time: @Sendable () -> Instant
    /// A clock that nobody sets.
    package let steady: @Sendable () -> ContinuousClock.Instant

    /// Clocks of one's own.
    ///
    /// - Parameters:
    ///   - time: the time of day.
    ///   - steady: what nobody sets; the system's by default.
    package init(
        time: @escaping @Sendable () -> Instant, steady: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.time = time
        self.steady = steady
    }

    /// The system's clocks.
    package static let system = LocalClock { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}

/// What the headers of the server's answers tell: its clock, and what it reaches devices by.
package final class ServerClock: Sendable {
    /// This machine's clocks.
    package let local: LocalClock
    private let offset = Mutex<Duration?>(nil)
    private let applesOnly = Mutex(false)

    /// Makes a clock that knows nothing of the server yet.
    package init(_ local: LocalClock = .system) { self.local = local }

    /// Notes what an answer said.
    package func note(_ date: Instant) {
        let difference = date - local.time()
        offset.withLock { $0 = difference }
    }

    /// Notes whether an answer was a bugle-server's that has no way to devices but Apple's.
    package func note(reachesAppleOnly: Bool) {
        applesOnly.withLock { $0 = reachesAppleOnly }
    }

    /// Whether the server has no way to devices but Apple's; LeanCloud has, and a bugle-server that simulates all.
    package var reachesAppleOnly: Bool { applesOnly.withLock { $0 } }

    /// The server's time now, about; nil while no answer told it.
    package var estimate: Instant? { offset.withLock { $0 }.map { local.time() + $0 } }
}
