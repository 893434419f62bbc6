internal import Basics
internal import CurlHTTP
package import Diagnostics
internal import PushModel

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

    package init(
        url: String, appId: String, masterKey: Secret, from masterKeySource: String? = nil,
        timeout: Duration = .seconds(30), retries: Int = 5
    ) {
        var base = Substring(url)
        while base.hasSuffix("/") { base.removeLast() }
        self.url = String(base)
        self.appId = appId
        self.masterKey = masterKey
        self.masterKeySource = masterKeySource
        self.timeout = min(timeout, .seconds(60))
        self.retries = max(0, retries)
    }

    /// Host and port of an address.
    package static func host(of url: String) -> String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.lowercased()
    }
}
