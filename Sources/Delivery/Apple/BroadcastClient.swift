internal import Base
package import HTTP
package import Push

/// Creates, lists and deletes the broadcast channels of one app in one environment.
///
/// Source: docs/background/apple/broadcasts.md#channels. Only a request whose provider token had expired is repeated;
/// the outcome of a request whose answer was lost is looked up, see ``ChannelReconciliation``.
package struct BroadcastClient: Sendable {
    /// The credential that the client authenticates with.
    package enum Credential: Sendable {
        case token(any ProviderTokenProviding)
        /// The client certificate that `http` was created with.
        case certificate
    }

    /// The outcome of a request.
    package enum Outcome<Value: Sendable>: Sendable {
        /// Apple carried out the request.
        case done(Value)
        /// Apple refused the request; for one that changes something, with a documented reason.
        case refused(Refusal)
        /// Nothing left this machine, for this reason; the request may be repeated.
        case notSent(String)
        /// It is unknown whether Apple carried out the request, for this reason.
        case unknown(String)
    }

    let http: any HTTPExchanging
    let endpoints: APNsEndpoints
    let environment: PushEnvironment
    let topic: String
    let credential: Credential
    let timeout: Duration

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - http: for a certificate, a client that was created with it.
    ///   - endpoints: the addresses of Apple's services.
    ///   - environment: the environment of the channels.
    ///   - topic: the app's bundle id, without a suffix.
    ///   - credential: a provider token, or the certificate of `http`.
    ///   - timeout: the time limit of a request.
    package init(
        http: any HTTPExchanging, endpoints: APNsEndpoints, environment: PushEnvironment, topic: String,
        credential: Credential, timeout: Duration = .seconds(30)
    ) {
        self.http = http
        self.endpoints = endpoints
        self.environment = environment
        self.topic = topic
        self.credential = credential
        self.timeout = timeout
    }

    /// Creates a channel and returns its id.
    ///
    /// - Throws: `clockWrong` when a wrong clock keeps Apple from accepting any provider token made here.
    package func create(_ storage: Channel.Broadcast.Storage) async throws(CredentialError) -> Outcome<String> {
        let body: JSONValue = ["message-storage-policy": .integer(storage.policy), "push-type": "LiveActivity"]
        let call = ChannelCall(.post, path: channelsPath, body: body.canonicalBytes)
        let outcome = try await perform(call, success: 201) { response in
            response.headers["apns-channel-id"].flatMap { $0.isEmpty ? nil : $0 }
        }
        // A server error from Apple may have come after the channel was created.
        if case .refused(let refusal) = outcome, (500..<600).contains(refusal.status) {
            return .unknown(refusal.explanation)
        }
        return outcome
    }

    /// Deletes a channel permanently; `ChannelNotRegistered` when no channel has this id.
    ///
    /// - Throws: `clockWrong` when a wrong clock keeps Apple from accepting any provider token made here.
    package func delete(_ id: String) async throws(CredentialError) -> Outcome<Void> {
        try await perform(ChannelCall(.delete, path: channelsPath, channel: id), success: 204) { _ in () }
    }

    /// Lists the ids of all the app's channels.
    ///
    /// - Throws: `clockWrong` when a wrong clock keeps Apple from accepting any provider token made here.
    package func list() async throws(CredentialError) -> Outcome<[String]> {
        try await perform(ChannelCall(.get, path: "/1/apps/\(topic)/all-channels"), success: 200) { response in
            let channels = (try? JSONValue(parsing: response.body))?["channels"]?.array
            let ids = channels?.compactMap(\.string)
            return ids?.count == channels?.count ? ids : nil
        }
    }

    private var channelsPath: String { "/1/apps/\(topic)/channels" }
}

extension Channel.Broadcast.Storage {
    /// Apple's number for the policy.
    var policy: Int64 {
        switch self {
        case .none: 0
        case .mostRecent: 1
        }
    }
}

// MARK: - Calls

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

/// The outcome of a channel-creation request whose answer was lost, inferred from the app's channels before and after.
package enum ChannelReconciliation: Hashable, Sendable {
    /// The channel was created, with this id.
    case made(String)
    /// The channel was not created; the request may be repeated.
    case notMade
    /// Several new channels, any of which may be the one: a person or another program created some meanwhile.
    case ambiguous([String])

    /// Compares the lists of channels.
    ///
    /// - Parameters:
    ///   - before: the ids before the request.
    ///   - after: the ids after the request, late enough for Apple to list a new one.
    ///   - known: ids that belong to other declared channels.
    package init(before: [String], after: [String], known: Set<String> = []) {
        let old = known.union(before)
        var new: [String] = []
        for id in after where !old.contains(id) && !new.contains(id) { new.append(id) }
        switch new.count {
        case 0: self = .notMade
        case 1: self = .made(new[0])
        default: self = .ambiguous(new.sorted())
        }
    }
}
