internal import Base

/// `GET /1/route`, `/2/route` and `/v1/route`: returns the hosts of an app's services, all of them this server.
///
/// SDKs ask LeanCloud's app router before they authenticate.
/// Source: docs/background/leancloud/transport.md#hosts-and-routers; the format for instant messaging (`/v1/route`) is
/// what the ObjC SDK reads.
enum AppRouter {
    /// The lifetime of the response in seconds.
    private static let lifetime: Int64 = 3600

    static func answer(_ exchange: Exchange) -> HTTPAnswer {
        guard exchange.isReading else { return HTTPAnswer(APIError.methodNotAllowed) }
        let host = exchange.authority
        guard isHost(host) else { return HTTPAnswer(APIError(400, 1, "The request names no host.")) }
        var body: JSONValue = ["ttl": .integer(lifetime)]
        for service in ["api", "push", "stats", "engine", "rtm_router"] { body["\(service)_server"] = .string(host) }
        if exchange.target?.path.first == "v1" {
            let scheme = exchange.client.isSecure ? "wss" : "ws"
            for member in ["server", "secondary"] { body[member] = .string("\(scheme)://\(host)") }
        }
        return HTTPAnswer(status: 200, json: body)
    }

    /// True if a text is a host name or address, with or without a port: clients send their data to any host named
    /// here.
    static func isHost(_ text: String) -> Bool {
        guard text.utf8.count <= 255 else { return false }
        var name = text[...]
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            let port = text[colon...].dropFirst()
            guard port.utf8.allSatisfy(isDigit), UInt16(port) != nil else { return false }
            name = text[..<colon]
        }
        let isAddress = name.hasPrefix("[") && name.hasSuffix("]")
        if isAddress { name = name.dropFirst().dropLast() }
        return !name.isEmpty
            && name.utf8.allSatisfy {
                isDigit($0) || ($0 | 0x20) &- UInt8(ascii: "a") < 26
                    || $0 == UInt8(ascii: isAddress ? ":" : "-") || $0 == UInt8(ascii: ".")
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
