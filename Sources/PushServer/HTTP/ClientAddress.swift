internal import Base
internal import CLibrary
internal import NIOCore
internal import Synchronization

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
    init(peer: SocketAddress?, isTLS: Bool, trustedProxies: TrustedProxies, header: (String) -> String?) {
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

/// The proxies whose word about a client's address is believed: single addresses and networks.
package struct TrustedProxies: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The addresses that share their first bits.
    private struct Network: Hashable {
        let bytes: [UInt8]
        let bits: Int

        /// Reads `10.0.0.0/8`; nil when bits after the network's are set, or for the network of all addresses.
        init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let address = ClientAddress.canonical(parts[0]), let bits = Int(parts[1]),
                let bytes = Self.bytes(of: address), (1...8 * bytes.count).contains(bits),
                (bits..<8 * bytes.count).allSatisfy({ bytes[$0 / 8] & (0x80 >> UInt8($0 % 8)) == 0 })
            else { return nil }
            self.bytes = bytes
            self.bits = bits
        }

        func contains(_ address: [UInt8]) -> Bool {
            let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
            return address.count == bytes.count && address[..<whole] == bytes[..<whole]
                && (rest == 0 || (address[whole] ^ bytes[whole]) >> UInt8(8 - rest) == 0)
        }

        /// The 4 or 16 bytes of an address in its canonical form.
        static func bytes(of address: String) -> [UInt8]? {
            let isLong = address.contains(":")
            var bytes = [UInt8](repeating: 0, count: isLong ? 16 : 4)
            return unsafe inet_pton(isLong ? AF_INET6 : AF_INET, address, &bytes) == 1 ? bytes : nil
        }
    }

    private var addresses: Set<String> = []
    private var networks: Set<Network> = []

    /// Reads addresses such as `::1` and networks such as `10.0.0.0/8`; nil when one is neither.
    package init?(_ texts: some Sequence<String>) {
        for text in texts {
            if let address = ClientAddress.canonical(text) {
                addresses.insert(address)
            } else if let network = Network(text) {
                networks.insert(network)
            } else {
                return nil
            }
        }
    }

    /// Trusts the addresses and networks listed; what is neither is left out.
    package init(arrayLiteral texts: String...) {
        self = TrustedProxies(texts) ?? TrustedProxies()
    }

    /// Trusts nobody.
    package init() {}

    /// True for a trusted proxy's address in its canonical form.
    func contains(_ address: String) -> Bool {
        guard !addresses.contains(address) else { return true }
        guard !networks.isEmpty, let bytes = Network.bytes(of: address) else { return false }
        return networks.contains { $0.contains(bytes) }
    }
}

/// A limited number of places for requests; others wait in order of arrival.
///
/// One address has at most its share of the places, so that it cannot shut out the others.
final class ClientGate: Sendable {
    /// The places of one address, kept while it has or waits for some.
    private struct Line {
        let places: Pool<Void>
        var users = 0
    }

    private let places: Pool<Void>
    private let share: Int
    private let lines = Mutex<[String: Line]>([:])

    /// Creates a gate with `places` places, of which one address has at most `share`.
    init(places: Int, share: Int) {
        self.places = Pool(places: places)
        self.share = max(1, share)
    }

    /// Takes a place, waiting until one is free; a cancelled task stops waiting.
    ///
    /// - Parameters:
    ///   - address: the address that has a share; nil for one that stands for many clients.
    ///   - patience: the longest wait.
    /// - Returns: nil when none became free in time, or the task was cancelled.
    func enter(from address: String?, within patience: Duration) async -> Place? {
        let end = ContinuousClock.now + patience
        // Whoever waits for a share holds no place.
        guard let own = await shared(address, until: end),
            await places.takeUnlessCancelled(within: end - ContinuousClock.now) != nil
        else { return nil }
        return Place { [places] in
            places.giveBack(())
            withExtendedLifetime(own) {}
        }
    }

    /// Takes one of the places of an address; nil when none became free in time.
    private func shared(_ address: String?, until end: ContinuousClock.Instant) async -> Place? {
        guard let address else { return Place {} }
        let line = lines.withLock { lines in
            lines[address, default: Line(places: Pool(places: share))].users += 1
            return lines[address]?.places
        }
        let hasOne = await line?.takeUnlessCancelled(within: end - ContinuousClock.now) != nil
        let taken = Place { [self] in
            if hasOne { line?.giveBack(()) }
            lines.withLock { lines in
                lines[address]?.users -= 1
                if lines[address]?.users == 0 { lines[address] = nil }
            }
        }
        return hasOne ? taken : nil
    }

    /// A place in the gate, or one of an address's share, given back when this object is deallocated.
    final class Place: Sendable {
        private let giveBack: @Sendable () -> Void

        fileprivate init(_ giveBack: @escaping @Sendable () -> Void) {
            self.giveBack = giveBack
        }

        deinit { giveBack() }
    }
}
