internal import CurlHTTP
internal import JSONValue
internal import Logging

/// Another backend, which answers what is not push: users, files, and classes other than devices.
struct Upstream: Sendable {
    private let settings: UpstreamSettings
    private let client: any HTTPExchanging
    private let logger: Logger
    /// Those who show no keys wait for each other, not the app for them.
    private let strangers = BodyGate(places: 16)
    /// Their answers have this many bytes at most: who does not read one keeps it in memory.
    private static let strangersMost = 1 << 20
    /// The name under which this server stands in `Via`: one that passes here again is a loop.
    let pseudonym: String

    /// A backend that is asked by a client.
    init(_ settings: UpstreamSettings, _ client: any HTTPExchanging, pseudonym: String, logger: Logger) {
        self.settings = settings
        self.client = client
        self.pseudonym = pseudonym
        self.logger = logger
    }

    /// Passes a request on and gives the backend's answer, or why there is none.
    func pass(_ head: PassedHead, body: [UInt8]) async -> HTTPAnswer {
        do throws(APIError) {
            return HTTPAnswer(passed: try await answer(head, body: body))
        } catch {
            return HTTPAnswer(error)
        }
    }

    /// Passes on a request whose sender shows none of the keys that this server knows.
    func passForStranger(_ head: PassedHead, body: [UInt8]) async -> HTTPAnswer {
        guard let place = await strangers.enter(within: .seconds(5)) else { return HTTPAnswer(APIError.busyUpstream) }
        defer { withExtendedLifetime(place) {} }
        let answer = await pass(head, body: body)
        return answer.body.count > Self.strangersMost ? HTTPAnswer(APIError.largeForStranger) : answer
    }

    /// The backend's answer.
    ///
    /// - Throws: ``APIError`` with code 405, 502, 504 or 508.
    func answer(_ head: PassedHead, body: [UInt8]) async throws(APIError) -> CurlHTTP.HTTPResponse {
        guard !head.hasPassed(pseudonym) else { throw APIError.upstreamLoop }
        guard let method = CurlHTTP.HTTPRequest.Method(rawValue: head.method) else { throw APIError.methodNotAllowed }
        let request = CurlHTTP.HTTPRequest(
            method, settings.url + head.target, headers: head.headers(through: pseudonym),
            body: method == .get && body.isEmpty ? nil : body, timeout: settings.timeout)
        do throws(TransportError) {
            return try await client.exchange(request)
        } catch {
            // Neither log nor answer holds a path: it may hold a token.
            logger.error("the upstream gave no answer: \(error.code)")
            throw APIError(upstream: error)
        }
    }
}

/// Where the backend is that answers what is not push.
package struct UpstreamSettings: Hashable, Sendable {
    /// Scheme, host and port: `https`, or `http` on this machine; no slash at the end.
    package var url: String
    /// How long one of its answers may take; default 30 s.
    package var timeout: Duration

    /// Names a backend.
    package init(url: String, timeout: Duration = .seconds(30)) {
        self.url = url
        self.timeout = timeout
    }
}

extension APIError {
    /// A request that was here before comes from the upstream.
    static let upstreamLoop = APIError(
        508, 508, "The upstream leads back to this server: it names the domain that it serves itself.")

    /// Too many who show no keys ask the upstream.
    static let busyUpstream = APIError(503, 503, "Too many requests to the upstream; try again in a moment.")
    /// An answer that only those get who show the app's keys.
    static let largeForStranger = APIError(
        502, 502, "The upstream's answer is over 1 MiB, and the request shows none of the app's keys.")

    /// Why a backend gave no answer, without where it is.
    fileprivate init(upstream error: TransportError) {
        switch error.code {
        case .timedOut: self.init(504, 504, "The upstream, which answers what is not push, did not answer in time.")
        case .responseTooLarge: self.init(502, 502, "The upstream's answer is over 16 MiB.")
        case .refusedURL where error.sent == .nothing, .refusedHeader where error.sent == .nothing:
            self.init(400, 1, "The request cannot be passed on to the upstream.")
        case .refusedURL, .refusedHeader, .couldNotResolve, .couldNotConnect, .tls, .connectionLost, .rewindRefused,
            .tooLate, .cancelled,
            .protocolError, .noHTTP2, .internalFailure:
            self.init(502, 502, "The upstream, which answers what is not push, cannot be reached.")
        }
    }
}
