internal import Diagnostics
internal import PushModel

/// The hosts that credentials may be sent to, as `BUGLE_TRUSTED_HOSTS` lists them out of a pull request's reach.
struct TrustedHosts: Sendable {
    private let hosts: Set<String>

    /// Nil when the variable is not set: then every host is trusted.
    init?(environment: [String: String]) {
        guard let list = environment["BUGLE_TRUSTED_HOSTS"] else { return nil }
        hosts = Set(list.split(separator: ",").map { String($0).trimmingSpaces.lowercased() }.filter { !$0.isEmpty })
    }

    /// The remote's addresses that lead elsewhere; references are resolved first, so that none slips through.
    func findings(_ remote: RemoteDeclaration, secrets: SecretReading) -> [Diagnostic] {
        switch remote.service {
        case .leancloud(let settings):
            guard let url = try? secrets.text(settings.url) else { return [] }
            return finding(url, remote, path: "url")
        case .apns(let settings):
            return settings.hosts.sorted { $0.key < $1.key }.flatMap { finding($0.value, remote, path: "hosts") }
        }
    }

    private func finding(_ url: String, _ remote: RemoteDeclaration, path: FieldPathElement) -> [Diagnostic] {
        let authority = Self.authority(of: url)
        let host = Self.host(of: authority)
        if !authority.contains("@"), hosts.contains(authority) || hosts.contains(host) { return [] }
        return [
            Diagnostic(
                .error, .untrustedHost,
                "\(remote.name) leads to '\(authority)', which BUGLE_TRUSTED_HOSTS does not list",
                at: remote.origin.range(of: ["remotes", .key(remote.name), path]),
                help: "credentials are not sent there; whoever owns them must extend BUGLE_TRUSTED_HOSTS")
        ]
    }

    /// Host and port, in lower case; what browsers and libcurl would take differently is left in, and so not listed.
    private static func authority(of url: String) -> String {
        let rest = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        return rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }.lowercased()
    }

    private static func host(of authority: String) -> String {
        guard let colon = authority.lastIndex(of: ":"), authority.hasPrefix("[") == false || authority.contains("]:")
        else { return authority }
        return String(authority[..<colon])
    }
}
