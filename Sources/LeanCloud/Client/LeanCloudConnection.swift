package import Base
internal import HTTP
package import Push

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
