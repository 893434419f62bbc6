internal import Base
internal import DeviceRegistry
internal import HTTPTypes
internal import NIOCore
internal import Push

/// A request, as far as known from its head.
struct Exchange: Sendable {
    /// The number of the request on this server, from 1.
    let number: Int
    /// The time the request arrived.
    let now: Instant
    let client: ClientAddress
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

    var headers: HTTPFields { head.headerFields }

    /// The value of a header; several with the same name are joined by commas.
    func header(_ name: String) -> String? { headers.value(of: name) }

    /// The path as sent, without the query.
    var rawPath: String { target?.rawPath ?? "/" }

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
    fileprivate func value(of name: String) -> String? {
        HTTPField.Name(name).flatMap { self[$0] }
    }
}

/// The path and the query of a request line.
struct RequestTarget: Hashable, Sendable {
    /// The path as sent.
    let rawPath: String
    /// The components of the path, decoded.
    let path: [String]
    /// The query parameters, decoded; the last of equal names wins.
    private(set) var query: [String: String]
    /// The path and query as sent.
    private let sent: String

    /// The path and query as sent, for forwarding; bytes not allowed in an address are escaped.
    var passed: String { sent.percentEncoded { !(0x21...0x7E).contains($0) } }

    /// Parses a target, also one with scheme and host before its path.
    ///
    /// `nil` when an escape is invalid, the text is not UTF-8 or contains a zero byte or `#`, or a component is `.` or
    /// `..`, even between escaped slashes, which other servers before or behind us may resolve differently.
    init?(_ target: String) {
        let target = Self.withoutOrigin(target)
        // No request has a fragment, and a server that cuts one off reads another path. Source: RFC 9112, section 3.2.
        guard !target.utf8.contains(UInt8(ascii: "#")) else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        rawPath = String(parts.first ?? "")
        var path: [String] = []
        for segment in rawPath.split(separator: "/") {
            guard let decoded = Self.decoded(segment, plusIsSpace: false),
                !decoded.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
            else { return nil }
            path.append(decoded)
        }
        var query: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(sides[0], plusIsSpace: true),
                let value = Self.decoded(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
            else { return nil }
            query[name] = value
        }
        self.path = path
        self.query = query
        sent = String(target)
    }

    /// The components after the version; `nil` when this is not a call of version 1.1.
    var versioned: [String]? {
        path.first == "1.1" ? Array(path.dropFirst()) : nil
    }

    /// The target with more query parameters, which override existing ones.
    func adding(_ parameters: [String: String]) -> RequestTarget {
        var target = self
        target.query.merge(parameters) { _, last in last }
        return target
    }

    /// Removes the origin: `http://host/path` is the form for proxies, and any server must accept it.
    /// Source: RFC 9112, section 3.2.2.
    private static func withoutOrigin(_ target: String) -> Substring {
        guard target.utf8.first != UInt8(ascii: "/") else { return target[...] }
        for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
            let rest = target.dropFirst(scheme.count)
            return rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? "/"
        }
        return target[...]
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        let decoded = String(percentDecoding: text, plusIsSpace: plusIsSpace)
        return decoded.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}

/// A request that a browser sends without a preflight: `POST` with `text/plain`, and everything else in the body.
///
/// Source: docs/background/leancloud/transport.md#requests-without-headers.
struct EscapedRequest: Sendable {
    let method: String
    /// The members of the body that are not part of the envelope.
    let members: JSONObject
    /// The value for `X-LC-Prod`.
    let production: String?

    /// The members for credentials; the key's may hold the master key with `,master`, like the header.
    private static let credentials: Set<String> = ["_ApplicationId", "_ApplicationKey", "_MasterKey"]
    private static let names = credentials.union([
        "_method", "_SessionToken", "_ApplicationProduction", "_ClientVersion", "_InstallationId",
    ])

    /// True if a request may be of this kind.
    static func isMeant(method: String, contentType: String?) -> Bool {
        method == "POST" && (contentType ?? "").lowercased().hasPrefix("text/plain")
    }

