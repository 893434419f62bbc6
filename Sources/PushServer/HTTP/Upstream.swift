internal import Base
internal import DeviceRegistry
internal import HTTP
internal import HTTPTypes
internal import Logging
internal import Push

/// The backend for requests that are not push: users, files, and classes other than devices.
struct Upstream: Sendable {
    private let url: String
    private let timeout: Duration
    private let client: any HTTPExchanging
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    /// The gate for all requests: whoever waits for a silent backend holds a connection to this server, and devices
    /// need some.
    private let everybody: ClientGate
    /// The gate for clients without valid keys: they wait for each other and do not hold up the app.
    private let strangers = ClientGate(places: 16, share: 4)
    private let strangerPatience: Duration
    /// The largest response to such a client, in bytes: one that it does not read stays in memory.
    private static let strangersMost = 1 << 20
    /// The name of this server in `Via`; a request that already carries it is a loop.
    let pseudonym: String

    /// Creates a backend reached through an HTTP client.
    init(
        _ url: String, timeout: Duration, strangerPatience: Duration = .seconds(5), places: Int = 512,
        _ client: any HTTPExchanging, pseudonym: String, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.now = now
        (self.url, self.timeout, self.strangerPatience) = (url, timeout, strangerPatience)
        everybody = ClientGate(places: places, share: places)
        self.client = client
        self.pseudonym = pseudonym
        self.logger = logger
    }

    /// Forwards a request and returns the backend's response, or the error when there is none.
    func pass(_ head: PassedHead, body: [UInt8]) async -> HTTPAnswer {
        do throws(APIError) {
            return HTTPAnswer(passed: try await answer(head, body: body))
        } catch {
            return HTTPAnswer(error)
        }
    }

    /// Forwards a request without any key known to this server; `address` has a share of the places for these.
    func passForStranger(_ head: PassedHead, body: [UInt8], from address: String?) async -> HTTPAnswer {
        guard let place = await strangers.enter(from: address, within: strangerPatience) else {
            return HTTPAnswer(APIError.busyUpstream)
        }
        defer { withExtendedLifetime(place) {} }
        let answer = await pass(head, body: body)
        return answer.body.count > Self.strangersMost ? HTTPAnswer(APIError.largeForStranger) : answer
    }

    /// The time by which a request that begins now must be answered.
    var end: ContinuousClock.Instant { now() + timeout }

    /// The backend's response; it must come by `end`, by default within the timeout.
    ///
    /// - Throws: ``APIError`` with code 405, 502, 503, 504 or 508.
    func answer(
        _ head: PassedHead, body: [UInt8], until end: ContinuousClock.Instant? = nil
    ) async throws(APIError) -> HTTP.HTTPResponse {
        guard !head.hasPassed(pseudonym) else { throw APIError.upstreamLoop }
        guard let method = HTTP.HTTPRequest.Method(rawValue: head.method) else { throw APIError.methodNotAllowed }
        let timeout = end.map { $0 - now() } ?? self.timeout
        guard timeout > .zero else { throw APIError.lateUpstream }
        guard let place = await everybody.enter(from: nil, within: .zero) else { throw APIError.busyUpstream }
        defer { withExtendedLifetime(place) {} }
        let request = HTTP.HTTPRequest(
            method, url + head.target, headers: head.headers(through: pseudonym),
            body: method == .get && body.isEmpty ? nil : body, timeout: timeout)
        do throws(TransportError) {
            return try await client.exchange(request)
        } catch {
            // Neither log nor response contains a path: it may contain a token.
            if error.code != .cancelled { logger.error("the upstream gave no answer: \(error.code)") }
            throw APIError(upstream: error)
        }
    }
}

extension APIError {
    /// The error for a request that came back from the upstream.
    static let upstreamLoop = APIError(
        508, 508, "The upstream leads back to this server: it names the domain that it serves itself.")

