internal import JSONValue

/// `GET /1/route`, `/2/route` and `/v1/route`: where the services of an app are, which is here.
///
/// SDKs ask it of LeanCloud's app router before they have shown anything.
/// Source: <doc:/PushModel/LeanCloudTransport#Hosts-and-routers>; what the router of instant messaging (`/v1/route`)
/// answers, the ObjC SDK reads.
enum AppRouter {
    /// For so many seconds the answer is good.
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

    /// Whether a text is a name or an address, perhaps with a port: clients send what they have to whatever this says.
    private static func isHost(_ text: String) -> Bool {
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
