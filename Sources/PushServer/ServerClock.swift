internal import DeviceRegistry
package import Push
internal import Synchronization

/// The server's clock, which drives the `Date` header, every `createdAt`, time windows and ages.
///
/// It can be advanced, so that rules about minutes and days are tested in seconds. Copies of a server follow the clock
/// of their database. Where there is one server, the offset is in memory only: after a restart the clock follows the
/// machine's again.
package final class ServerClock: Sendable {
    private enum Base {
        case machine
        case standing(Instant)
    }

    private let base: Base
    private let machine: Instant?
    private let offset = Mutex<Double>(0)

    /// Creates a clock that follows the machine's.
    package init() {
        base = .machine
        machine = nil
    }

    /// Creates a stopped clock that only moves when advanced.
    ///
    /// - Parameters:
    ///   - start: the initial time.
    ///   - machine: the value of ``machineTime``; nil for the machine's own clock.
    package init(standingAt start: Instant, machineAt machine: Instant? = nil) {
        base = .standing(start)
        self.machine = machine
    }

    /// The current time.
    package var now: Instant {
        let seconds = offset.withLock { $0 }
        switch base {
        case .machine: return Instant.system.advanced(bySeconds: seconds)
        case .standing(let start): return start.advanced(bySeconds: seconds)
        }
    }

    /// The machine's own time, however far the clock was advanced: clients sign with theirs.
    package var machineTime: Instant { machine ?? .system }

    /// True if it can follow another clock; a stopped one cannot.
    var canFollow: Bool {
        switch base {
        case .machine: true
        case .standing: false
        }
    }

    /// Follows another clock that showed a time when the machine's showed `machine`.
    func follow(_ time: Instant, at machine: Instant) {
        guard canFollow else { return }
        offset.withLock { $0 = Double(time.milliseconds - machine.milliseconds) / 1000 }
    }

    /// The `Date` header of an answer that is given now.
    var httpDate: String { now.httpDate }

    /// Advances the clock.
    package func advance(bySeconds seconds: Double) {
        offset.withLock { $0 += seconds }
    }
}

extension Instant {
    /// The weekday from 0 for Sunday, and the month and day of the month from 1, in UTC.
    var date: (weekday: Int, month: Int, day: Int) {
        let date = CivilDate(daysSince1970: Int((Double(milliseconds) / 86_400_000).rounded(.down)))
        return ((date.weekday + 1) % 7, date.month, date.day)
    }
}
