internal import DeviceRegistry
internal import Push
internal import Synchronization

/// Limits attempts to log in: after ten wrong keys from an address within a minute, the next ones wait until the minute
/// is over, also with the right key.
///
/// The minute begins with the first failure. Whoever is logged in counts apart from the others at an address, by their
/// rights: strangers who guess keys there do not keep them from another login. The table is bounded; addresses that do
/// not fit share one entry, by which the right key is not held up.
final class LoginLimiter: Sendable {
    private struct Minute {
        var end: Instant
        var failures = 0
    }

    /// The number of failed logins allowed per minute.
    static let mostFailures = 10
    /// The number of addresses tracked separately.
    static let mostAddresses = 4096

    private let minutes = Mutex<[SessionStore.Role?: [String: Minute]]>([:])

    /// Counts an attempt if its key is wrong.
    ///
    /// - Parameters:
    ///   - address: the address of the browser.
    ///   - role: the rights that it has already.
    ///   - isRight: true if the key is right.
    ///   - now: the time.
    /// - Returns: the seconds the attempt must wait, from 1; `nil` while the address is below the limit.
    func attempt(_ address: String, as role: SessionStore.Role?, isRight: Bool, at now: Instant) -> Int64? {
        minutes.withLock { all in
            var minutes = all[role] ?? [:]
            defer { all[role] = minutes }
            if minutes.count >= Self.mostAddresses { minutes = minutes.filter { now < $0.value.end } }
            let key = ClientAddress.entry(of: address, in: minutes, most: Self.mostAddresses)
            var minute = minutes[key] ?? Minute(end: now)
            if minute.end <= now { minute = Minute(end: now.advanced(bySeconds: 60)) }
            guard minute.failures < Self.mostFailures || isRight && key.isEmpty else {
                return (minute.end.milliseconds - now.milliseconds + 999) / 1000
            }
            guard !isRight else { return nil }
            minute.failures += 1
            minutes[key] = minute
            return nil
        }
    }

    /// The number of entries in the table.
    var count: Int { minutes.withLock { $0.values.reduce(0) { $0 + $1.count } } }
}
