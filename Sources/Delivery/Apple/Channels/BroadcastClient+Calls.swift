internal import HTTP
internal import Base
internal import Push

/// One channel-management request.
struct ChannelCall {
    let method: HTTPRequest.Method
    let path: String
    let channel: String?
    let body: [UInt8]?

    init(_ method: HTTPRequest.Method, path: String, channel: String? = nil, body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.channel = channel
        self.body = body
    }
}

extension BroadcastClient {
    /// Performs a call, and repeats it once when Apple says that the provider token has expired.
    ///
    /// - Parameters:
    ///   - call: the request.
    ///   - status: the status that means success.
    ///   - value: the response's value; nil when a required part is missing.
    /// - Returns: the outcome, that of the repetition when there was one.
    /// - Throws: the reason Apple accepts no provider token from this machine, when known.
    func perform<Value: Sendable>(
        _ call: ChannelCall, success status: Int, value: (HTTPResponse) -> Value?
    ) async throws(CredentialError) -> Outcome<Value> {
        guard case .token(let tokens) = credential else {
            return await exchange(call, token: nil, success: status, value: value)
        }
        let token = tokens.token()
        let outcome = await exchange(call, token: token, success: status, value: value)
        guard case .refused(let refusal) = outcome, refusal.knownReason?.row.decision == .renew else { return outcome }
        let other = tokens.renewedToken(insteadOf: token)
        if let problem = (tokens as? ProviderTokenSource)?.problem { throw problem }
        return other == token
            ? outcome : await exchange(call, token: other, success: status, value: value)
    }

    private func exchange<Value: Sendable>(
        _ call: ChannelCall, token: Secret?, success status: Int, value: (HTTPResponse) -> Value?
    ) async -> Outcome<Value> {
        var headers: [(String, String)] = []
        if let token { headers.append(("authorization", "bearer \(token.revealedText)")) }
        if let channel = call.channel { headers.append(("apns-channel-id", channel)) }
        if call.body != nil { headers.append(("content-type", "application/json")) }
        let url = endpoints.channels(environment) + call.path
        let request = HTTPRequest(call.method, url, headers: headers, body: call.body, timeout: timeout)
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
            return value(response).map(Outcome.done) ?? .unknown("Apple's answer lacks required fields")
        }
        // Another success status than the documented one: the request, or something like it, was carried out.
        if (200..<300).contains(response.status) { return .unknown("Apple answered \(response.status)") }
        let refusal = Refusal(status: response.status, body: response.body)
        // Without one of Apple's reasons, an intermediary may have answered after the request was carried out.
        let provesNothing = refusal.knownReason == nil && call.method != .get
        return provesNothing ? .unknown(refusal.explanation) : .refused(refusal)
    }
}
