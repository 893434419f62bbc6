internal import CLibrary
internal import Synchronization

/// The simulator's clock, in milliseconds of UNIX time.
///
/// It drives token ages, idle timeouts and the times of dead tokens, but not latency.
package final class SimulatorClock: Sendable {
    private let start: Int64?
    private let offset = Mutex<Int64>(0)

    /// Creates a clock that follows the machine's.
    package init() { start = nil }

    /// Creates a stopped clock that only moves when advanced.
    ///
    /// - Parameter start: the initial time, in milliseconds of UNIX time.
    package init(standingAt start: Int64) { self.start = start }

    /// The current time, in milliseconds of UNIX time.
    package var now: Int64 { (start ?? Self.machine) + offset.withLock { $0 } }

    /// The current time, in whole seconds of UNIX time.
    package var seconds: Int64 { now / 1000 }

    /// Advances the clock.
    package func advance(bySeconds seconds: Int64) {
        offset.withLock { $0 += seconds * 1000 }
    }

    private static var machine: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
