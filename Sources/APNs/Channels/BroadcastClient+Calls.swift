internal import CurlHTTP
internal import Diagnostics

/// One request about a channel.
struct ChannelCall {
    let method: HTTPRequest.Method
    let path: String
    let channel: String?
    let headers: [(String, String)]
    let body: [UInt8]?

    init(
        _ method: HTTPRequest.Method, path: String, channel: String? = nil, headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) {
        self.method = method
        self.path = path
        self.channel = channel
        self.headers = headers
        self.body = body
    }
}

extension BroadcastClient {
    /// Carries out a call, once more when Apple says that the provider token has expired.
    ///
    /// - Throws: why Apple takes no provider token that is made here, where that is known.
    /// - Parameters:
    ///   - host: where; the management of channels by default.
    ///   - status: the one that says it was done.
    ///   - value: what the answer gives; nil when it does not give what it must.
    func perform<Value: Sendable>(
        _ call: ChannelCall, at host: String? = nil, success status: Int, value: (HTTPResponse) -> Value?
    ) async throws(CredentialError) -> Outcome<Value> {
        let host = host ?? endpoints.channels(environment)
        guard case .token(let tokens) = credential else {
            return await exchange(call, at: host, token: nil, success: status, value: value)
        }
        let token = tokens.token()
        let outcome = await exchange(call, at: host, token: token, success: status, value: value)
        guard case .refused(let refusal) = outcome, refusal.decision == .renew else { return outcome }
        let other = tokens.renewedToken(insteadOf: token)
        if let problem = (tokens as? ProviderTokenSource)?.problem { throw problem }
        return other == token
            ? outcome : await exchange(call, at: host, token: other, success: status, value: value)
    }

    private func exchange<Value: Sendable>(
        _ call: ChannelCall, at host: String, token: Secret?, success status: Int, value: (HTTPResponse) -> Value?
    ) async -> Outcome<Value> {
        var headers = call.headers
        if let token { headers.append(("authorization", "bearer \(token.revealedText)")) }
        if let channel = call.channel { headers.append(("apns-channel-id", channel)) }
        if call.body != nil { headers.append(("content-type", "application/json")) }
        let request = HTTPRequest(call.method, host + call.path, headers: headers, body: call.body, timeout: timeout)
        let response: HTTPResponse
        do throws(TransportError) {
            response = try await http.exchange(request)
        } catch {
            switch error.sent {
            case .nothing: return .notSent(error.summary)
            case .possibly: return .unknown(error.summary)
            }
        }
        if case .token(let source as ProviderTokenSource) = credential, let date = response.headers["date"] {
            source.note(date: date)
        }
        if response.status == status {
            return value(response).map(Outcome.done) ?? .unknown("Apple's answer lacks what it must have")
        }
        // Another success than the documented one: it was done, or something like it.
        if (200..<300).contains(response.status) { return .unknown("Apple answered \(response.status)") }
        return .refused(Refusal(status: response.status, body: response.body))
    }
}
