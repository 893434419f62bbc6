internal import DeviceRegistry
internal import HTTPTypes
internal import Base
internal import NIOCore
internal import Push

/// A request, as far as known from its head.
struct Exchange: Sendable {
    /// The number of the request on this server, from 1.
    let number: Int
    /// The time the request arrived.
    let now: Instant
    /// The client's address.
    let client: ClientAddress
    /// The request head.
    let head: HTTPRequest
    /// The class of the request's path.
    let route: RouteClass
    /// The HTTP method; the one meant, for a request that names it in its body.
    private(set) var method: String
    /// The parsed target; nil when it is invalid.
    private(set) var target: RequestTarget?
    /// The host the client asked for, with its port.
    let authority: String
    /// The value for `X-LC-Prod` from the body.
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

    /// The value of a header; several with the same name are joined by commas.
    func header(_ name: String) -> String? { headers.value(of: name) }

    /// The path as sent, without the query.
    var rawPath: String { target?.rawPath ?? "/" }

    /// True for `GET` and `HEAD`.
    var isReading: Bool { method == "GET" || method == "HEAD" }

    /// The scheme and host as the client knows them.
    var origin: String { "\(client.isSecure ? "https" : "http")://\(authority)" }

    /// The value of `X-LC-Prod`.
    var productionHeader: String? {
        header("X-LC-Prod") ?? header("X-AVOSCloud-Application-Production")
            ?? header("X-Uluru-Application-Production") ?? escapedProduction
    }

    /// The declared length of the body; nil for a chunked one.
    var declaredLength: Int? {
        headers[.transferEncoding] == nil ? Int(headers[.contentLength] ?? "0") : nil
    }

    /// True if more of the body may still come than is worth reading to keep the connection.
    var hasLargeBody: Bool { expectsContinue || (declaredLength ?? .max) > ServerLimits.unknownSenderBodyLimit }

    /// True if the client waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool { headers[.expect]?.lowercased() == "100-continue" }

    /// The request that an escaped request in the body stands for.
    func meaning(_ escaped: EscapedRequest) -> Exchange {
        var meant = self
        meant.method = escaped.method
        meant.escapedProduction = escaped.production
        if escaped.method == "GET" {
            meant.target = target?.adding(escaped.query)
        }
        return meant
    }

    /// The body that remains of an escaped request.
    func escapedBody(_ escaped: EscapedRequest) -> [UInt8] {
        method == "GET" ? [] : JSONValue.object(escaped.members).canonicalBytes
    }
}

extension HTTPFields {
    /// The value of the header with this name.
    fileprivate func value(of name: String) -> String? {
        HTTPField.Name(name).flatMap { self[$0] }
    }
}