    /// The credentials in the first and last ``ServerLimits/credentialsLimit`` bytes of a body: JavaScript's SDK writes
    /// them after the members of a request.
    static func shown(in body: [UInt8]) -> ShownCredentials {
        let count = ServerLimits.credentialsLimit
        let texts = JSONOutline.texts(under: credentials, inFirst: count, of: body)
            .merging(JSONOutline.texts(under: credentials, inLast: count, of: body)) { first, _ in first }
        var shown = ShownCredentials { _ in nil }
        shown.id = texts["_ApplicationId"]
        shown.key = texts["_ApplicationKey"]
        shown.masterKey = texts["_MasterKey"]
        return shown
    }

    /// Parses the body of an authenticated request; nil when it is not a JSON object.
    init?(_ body: [UInt8]) {
        guard let object = try? JSONValue(parsing: body, limits: ServerLimits.json).object else { return nil }
        method = object["_method"]?.string?.uppercased() ?? "POST"
        production = object["_ApplicationProduction"].map { $0.string ?? $0.canonicalText }
        members = object.filter { !Self.names.contains($0.key) }
    }

    /// The members as query parameters, for a method without a body.
    var query: [String: String] {
        Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.string ?? $0.value.canonicalText) })
    }
}

/// A response, ready to be sent.
struct HTTPAnswer: Sendable {
    var status: Int
    /// The headers, without those common to all responses.
    var headers = HTTPFields()
    var body: [UInt8]
    /// True when the connection closes after the response, because the rest of the request is not read.
    var closes = false

    /// Creates a response with a JSON body or without a body.
    init(status: Int, json: JSONValue?) {
        self.status = status
        body = json?.canonicalBytes ?? []
        if json != nil { headers[.contentType] = "application/json; charset=utf-8" }
    }

    /// Creates a response with a text body.
    init(status: Int, text: String, type: String) {
        self.status = status
        body = Array(text.utf8)
        headers[.contentType] = type
    }

    init(_ response: APIResponse) {
        self.init(status: response.status, json: response.body)
        headers[.location] = response.location
        headers[.retryAfter] = response.retryAfter.map(String.init)
    }

    init(_ error: APIError, closes: Bool = false) {
        self.init(status: error.status, json: error.body)
        self.closes = closes
    }
}

/// CORS headers, which browsers require before a page from another origin may call the API.
///
/// Every origin is allowed: the keys are in headers that a page must know, and the API takes no cookies.
enum CrossOrigin {
    /// The time in seconds that a browser caches the preflight response.
    private static let maxAge = "86400"
    private static let allowedHeaders = [
        "Content-Type", "X-LC-Id", "X-LC-Key", "X-LC-Sign", "X-LC-Session", "X-LC-Prod", "X-LC-UA",
        "X-Requested-With", "X-AVOSCloud-Application-Id", "X-AVOSCloud-Application-Key", "X-AVOSCloud-Master-Key",
        "X-AVOSCloud-Request-Sign", "X-AVOSCloud-Session-Token", "X-AVOSCloud-Application-Production",
        "X-Uluru-Application-Id", "X-Uluru-Application-Key", "X-Uluru-Master-Key", "X-Uluru-Request-Sign",
        "X-Uluru-Session-Token", "X-Uluru-Application-Production",
    ].joined(separator: ", ")

    /// Lets a page read a response; adds nothing for requests not made by a page.
    static func allow(_ request: HTTPFields, in answer: inout HTTPFields) {
        guard request[.origin] != nil else { return }
        answer[.accessControlAllowOrigin] = "*"
        answer[.accessControlExposeHeaders] = "Date, Location"
    }

    /// The response to `OPTIONS`: 204 with the allowed methods and headers.
    static var preflight: HTTPAnswer {
        var answer = HTTPAnswer(status: 204, json: nil)
        answer.headers[.accessControlAllowOrigin] = "*"
        answer.headers[.accessControlAllowMethods] = "GET, POST, PUT, DELETE"
        answer.headers[.accessControlAllowHeaders] = allowedHeaders
        answer.headers[.accessControlMaxAge] = maxAge
        return answer
    }
}

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
            guard port.utf8.allSatisfy(\.isDigit), UInt16(port) != nil else { return false }
            name = text[..<colon]
        }
        let isAddress = name.hasPrefix("[") && name.hasSuffix("]")
        if isAddress { name = name.dropFirst().dropLast() }
        return !name.isEmpty
            && name.utf8.allSatisfy {
                $0.isLetterOrDigit || $0 == UInt8(ascii: isAddress ? ":" : "-") || $0 == UInt8(ascii: ".")
            }
    }
}
