internal import DeviceRegistry
internal import Synchronization

/// Counts failed logins by address: after ten within a minute none is looked at until the minute is over.
///
/// The minute begins with the first failure. The table is bounded; addresses that find no room in it share one entry.
final class LoginLimiter: Sendable {
    private struct Minute {
        var end: Timestamp
        var failures = 0
    }

    /// Failed logins a minute.
    static let mostFailures = 10
    /// Addresses that are told apart.
    static let mostAddresses = 4096

    private let minutes = Mutex<[String: Minute]>([:])

    /// Counts a login that is about to be looked at, as failed until ``forgive(_:)``.
    ///
    /// - Returns: how many seconds the address must wait instead, from 1; `nil` when the login may be looked at.
    func begin(_ address: String, at now: Timestamp) -> Int64? {
        minutes.withLock { minutes in
            if minutes.count >= Self.mostAddresses { minutes = minutes.filter { now < $0.value.end } }
            let key = Self.key(address, in: minutes)
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

    /// Takes the last count back: the login was right.
    func forgive(_ address: String) {
        minutes.withLock { minutes in
            let key = Self.key(address, in: minutes)
            guard let minute = minutes[key] else { return }
            minutes[key] = minute.failures > 1 ? Minute(end: minute.end, failures: minute.failures - 1) : nil
        }
    }

    /// How many entries the table has.
    var count: Int { minutes.withLock { $0.count } }

    /// An address's entry: an IPv6 network of 64 bits counts as one address, since its holder has them all.
    private static func key(_ address: String, in minutes: [String: Minute]) -> String {
        let key = network(address) ?? address
        return minutes[key] != nil || minutes.count < mostAddresses ? key : ""
    }

    /// The first four groups of an IPv6 address; `nil` when it is another or holds an IPv4 address.
    private static func network(_ address: String) -> String? {
        guard address.contains(":"), !address.contains(".") else { return nil }
        var groups = address.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if let gap = groups.dropFirst().dropLast().firstIndex(of: "") {
            let zeros = Array(repeating: "0", count: max(0, 9 - groups.count))
            groups.replaceSubrange(gap...gap, with: zeros)
        }
        return groups.prefix(4).map { $0.isEmpty ? "0" : $0.lowercased() }.joined(separator: ":") + "::/64"
    }
}
