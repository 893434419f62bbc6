/// Where a server listens: `HOST:PORT`, or `[ADDRESS]:PORT` for IPv6.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// The host, without brackets.
    package let host: String
    /// The port; 0 takes a free one.
    package let port: Int

    /// Names a host and a port.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`; nil when it is anything else.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// The host as a URL spells it.
    package var hostText: String { host.contains(":") ? "[\(host)]" : host }

    /// Whether it is an address of this machine only.
    package var isLoopback: Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return host == "localhost" || host == "::1"
            || numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// Whether it is every address of this machine.
    package var isEvery: Bool { host == "0.0.0.0" || host == "::" }

    package var description: String { "\(hostText):\(port)" }
}
