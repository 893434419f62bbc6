internal import CLibrary

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
