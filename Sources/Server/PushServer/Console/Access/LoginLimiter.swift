internal import DeviceRegistry
internal import PushModel
internal import RegistryModel
internal import Synchronization

/// Counts failed logins by address: after ten within a minute, further ones must wait until the minute is over.
///
/// The minute begins with the first failure. The table is bounded; addresses that do not fit share one entry.
final class LoginLimiter: Sendable {
    private struct Minute {
        var end: Instant
        var failures = 0
    }

    /// The number of failed logins allowed per minute.
    static let mostFailures = 10
    /// The number of addresses tracked separately.
    static let mostAddresses = 4096

    private let minutes = Mutex<[String: Minute]>([:])

    /// Counts a login with a wrong key.
    ///
    /// - Returns: the seconds the address must wait, from 1; `nil` while it is below the limit.
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

    /// The number of entries in the table.
    var count: Int { minutes.withLock { $0.count } }
}
