internal import DeviceRegistry
internal import HTTPTypes
internal import JSONValue
internal import NIOCore
internal import PushModel

/// A request as far as its head tells.
struct Exchange: Sendable {
    /// Counts the requests of a server, from 1.
    let number: Int
    /// When it came.
    let now: Instant
    /// Who sent it.
    let client: ClientAddress
    /// The head itself.
    let head: HTTPRequest
    /// What it is about.
    let route: RouteClass
    /// The verb; the one that is meant, for a request whose body names it.
    private(set) var method: String
    /// The target, read; nil when that is not possible.
    private(set) var target: RequestTarget?
    /// The host that the client asked for, with its port.
    let authority: String
    /// What a request in a body says for `X-LC-Prod`.
    private var escapedProduction: String?

    init(
        _ head: HTTPRequest, peer: SocketAddress?, _ configuration: PushServerConfiguration, number: Int,
        at now: Instant
    ) {
        self.number = number
        self.now = now
        self.head = head
        method = head.method.rawValue
        authority = head.authority ?? "localhost"
        target = RequestTarget(head.path ?? "/")
        client = ClientAddress(
            peer: peer, isTLS: configuration.certificate != nil, trustedProxies: configuration.trustedProxies
        ) { [headers = head.headerFields] in headers.value(of: $0) }
        let isPreflight = head.method == .options && head.headerFields[.accessControlRequestMethod] != nil
        route = isPreflight ? .preflight : RouteClass(target?.path ?? [])
    }

    /// The headers.
    var headers: HTTPFields { head.headerFields }

    /// The value of a header; several of a name are one value with commas.
    func header(_ name: String) -> String? { headers.value(of: name) }

    /// The path as it was sent, without the query.
    var rawPath: String { target?.rawPath ?? "/" }

    /// Whether it only asks.
    var isReading: Bool { method == "GET" || method == "HEAD" }

    /// Scheme and host as the client knows them.
    var origin: String { "\(client.isSecure ? "https" : "http")://\(authority)" }

    /// The value of `X-LC-Prod`.
    var productionHeader: String? {
        header("X-LC-Prod") ?? header("X-AVOSCloud-Application-Production")
            ?? header("X-Uluru-Application-Production") ?? escapedProduction
    }

    /// How long the body is said to be; nil for one that comes in chunks.
    var declaredLength: Int? {
        headers[.transferEncoding] == nil ? Int(headers[.contentLength] ?? "0") : nil
    }

    /// Whether more of the body may be on its way than is worth reading to keep the connection.
    var hasLargeBody: Bool { expectsContinue || (declaredLength ?? .max) > ServerLimits.unknownSenderBodyLimit }

    /// Whether the client waits for a word before it sends the body.
    var expectsContinue: Bool { headers[.expect]?.lowercased() == "100-continue" }

    /// The request that a request in a body stands for.
    func meaning(_ escaped: EscapedRequest) -> Exchange {
        var meant = self
        meant.method = escaped.method
        meant.escapedProduction = escaped.production
        if escaped.method == "GET" {
            meant.target = target?.adding(escaped.query)
        }
        return meant
    }

    /// What is left of a body without the escape.
    func escapedBody(_ escaped: EscapedRequest) -> [UInt8] {
        method == "GET" ? [] : JSONValue.object(escaped.members).canonicalBytes
    }
}

extension HTTPFields {
    /// The value of a header by its name.
    fileprivate func value(of name: String) -> String? {
        HTTPField.Name(name).flatMap { self[$0] }
    }
}
