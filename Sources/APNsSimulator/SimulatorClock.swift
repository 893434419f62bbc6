internal import CLibrary
internal import Synchronization

/// The time that the simulator goes by, in milliseconds of UNIX time.
///
/// Ages of provider tokens, idle connections and the times of dead tokens are reckoned by it; latency is not.
package final class SimulatorClock: Sendable {
    private let start: Int64?
    private let offset = Mutex<Int64>(0)

    /// The machine's clock.
    package init() { start = nil }

    /// A clock that stands still and moves only when it is put forward.
    ///
    /// - Parameter start: where it stands, in milliseconds of UNIX time.
    package init(standingAt start: Int64) { self.start = start }

    /// The time, in milliseconds of UNIX time.
    package var now: Int64 { (start ?? Self.machine) + offset.withLock { $0 } }

    /// The time, in whole seconds of UNIX time.
    package var seconds: Int64 { now / 1000 }

    /// Puts the clock forward.
    package func advance(bySeconds seconds: Int64) {
        offset.withLock { $0 += seconds * 1000 }
    }

    private static var machine: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
