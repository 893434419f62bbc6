internal import Delivery
internal import Base
internal import DeviceRegistry
internal import Push

/// The hosts that may get credentials, listed in `BUGLE_TRUSTED_HOSTS`, which a pull request cannot change.
struct TrustedHosts: Sendable {
    private let hosts: Set<String>

    /// Parses the variable; nil when it is not set, and every host is trusted.
    init?(environment: [String: String]) {
        guard let list = environment["BUGLE_TRUSTED_HOSTS"] else { return nil }
        hosts = Set(list.split(separator: ",").map { String($0).trimmingSpaces.lowercased() }.filter { !$0.isEmpty })
    }

    /// Returns findings on the remote's URLs outside the trusted hosts; references are resolved first, so that none is
    /// missed.
    func findings(_ remote: RemoteDeclaration, secrets: SecretReader) -> [Diagnostic] {
        switch remote.service {
        case .leancloud(let settings):
            guard let url = try? secrets.text(settings.url) else { return [] }
            return finding(url, remote, path: "url")
        case .apns(let settings):
            return settings.hosts.sorted { $0.key < $1.key }.flatMap { finding($0.value, remote, path: "hosts") }
                + registryFindings(settings.registry, remote, secrets)
        }
    }

    /// Checks the servers of a PostgreSQL registry, which are only known from its secret URL; an unreadable one is not
    /// checked.
    private func registryFindings(
        _ registry: RemoteDeclaration.APNs.Registry, _ remote: RemoteDeclaration, _ secrets: SecretReader
    ) -> [Diagnostic] {
        guard case .postgres(let source) = registry, let secret = try? secrets.secret(source),
            let address = try? PostgresAddress(secret.revealedText)
        else { return [] }
        let strangers = address.servers.filter { server in
            let host = server.prefix { $0 != ":" }
            return !hosts.contains(server) && !hosts.contains(String(host))
        }
        return strangers.map { untrusted("'\($0)'", remote, path: "registry") }
    }

    private func finding(_ url: String, _ remote: RemoteDeclaration, path: FieldPathElement) -> [Diagnostic] {
        let address = WebOrigin(url)
        if let address, !hosts.isDisjoint(with: [address.authority, address.host, address.hostAndPort]) { return [] }
        let place = address.map { "'\($0.authority)'" } ?? "an address that cannot be trusted"
        return [untrusted(place, remote, path: path)]
    }

    private func untrusted(_ place: String, _ remote: RemoteDeclaration, path: FieldPathElement) -> Diagnostic {
        Diagnostic(
            .error, .untrustedHost, "\(remote.name) leads to \(place), which BUGLE_TRUSTED_HOSTS does not list",
            at: remote.origin.range(of: ["remotes", .key(remote.name), path]),
            help: "credentials are not sent there; whoever owns them must extend BUGLE_TRUSTED_HOSTS")
    }
}

/// The origin of a URL that is simple enough for every program to read it alike.
struct WebOrigin: Hashable, Sendable {
    /// The host and port as written, in lower case.
    let authority: String
    /// The host.
    let host: String
    /// The host and port, with the scheme's default port if none is written.
    let hostAndPort: String

    /// Parses a URL; nil for anything but `http://` or `https://`, a name or IP address, and an optional port: no user,
    /// no escapes.
    init?(_ url: String) {
        let lower = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else { return nil }
        let rest = lower.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, authority.utf8.allSatisfy(Self.isPlain) else { return nil }
        self.authority = String(authority)
        let hasPort = authority.hasPrefix("[") ? authority.contains("]:") : authority.contains(":")
        let end = hasPort ? authority.lastIndex(of: ":") ?? authority.endIndex : authority.endIndex
        host = String(authority[..<end])
        hostAndPort = hasPort ? self.authority : host + (scheme == "https://" ? ":443" : ":80")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"): true
        case UInt8(ascii: "["), UInt8(ascii: "]"): true
        default: false
        }
    }
}
