internal import FoundationEssentials
internal import PushModel
internal import Synchronization

/// The server's clock, as the `Date` headers of its answers tell it.
final class ServerClock: Sendable {
    /// This machine's clock.
    let local: @Sendable () -> Instant
    private let offset = Mutex<Duration?>(nil)

    /// Makes a clock that knows nothing of the server yet.
    init(local: @escaping @Sendable () -> Instant = ServerClock.system) { self.local = local }

    /// Notes what an answer said.
    func note(_ date: Instant) {
        let difference = date - local()
        offset.withLock { $0 = difference }
    }

    /// The server's time now, about; nil while no answer told it.
    var estimate: Instant? { offset.withLock { $0 }.map { local() + $0 } }

    /// This machine's clock.
    static func system() -> Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
