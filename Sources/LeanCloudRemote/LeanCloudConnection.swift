package import Basics
package import CurlHTTP
package import Diagnostics
internal import PushModel

/// How one app of a service with LeanCloud's API is reached.
package struct LeanCloudConnection: Sendable {
    /// The base URL, without a version; a final `/` does not count.
    package let url: String
    /// The app's id, sent as `X-LC-Id`.
    package let appId: String
    /// The key that signs every request; it is never sent itself.
    package let masterKey: Secret
    /// The variable or file that the key comes from, for messages.
    package let masterKeySource: String?
    /// How long one request may take; 30 s by default, at most 60 s.
    package let timeout: Duration
    /// How often a request is tried again at most; 5 by default.
    package let retries: Int

    /// Joins them.
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

    /// What planning may use: it only reads.
    ///
    /// - Parameters:
    ///   - name: The remote's name in the workspace.
    ///   - workspace: The workspace whose ledger, resources and lock are meant.
    package func reader(
        name: String, workspace: String, http: any HTTPExchanging, pausing: any Pausing = TaskPause(),
        clock: LocalClock = .system
    ) -> LeanCloudReader {
        LeanCloudReader(
            name: name, workspace: workspace,
            api: LeanCloudAPI(self, http: http, pausing: pausing, clock: ServerClock(clock)))
    }

    /// What only an apply may use.
    ///
    /// - Parameter workspace: The workspace whose ledger, resources and lock are meant.
    package func writer(
        workspace: String, http: any HTTPExchanging, pausing: any Pausing = TaskPause(), clock: LocalClock = .system
    ) -> LeanCloudWriter {
        LeanCloudWriter(
            workspace: workspace,
            api: LeanCloudAPI(self, http: http, pausing: pausing, clock: ServerClock(clock)))
    }
}
