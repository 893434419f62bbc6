internal import DeviceRegistry
internal import PushModel
internal import Synchronization

/// Counts failed logins by address: after ten within a minute the others are told to wait until it is over.
///
/// The minute begins with the first failure. The table is bounded; addresses that find no room in it share one entry.
final class LoginLimiter: Sendable {
    private struct Minute {
        var end: Instant
        var failures = 0
    }

    /// Failed logins a minute.
    static let mostFailures = 10
    /// Addresses that are told apart.
    static let mostAddresses = 4096

    private let minutes = Mutex<[String: Minute]>([:])

    /// Counts a login with a wrong key.
    ///
    /// - Returns: how many seconds the address is told to wait, from 1; `nil` when it has not failed so often.
    func fail(_ address: String, at now: Instant) -> Int64? {
        minutes.withLock { minutes in
            if minutes.count >= Self.mostAddresses { minutes = minutes.filter { now < $0.value.end } }
            let key = ClientAddress.entry(of: address, in: minutes, most: Self.mostAddresses)
            var minute = minutes[key] ?? Minute(end: now)
            if minute.end <= now { minute = Minute(end: now.advanced(bySeconds: 60)) }
            guard minute.failures < Self.mostFailures else {
                return (minute.end.milliseconds - now.milliseconds + 999) / 1000
            }
            minute.failures += 1
            minutes[key] = minute
            return nil
        }
    }

    /// How many entries the table has.
    var count: Int { minutes.withLock { $0.count } }
}
