package import Base
internal import Crypto
internal import FoundationEssentials
internal import HTTP
package import Push
internal import Synchronization

/// The connection settings of one app on a service with LeanCloud's API.
package struct LeanCloudConnection: Sendable {
    /// The base URL, without a version; a trailing `/` is ignored.
    package let url: String
    /// The app's id, sent as `X-LC-Id`.
    package let appId: String
    /// The key that signs every request; it is never sent itself.
    package let masterKey: Secret
    /// The variable or file that the key comes from, for messages.
    package let masterKeySource: String?
    /// The timeout of a request; 30 s by default, at most 60 s.
    package let timeout: Duration
    /// The most retries of a request; 5 by default.
    package let retries: Int
    /// Told why a request is made again, and how long until then.
    package let onRetry: @Sendable (RemoteError, Duration) -> Void

    package init(
        url: String, appId: String, masterKey: Secret, from masterKeySource: String? = nil,
        timeout: Duration = .seconds(30), retries: Int = 5,
        onRetry: @escaping @Sendable (RemoteError, Duration) -> Void = { _, _ in }
    ) {
        var base = Substring(url)
        while base.hasSuffix("/") { base.removeLast() }
        self.url = String(base)
        self.appId = appId
        self.masterKey = masterKey
        self.masterKeySource = masterKeySource
        self.timeout = min(timeout, .seconds(60))
        self.retries = max(0, retries)
        self.onRetry = onRetry
    }

    /// Host and port of an address.
    package static func host(of url: String) -> String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.lowercased()
    }
}

/// The value of `X-LC-Sign`, which proves possession of the master key without sending it.
///
/// > `sign = md5(timestamp + key)`, lower-case; `timestamp` in milliseconds; `,master` for the master key.
/// Source: LeanCloud, "数据存储 REST API 使用指南", X-LC-Sign.
package struct RequestSignature {
    package let headerValue: String

    /// Signs with the master key.
    package init(masterKey: Secret, at instant: Instant) {
        let timestamp = String(instant.milliseconds)
        var hash = Insecure.MD5()
        hash.update(data: Array(timestamp.utf8))
        hash.update(data: masterKey.revealedBytes)
        headerValue = hash.finalize().hexadecimal + "," + timestamp + ",master"
    }
}

/// This machine's clocks.
package struct LocalClock: Sendable {
    /// The time of day.
    package let time: @Sendable () -> Instant
    /// A clock that nobody sets.
    package let steady: @Sendable () -> ContinuousClock.Instant

    /// Creates replacements for the system's clocks.
    ///
    /// - Parameters:
    ///   - time: the time of day.
    ///   - steady: a monotonic clock; the system's by default.
    package init(
        time: @escaping @Sendable () -> Instant, steady: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.time = time
        self.steady = steady
    }

    package static let system = LocalClock { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}

/// The facts told by the headers of the server's answers: its time, and the way it reaches devices.
package final class ServerFacts: Sendable {
    /// This machine's clocks.
    package let local: LocalClock
    private let offset = Mutex<Duration?>(nil)
    private let known = Mutex<Set<String>?>(nil)
    private let bugles = Mutex(false)

    /// Starts with nothing known about the server.
    package init(_ local: LocalClock = .system) { self.local = local }

    /// Records the server's time from an answer.
    package func note(_ date: Instant) {
        let difference = date - local.time()
        offset.withLock { $0 = difference }
    }

    /// Records whether an answer came from a bugle-server, and the ways in which it reaches devices.
    package func note(ways: Set<String>?, isBugleServer: Bool = false) {
        known.withLock { $0 = ways }
        bugles.withLock { $0 = isBugleServer }
    }

    /// True when a bugle-server answered.
    package var isBugleServer: Bool { bugles.withLock { $0 } }

    /// The ways in which a bugle-server reaches devices, `apple` and the vendors of Android; nil for LeanCloud, and for a
    /// bugle-server that simulates all.
    package var ways: Set<String>? { known.withLock { $0 } }

    /// The server's approximate time now; nil until an answer told it.
    package var estimate: Instant? { offset.withLock { $0 }.map { local.time() + $0 } }
}
