internal import NIOCore

/// The client's address, as far as it can be known.
struct ClientAddress: Hashable, Sendable {
    /// The address; `unknown` when there is none.
    let text: String
    /// True if the client reached us, or the proxy in front of us, over TLS.
    let isSecure: Bool
    /// True if the request comes from this machine itself and not through a proxy on it.
    let isLocal: Bool

    /// Finds the client behind a connection.
    ///
    /// `X-Forwarded-For` is read from the right, where the nearest proxy wrote; the first address that is not a trusted
    /// proxy's is the client's. Unless the peer is a trusted proxy, the header is ignored.
    init(
        peer: SocketAddress?, isTLS: Bool, trustedProxies: TrustedProxies, header: (String) -> String?
    ) {
        let direct = peer?.ipAddress.flatMap(Self.canonical)
        let isForwarded = ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"].contains { header($0) != nil }
        var address = direct
        var isSecure = isTLS
        if let proxy = direct, trustedProxies.contains(proxy) {
            for part in (header("X-Forwarded-For") ?? "").split(separator: ",").reversed() {
                guard let next = Self.canonical(part.split(separator: " ").joined()) else { break }
                address = next
                guard trustedProxies.contains(next) else { break }
            }
            if let scheme = header("X-Forwarded-Proto") { isSecure = scheme == "https" }
        }
        text = address ?? "unknown"
        self.isSecure = isSecure
        isLocal = !isForwarded && direct.map(Self.isLoopback) ?? false
    }

    /// The canonical form of an IP address; nil when the text is not one. IPv4-mapped IPv6 becomes IPv4.
    static func canonical(_ text: String) -> String? {
        var text = text
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        guard let address = try? SocketAddress(ipAddress: text, port: 0), let canonical = address.ipAddress else {
            return nil
        }
        let mapped = "::ffff:"
        return canonical.hasPrefix(mapped) && canonical.contains(".")
            ? String(canonical.dropFirst(mapped.count)) : canonical
    }

    /// The unit that counts as one address: for IPv6 the /64 network, since its holder has all of it.
    static func network(of address: String) -> String {
        guard address.contains(":"), !address.contains(".") else { return address }
        var groups = address.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if let gap = groups.dropFirst().dropLast().firstIndex(of: "") {
            let zeros = Array(repeating: "0", count: max(0, 9 - groups.count))
            groups.replaceSubrange(gap...gap, with: zeros)
        }
        return groups.prefix(4).map { $0.isEmpty ? "0" : $0.lowercased() }.joined(separator: ":") + "::/64"
    }

    /// The key of an address in a bounded table: its network, or the one shared by all that do not fit.
    static func entry<Value>(of address: String, in table: [String: Value], most: Int) -> String {
        let network = network(of: address)
        return table[network] != nil || table.count < most ? network : ""
    }

    private static func isLoopback(_ address: String) -> Bool { address == "::1" || address.hasPrefix("127.") }
}
