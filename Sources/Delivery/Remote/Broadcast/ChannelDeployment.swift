internal import Base
internal import DeviceRegistry
internal import Push

/// Creates and deletes broadcast channels at Apple: durable intent, one request, durable outcome.
///
/// A create request whose answer was lost is never repeated before the app's channels were searched for its result.
/// Deleting is idempotent.
struct ChannelDeployment: Sendable {
    let store: Journal
    let workspace: String
    let lease: Lease
    let clients: BroadcastClients
    let pausing: any Pausing

    /// The time that Apple is given to list a channel after a lost answer.
    private static let listing = Duration.seconds(5)

    /// Creates the channel as declared in every environment in which a profile has its topic, replacing any earlier
    /// version.
    ///
    /// - Throws: `RemoteError` when it is not certain that everything is as declared.
    func deploy(_ name: String, as broadcast: Channel.Broadcast?) async throws(RemoteError) {
        let known = try await records().filter { $0.name == name }
        for record in known where record.broadcast != broadcast { try await delete(record) }
        guard let broadcast else { return }
        let environments = clients.environments(of: broadcast.topic)
        guard !environments.isEmpty else {
            throw RemoteError(
                .refused,
                "no DeviceProfile has the topic \(broadcast.topic) of the broadcast channel \(name): declare one")
        }
        for environment in environments { _ = try await ready(name, broadcast, in: environment) }
    }

    /// Apple's id of a channel, which is created if it does not exist yet.
    func ready(
        _ name: String, _ broadcast: Channel.Broadcast, in environment: PushEnvironment
    ) async throws(RemoteError) -> String {
        let all = try await records()
        let client = try await clients.client(for: broadcast.topic, in: environment)
        var record = ChannelRecord(
            name: name, environment: environment, broadcast: broadcast, state: .creating(before: []))
        if let known = all.first(where: { $0.name == name && $0.environment == environment }),
            known.broadcast == broadcast
        {
            switch known.state {
            case .ready(let id): return id
            case .deleting: try await delete(known)
            case .creating:
                if let id = try await found(known, among: all, by: client) { return id }
            }
        }
        record.state = .creating(before: try await ids(client))
        try await put(record)
        switch try await certain({ () throws(CredentialError) in try await client.create(broadcast.storage) }) {
        case .done(let id):
            record.state = .ready(id)
            try await put(record)
            return id
        case .refused(let refusal):
            try await remove(record)
            throw RemoteError(refusal)
        case .notSent(let reason):
            try await remove(record)
            throw RemoteError(.unavailable, reason)
        case .unknown(let reason):
            try? await pausing.pause(for: Self.listing)
            if let id = try await found(record, among: all, by: client) { return id }
            throw RemoteError(
                .unknownOutcome,
                "it is unknown whether Apple created the broadcast channel "
                    + "\(name) (\(reason)): the next apply checks")
        }
    }

    /// Deletes every channel with a name.
    func delete(_ name: String) async throws(RemoteError) {
        for record in try await records() where record.name == name { try await delete(record) }
    }

    private func delete(_ known: ChannelRecord) async throws(RemoteError) {
        let client = try await clients.client(for: known.broadcast.topic, in: known.environment)
        var record = known
        if record.id == nil {
            guard let id = try await found(record, among: try await records(), by: client) else {
                return try await remove(record)
            }
            record.state = .ready(id)
        }
        guard let id = record.id else { return }
        record.state = .deleting(id)
        try await put(record)
        for attempt in 0... {
            switch try await certain({ () throws(CredentialError) in try await client.delete(id) }) {
            case .done: return try await remove(record)
            case .refused(let refusal) where refusal.knownReason == .channelNotRegistered:
                return try await remove(record)
            case .refused(let refusal): throw RemoteError(refusal)
            case .notSent(let reason): throw RemoteError(.unavailable, reason)
            case .unknown(let reason):
                guard attempt == 0 else { throw RemoteError(.unknownOutcome, reason) }
                try? await pausing.pause(for: .seconds(1))
            }
        }
    }

    /// The id of the channel that an earlier request created, if it did.
    private func found(
        _ creating: ChannelRecord, among all: [ChannelRecord], by client: BroadcastClient
    ) async throws(RemoteError) -> String? {
        guard case .creating(let before) = creating.state else { return creating.id }
        let known = Set(all.filter { $0.environment == creating.environment }.compactMap(\.id))
        switch ChannelReconciliation(before: before, after: try await ids(client), known: known) {
        case .made(let id):
            var record = creating
            record.state = .ready(id)
            try await put(record)
            return id
        case .notMade: return nil
        case .ambiguous(let ids):
            throw RemoteError(
                .unknownOutcome,
                "the answer to creating the broadcast channel \(creating.name) was lost, and the app has \(ids.count) new "
                    + "channels since then: delete the unused ones in Apple's console, and apply again")
        }
    }

    private func ids(_ client: BroadcastClient) async throws(RemoteError) -> [String] {
        switch try await certain({ () throws(CredentialError) in try await client.list() }) {
        case .done(let ids): return ids
        case .refused(let refusal): throw RemoteError(refusal)
        case .notSent(let reason), .unknown(let reason): throw RemoteError(.unavailable, reason)
        }
    }

    private func records() async throws(RemoteError) -> [ChannelRecord] {
        var all: [ChannelRecord] = []
        for record in try await RemoteError.asking({ () throws(RegistryError) in
            try await store.records(.broadcast, of: workspace)
        }) { all.append(try ChannelRecord(record)) }
        return all
    }

    private func put(_ record: ChannelRecord) async throws(RemoteError) {
        try await RemoteError.asking { () throws(RegistryError) in
            try await store.put(record.record(workspace: workspace), under: lease)
        }
    }

    private func remove(_ record: ChannelRecord) async throws(RemoteError) {
        try await RemoteError.asking { () throws(RegistryError) in
            try await store.remove(record.record(workspace: workspace), under: lease)
        }
    }

    private func certain<Value: Sendable>(
        _ body: () async throws(CredentialError) -> BroadcastClient.Outcome<Value>
    ) async throws(RemoteError) -> BroadcastClient.Outcome<Value> {
        do throws(CredentialError) {
            return try await body()
        } catch {
            throw RemoteError(.credentials, error.description)
        }
    }
}

extension RemoteError {
    /// Converts a refusal from Apple.
    init(_ refusal: Refusal) {
        let kind: Kind =
            switch refusal.knownReason?.row.decision {
            case .giveUp(.credential), .renew: .credentials
            case .retry, .wait, .reconnect, nil: .unavailable
            case .giveUp, .dropToken, .dropTokenIfEnvironmentIsRight, .refuseToken: .refused
            }
        self.init(kind, refusal.explanation)
    }
}
