internal import HummingbirdCore
internal import JSONValue

extension HTTPFrontend {
    /// Forwards a request that is not about push, with its body unchanged.
    ///
    /// The backend authenticates it; only a client with this app's keys may send a large body through here, get a large
    /// response, and use more than a share of the connections to the backend.
    @concurrent func passOn(
        _ exchange: Exchange, to upstream: Upstream, _ reader: BodyReader, _ writer: borrowing ResponseWriter
    ) async throws -> HTTPAnswer {
        let access = try? credentials.access(ShownCredentials { exchange.header($0) }, at: api.clock.machineTime)
        let most = api.configuration.limits.bodyLimit
        let limit = access == nil ? min(most, ServerLimits.unknownSenderBodyLimit) : most
        switch try await body(reader, of: exchange, upTo: limit, writer) {
        case .refused(let error): return HTTPAnswer(error, closes: true)
        case .read(let bytes, let place):
            defer { withExtendedLifetime(place) {} }
            let head = PassedHead(exchange)
            return access == nil
                ? await upstream.passForStranger(head, body: bytes) : await upstream.pass(head, body: bytes)
        }
    }

    /// Forwards a batch unchanged when none of its calls is about push; nil when this server must answer it.
    @concurrent func passOn(
        batch bytes: [UInt8], of exchange: Exchange, isEscaped: Bool = false
    ) async -> HTTPAnswer? {
        guard let passed = passed(exchange),
            let elements = try? JSONValue(parsing: bytes, limits: ServerLimits.json)["requests"]?.array
        else { return nil }
        let owners = Set(elements.map { PushPaths.owner(ofElement: $0) })
        if owners == [.upstream] { return await passed.upstream.pass(passed.head, body: bytes) }
        // Its parts would need credentials that are in the body of the whole.
        guard isEscaped, owners.contains(.upstream) else { return nil }
        return HTTPAnswer(
            APIError(
                400, 1,
                "This batch holds calls for push and others, and as text/plain it cannot be split: send application/json."
            ))
    }

    /// The forwarder for a batch's calls; nil for all other requests, and without another backend.
    func passed(_ exchange: Exchange) -> PassedBatch? {
        guard let upstream = api.upstream, let target = exchange.target, PushPaths.owner(of: target) == nil else {
            return nil
        }
        return PassedBatch(upstream: upstream, head: PassedHead(exchange))
    }
}