    /// The error when too many clients without keys use the upstream.
    static let busyUpstream = APIError(503, 503, "Too many requests to the upstream; try again in a moment.")
    /// The error for a response too large for clients without the app's keys.
    static let largeForStranger = APIError(
        502, 502, "The upstream's answer is over 1 MiB, and the request shows none of the app's keys.")

    /// The error when the upstream took too long.
    static let lateUpstream = APIError(
        504, 504, "The upstream, which serves everything but push, did not answer in time.")

    /// The error when a backend did not respond; it does not reveal the backend's address.
    fileprivate init(upstream error: TransportError) {
        switch error.code {
        case .timedOut: self = .lateUpstream
        case .cancelled: self.init(499, 499, "The client disconnected before the upstream answered.")
        case .responseTooLarge: self.init(502, 502, "The upstream's answer is over 16 MiB.")
        case .refusedURL where error.sent == .nothing, .refusedHeader where error.sent == .nothing:
            self.init(400, 1, "The request cannot be passed on to the upstream.")
        case .refusedURL, .refusedHeader, .couldNotResolve, .couldNotConnect, .tls, .connectionLost, .rewindRefused,
            .tooLate,
            .protocolError, .noHTTP2, .internalFailure:
            self.init(502, 502, "The upstream, which serves everything but push, cannot be reached.")
        }
    }
}

// MARK: - Batches

/// A batch whose calls another backend may share, with the means to send it its own.
struct PassedBatch: Sendable {
    /// A run of adjacent calls with the same owner.
    struct Run: Sendable {
        let owner: PushPaths.Owner
        var elements: [JSONValue]
    }

    /// The backend for the other calls.
    let upstream: Upstream
    /// The head of the whole batch.
    let head: PassedHead
    /// The calls, in order.
    let runs: [Run]
    /// The time by which the backend must have answered all of its calls together.
    private let end: ContinuousClock.Instant

    /// The most calls of a batch that is split.
    static let mostCalls = 1000
    /// The most parts of a batch that go to the backend.
    static let mostParts = 20

    /// Reads a batch once; nil when its body is none.
    init?(_ body: [UInt8], head: PassedHead, upstream: Upstream) {
        guard let elements = try? JSONValue(parsing: body, limits: ServerLimits.json)["requests"]?.array else {
            return nil
        }
        self.upstream = upstream
        self.head = head
        end = upstream.end
        var runs: [Run] = []
        for element in elements {
            let owner = PushPaths.owner(ofElement: element)
            if runs.last?.owner != owner { runs.append(Run(owner: owner, elements: [])) }
            runs[runs.count - 1].elements.append(element)
        }
        self.runs = runs
    }

    /// True if some of the calls are the backend's.
    var hasUpstreams: Bool { runs.contains { $0.owner == .upstream } }

    /// True if all of the calls are the backend's, which gets the batch as it came.
    var isUpstreams: Bool { runs.count == 1 && hasUpstreams }

    /// Refuses a batch whose parts would be too many.
    ///
    /// - Throws: ``APIError`` with code 1.
    func check() throws(APIError) {
        let parts = runs.filter { $0.owner == .upstream }.count
        let calls = runs.reduce(0) { $0 + $1.elements.count }
        guard parts == 0 || parts <= Self.mostParts && calls <= Self.mostCalls else { throw APIError.splitTooOften }
    }

    /// What the backend gets of the batch for some of its calls: these, and nothing else of it.
    func body(_ elements: [JSONValue]) -> [UInt8] {
        JSONValue.object(["requests": .array(elements)]).canonicalBytes
    }

    /// The backend's response to some of the calls.
    func answer(_ elements: [JSONValue]) async -> APIResponse {
        do throws(APIError) {
            let response = try await upstream.answer(head, body: body(elements), until: end)
            guard let json = try? JSONValue(parsing: response.body, limits: ServerLimits.json) else {
                throw APIError.strangeUpstream
            }
            return APIResponse(status: response.status, body: json)
        } catch {
            return APIResponse(error)
        }
    }

