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
    private let authority: String

    /// The headers that belong to one connection or are set anew for the next. Source: RFC 9110, section 7.6.1.
    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade", "host", "content-length", "expect", "via", "x-forwarded-for",
        "x-forwarded-proto", "x-forwarded-host", "x-real-ip", "forwarded",
    ]

    /// Creates the head from a request.
    init(_ exchange: Exchange) {
        method = exchange.head.method.rawValue
        target = exchange.target?.passed ?? "/"
        via = exchange.header("Via")
        client = exchange.client.text
        scheme = exchange.client.isSecure ? "https" : "http"
        authority = exchange.authority
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
            !ofConnection.contains($0.name.canonicalName) && !named.contains($0.name.canonicalName)
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
            ("X-Forwarded-Host", authority),
        ]
    }
}
