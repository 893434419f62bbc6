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

extension Instant {
    /// Reads the `Date` header of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil when it is anything else.
    ///
    /// Source: RFC 9110 section 5.6.7, IMF-fixdate.
    init?(httpDate text: String) {
        let parts = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 6, parts[5] == "GMT", parts[1].utf8.count == 2,
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        self.init("\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z")
    }
}
