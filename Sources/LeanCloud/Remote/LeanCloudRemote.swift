package import Base
package import HTTP
package import Push

/// LeanCloud as a type of remote.
package enum LeanCloudRemote {
    /// The description of the remote that a connection leads to.
    ///
    /// The fingerprint is derived from the service, the address and the app: another key for the same app is the same
    /// remote.
    package static func description(name: String, connection: LeanCloudConnection) -> RemoteDescription {
        RemoteDescription(
            name: name, type: .leancloud, title: "LeanCloud · \(LeanCloudConnection.host(of: connection.url))",
            fingerprint: Digest(
                of: ["leancloud", .string(normalized(connection.url)), .string(connection.appId)] as JSONValue))
    }

    /// LeanCloud's capabilities: it keeps scheduled pushes, but has no call for certificates or channels.
    ///
    /// Source: LeanCloud, "推送 REST API 使用指南" and "iOS 推送证书设置指南".
    package static let capabilities = Capabilities(
        canSchedule: true, holdsResources: false, innerQueryLimit: 1000, limitsDevelopment: true,
        canSelectUnprofiled: false)

    /// The address with scheme and host in lower case and without the scheme's default port.
    private static func normalized(_ url: String) -> String {
        guard let separator = url.firstRange(of: "://") else { return url }
        let scheme = url[..<separator.lowerBound].lowercased()
        var host = LeanCloudConnection.host(of: url)
        let path = url[separator.upperBound...].drop { $0 != "/" && $0 != "?" && $0 != "#" }
        for (known, port) in [("https", ":443"), ("http", ":80")] where scheme == known && host.hasSuffix(port) {
            host.removeLast(port.count)
        }
        return scheme + "://" + host + path
    }
}

// MARK: - Remote

extension LeanCloudConnection {
    /// A reader for planning.
    ///
    /// `name` is the remote's name in `workspace`, whose ledger, resources and lock are meant.
    package func reader(
        name: String, workspace: String, http: any HTTPExchanging, pausing: any Pausing = TaskPause(),
        clock: LocalClock = .system
    ) -> LeanCloudReader {
        LeanCloudReader(
            name: name, workspace: workspace,
            api: LeanCloudAPI(self, http: http, pausing: pausing, clock: ServerFacts(clock)))
    }

    /// A writer for applies, on the ledger, resources and lock of `workspace`.
    package func writer(
        workspace: String, http: any HTTPExchanging, pausing: any Pausing = TaskPause(), clock: LocalClock = .system
    ) -> LeanCloudWriter {
        LeanCloudWriter(
            workspace: workspace,
            api: LeanCloudAPI(self, http: http, pausing: pausing, clock: ServerFacts(clock)))
    }
}
