package import HTTP
internal import Base
package import Push

/// Creates, reads, lists and deletes the broadcast channels of one app in one environment.
///
/// Source: docs/background/apple/broadcasts.md#channels. Only a request whose provider token had expired is repeated;
/// the outcome of a request whose answer was lost is looked up, see ``ChannelReconciliation``.
package struct BroadcastClient: Sendable {
    /// The credential that the client authenticates with.
    package enum Credential: Sendable {
        /// A provider token.
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

    /// Reads a channel's storage policy; `ChannelNotRegistered` when no channel has this id.
    ///
    /// - Throws: `clockWrong` when a wrong clock keeps Apple from accepting any provider token made here.
    package func read(_ id: String) async throws(CredentialError) -> Outcome<Channel.Broadcast.Storage> {
        try await perform(ChannelCall(.get, path: channelsPath, channel: id), success: 200) { response in
            (try? JSONValue(parsing: response.body))?["message-storage-policy"]?.integer
                .flatMap(Channel.Broadcast.Storage.init(policy:))
        }
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

    /// The policy for Apple's number; nil for an undocumented number.
    init?(policy: Int64) {
        guard let storage = Self.allCases.first(where: { $0.policy == policy }) else { return nil }
        self = storage
    }
}
