internal import ArgumentParser

/// `HOST:PORT`, or `[ADDRESS]:PORT` for IPv6.
struct ListenAddress: ExpressibleByArgument, CustomStringConvertible {
    /// The host, without brackets.
    let host: String
    /// The port; 0 takes a free one.
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...])
        else {
            return nil
        }
        var host = argument[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// The host as a URL spells it.
    var hostText: String { host.contains(":") ? "[\(host)]" : host }

    var description: String { "\(hostText):\(port)" }
}
