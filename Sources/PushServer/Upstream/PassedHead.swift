internal import HTTPTypes

/// The head of a forwarded request: its headers unchanged, except those of the connection.
struct PassedHead: Sendable {
    /// The HTTP method.
    var method: String
    /// The path and query as sent.
    var target: String
    private let fields: [(String, String)]
    private let via: String?
    private let client: String
    private let scheme: String
    /// The host that the client asked for; nil when it is none: backends build links of it.
    private let host: String?

    /// The headers that belong to one connection or are set anew for the next (RFC 9110, section 7.6.1), and those by
    /// which a backend may take a request for another one, or for another client's.
    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade", "host", "content-length", "expect", "via", "forwarded",
        "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip", "cf-connecting-ip", "x-host",
        "x-original-url", "x-original-uri", "x-original-host", "x-rewrite-url", "x-http-method",
        "x-http-method-override", "x-method-override",
    ]

    /// True for a header that is not passed on; frameworks read `_` in a name as `-`.
    private static func isDropped(_ name: String) -> Bool {
        let name = String(name.map { $0 == "_" ? "-" : $0 })
        return ofConnection.contains(name) || name.hasPrefix("x-forwarded-")
    }

    /// Creates the head from a request.
    init(_ exchange: Exchange) {
        method = exchange.head.method.rawValue
        target = exchange.target?.passed ?? "/"
        via = exchange.header("Via")
        client = exchange.client.text
        scheme = exchange.client.isSecure ? "https" : "http"
        host = AppRouter.isHost(exchange.authority) ? exchange.authority : nil
        // The response is read decompressed.
        fields = Self.kept(exchange.headers).filter { $0.0.lowercased() != "accept-encoding" }
    }

    /// The headers that do not belong to one connection.
    static func kept(_ headers: HTTPFields) -> [(String, String)] {
        let named = Set(
            (headers[.connection] ?? "").lowercased().split(separator: ",").map {
                $0.filter { $0 != " " && $0 != "\t" }
            })
        return headers.filter {
            !isDropped($0.name.canonicalName) && !named.contains($0.name.canonicalName)
        }
        .map { ($0.name.rawName, $0.value) }
    }

    /// True if the request has been at this server before.
    func hasPassed(_ pseudonym: String) -> Bool {
        (via ?? "").split(separator: ",").contains {
            $0.split(separator: " ").dropFirst().first.map(String.init) == pseudonym
        }
    }

    /// The headers of the forwarded request. Source: RFC 9110, section 7.6.3, for `Via`.
    func headers(through pseudonym: String) -> [(String, String)] {
        let before = via.map { $0 + ", " } ?? ""
        return fields + [
            ("Via", "\(before)1.1 \(pseudonym)"), ("X-Forwarded-For", client), ("X-Forwarded-Proto", scheme),
        ] + (host.map { [("X-Forwarded-Host", $0)] } ?? [])
    }
}
