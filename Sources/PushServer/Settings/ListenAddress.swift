/// The address a server listens on: `HOST:PORT`, or `[ADDRESS]:PORT` for IPv6.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// The host, without brackets.
    package let host: String
    /// The port; 0 takes a free one.
    package let port: Int

    /// Creates an address from a host and a port.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `HOST:PORT`; nil for anything else.
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

    /// The host as written in a URL.
    package var hostText: String { host.contains(":") ? "[\(host)]" : host }

    /// True for an address that only this machine can reach.
    package var isLoopback: Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return host == "localhost" || host == "::1"
            || numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// True for the wildcard address, which stands for all addresses of this machine.
    package var isEvery: Bool { host == "0.0.0.0" || host == "::" }

    package var description: String { "\(hostText):\(port)" }
}