    /// The responses to some calls of a `/batch`, one for each; if the part fails as a whole, each one gives the
    /// reason.
    func answers(_ elements: [JSONValue]) async -> [JSONValue] {
        let response = await answer(elements)
        if !response.isRefusal, let answers = response.body.array, answers.count == elements.count { return answers }
        let failure = response.isRefusal ? response.body : APIError.strangeUpstream.body
        return elements.map { _ in ["error": failure] }
    }
}

extension APIError {
    /// The error for a backend's response to a batch that does not have LeanCloud's format.
    static let strangeUpstream = APIError(
        502, 502, "The upstream's answer to its part of the batch is not a batch answer.")
    /// The error for a batch with credentials in its body that would have to be split.
    static let unsplittable = APIError(
        400, 1,
        "This batch holds calls for push and others, and as text/plain it cannot be split: send application/json.")
    static let splitTooOften = APIError(
        400, 1,
        "This batch holds calls for push and others: it may have \(PassedBatch.mostCalls) calls, and \(PassedBatch.mostParts) runs of others between those for push. Send several batches, or calls of one kind side by side."
    )
}

/// The routing of requests between this server and another backend.
enum PushPaths {
    /// The server responsible for a call.
    enum Owner: Hashable {
        /// This server: the call is about devices and pushes, or about the server itself.
        case push
        case upstream
    }

    /// The owner of a request; nil for a batch, whose content decides.
    static func owner(of target: RequestTarget) -> Owner? {
        guard let path = target.versioned else { return .upstream }
        guard path != ["batch"], path != ["batch", "save"] else { return nil }
        return owner(of: path, target.query)
    }

    /// The owner of a batch element; an invalid path, which the backend might take for a push path, is refused here.
    static func owner(ofElement element: JSONValue) -> Owner {
        guard let text = element["path"]?.string else { return .upstream }
        guard let target = RequestTarget(text) else { return .push }
        return target.versioned.map { owner(of: $0, target.query) } ?? .upstream
    }

    private static func owner(of path: [String], _ query: [String: String]) -> Owner {
        switch path.first {
        case "installations", "push", "notifications", "scheduledPushMessages", "bugle", "date", "stats", "statistics",
            "always_collect":
            .push
        case "classes": owner(ofClass: path.dropFirst().first)
        case "scan" where path.dropFirst().first == "classes": owner(ofClass: path.dropFirst(2).first)
        case "tables": path.dropFirst().first == "Notifications" ? .push : .upstream
        case "cloudQuery": owner(ofQuery: query["cql"] ?? "", query["pvalues"])
        default: .upstream
        }
    }

    private static func owner(ofClass name: String?) -> Owner {
        guard let name, let className = try? ClassName(name) else { return .upstream }
        return ServerMode.push.writes(className) ? .push : .upstream
    }

    private static func owner(ofQuery cql: String, _ values: String?) -> Owner {
        let values = values.flatMap { try? JSONValue(parsing: $0, limits: ServerLimits.json).array } ?? []
        let query = try? CQLQuery(cql, values: values, at: Instant(milliseconds: 0))
        // This server reports the problem with an unreadable query about devices.
        guard let query else { return cql.contains("_Installation") ? .push : .upstream }
        return owner(ofClass: query.className)
    }
}

/// The head of a forwarded request: its headers unchanged, except those of the connection.
struct PassedHead: Sendable {
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

// MARK: - Passed

extension HTTPAnswer {
    /// Creates a response from another backend's, without the headers that belong to its connection.
    init(passed response: HTTP.HTTPResponse) {
        self.init(status: response.status, json: nil)
        body = response.body
        var fields = HTTPFields()
        for field in response.headers.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        for (name, value) in PassedHead.kept(fields) {
            // The body is already decompressed, and the server sets its own date.
            guard let name = HTTPField.Name(name), name != .contentEncoding, name != .date else { continue }
            headers.append(HTTPField(name: name, value: value))
        }
    }
}
