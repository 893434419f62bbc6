package import CurlHTTP
internal import JSONValue
package import PushModel

/// Makes, reads, lists and deletes the broadcast channels of one app in one environment.
///
/// Source: <doc:AppleBroadcasts#Channels>. Nothing is repeated but a request whose provider token had expired: what was
/// lost is looked up, see ``ChannelReconciliation``.
package struct BroadcastClient: Sendable {
    /// What it authenticates with.
    package enum Credential: Sendable {
        /// A provider token.
        case token(any ProviderTokenProviding)
        /// The client certificate that `http` was made with.
        case certificate
    }

    /// What became of a request.
    package enum Outcome<Value: Sendable>: Sendable {
        /// Apple did it.
        case done(Value)
        /// Apple answered that it would not; of a request that changes something, with a documented reason.
        case refused(Refusal)
        /// Nothing left this machine, and why: it may be repeated.
        case notSent(String)
        /// Nobody knows whether Apple did it, and why.
        case unknown(String)
    }

    let http: any HTTPExchanging
    let endpoints: APNsEndpoints
    let environment: PushEnvironment
    let topic: String
    let credential: Credential
    let timeout: Duration

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - http: for a certificate, a client that was made with it.
    ///   - topic: the app's bundle id, without a suffix.
    ///   - timeout: how long a request may take.
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

    /// Makes a channel; the value is its id.
    ///
    /// - Throws: `clockWrong` when that keeps Apple from taking any provider token that is made here.
    package func create(_ storage: Channel.Broadcast.Storage) async throws(CredentialError) -> Outcome<String> {
        let body: JSONValue = ["message-storage-policy": .integer(storage.policy), "push-type": "LiveActivity"]
        let call = ChannelCall(.post, path: channelsPath, body: body.canonicalBytes)
        let outcome = try await perform(call, success: 201) { response in
            response.headers["apns-channel-id"].flatMap { $0.isEmpty ? nil : $0 }
        }
        // An error of Apple's may have come after the channel was made.
        if case .refused(let refusal) = outcome, (500..<600).contains(refusal.status) {
            return .unknown(refusal.explanation)
        }
        return outcome
    }

    /// What a channel keeps; `ChannelNotRegistered` when there is none of this id.
    ///
    /// - Throws: `clockWrong` when that keeps Apple from taking any provider token that is made here.
    package func read(_ id: String) async throws(CredentialError) -> Outcome<Channel.Broadcast.Storage> {
        try await perform(ChannelCall(.get, path: channelsPath, channel: id), success: 200) { response in
            (try? JSONValue(parsing: response.body))?["message-storage-policy"]?.integer
                .flatMap(Channel.Broadcast.Storage.init(policy:))
        }
    }

    /// Deletes a channel for good; `ChannelNotRegistered` when there is none of this id.
    ///
    /// - Throws: `clockWrong` when that keeps Apple from taking any provider token that is made here.
    package func delete(_ id: String) async throws(CredentialError) -> Outcome<Void> {
        try await perform(ChannelCall(.delete, path: channelsPath, channel: id), success: 204) { _ in () }
    }

    /// The ids of all channels of the app.
    ///
    /// - Throws: `clockWrong` when that keeps Apple from taking any provider token that is made here.
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
    /// Apple's number for it.
    var policy: Int64 {
        switch self {
        case .none: 0
        case .mostRecent: 1
        }
    }

    /// What Apple's number says; nil for a number that is not documented.
    init?(policy: Int64) {
        guard let storage = Self.allCases.first(where: { $0.policy == policy }) else { return nil }
        self = storage
    }
}
