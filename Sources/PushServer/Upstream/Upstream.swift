internal import HTTP
internal import Base
internal import Logging

/// The backend for requests that are not push: users, files, and classes other than devices.
struct Upstream: Sendable {
    private let url: String
    private let timeout: Duration
    private let client: any HTTPExchanging
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    /// The gate for clients without valid keys: they wait for each other and do not hold up the app.
    private let strangers = ClientGate(places: 16, share: 4)
    /// The largest response to such a client, in bytes: one that it does not read stays in memory.
    private static let strangersMost = 1 << 20
    /// The name of this server in `Via`; a request that already carries it is a loop.
    let pseudonym: String

    /// Creates a backend reached through an HTTP client.
    init(
        _ url: String, timeout: Duration, _ client: any HTTPExchanging, pseudonym: String, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.now = now
        (self.url, self.timeout) = (url, timeout)
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
        guard let place = await strangers.enter(from: address, within: .seconds(5)) else {
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
    /// - Throws: ``APIError`` with code 405, 502, 504 or 508.
    func answer(
        _ head: PassedHead, body: [UInt8], until end: ContinuousClock.Instant? = nil
    ) async throws(APIError) -> HTTP.HTTPResponse {
        guard !head.hasPassed(pseudonym) else { throw APIError.upstreamLoop }
        guard let method = HTTP.HTTPRequest.Method(rawValue: head.method) else { throw APIError.methodNotAllowed }
        let timeout = end.map { $0 - now() } ?? self.timeout
        guard timeout > .zero else { throw APIError.lateUpstream }
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
