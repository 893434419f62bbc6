internal import Base
internal import DeviceRegistry
package import Push

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
                if let id = try await found(known, by: client) { return id }
            }
        }
        record.state = .creating(before: try await ids(client))
        try await put(record)
        switch try await certain(try await client.create(broadcast.storage)) {
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
            if let id = try await found(record, by: client) { return id }
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
            guard let id = try await found(record, by: client) else { return try await remove(record) }
            record.state = .ready(id)
        }
        guard let id = record.id else { return }
        record.state = .deleting(id)
        try await put(record)
        for attempt in 0... {
            switch try await certain(try await client.delete(id)) {
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
    private func found(_ creating: ChannelRecord, by client: BroadcastClient) async throws(RemoteError) -> String? {
        guard case .creating(let before) = creating.state else { return creating.id }
        let after = try await ids(client)
        let known = try await ids(in: creating.environment)
        switch ChannelReconciliation(before: before, after: after, known: known) {
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

    /// The ids of the registry's channels, whatever their workspace: several may be of one app.
    private func ids(in environment: PushEnvironment) async throws(RemoteError) -> Set<String> {
        var ids: Set<String> = []
        for name in try await RemoteError.asking(try await store.tally(.broadcast)).keys {
            for record in try await RemoteError.asking(try await store.records(.broadcast, of: name)) {
                let channel = try ChannelRecord(record)
                if channel.environment == environment, let id = channel.id { ids.insert(id) }
            }
        }
        return ids
    }

    private func ids(_ client: BroadcastClient) async throws(RemoteError) -> [String] {
        switch try await certain(try await client.list()) {
        case .done(let ids): return ids
        case .refused(let refusal): throw RemoteError(refusal)
        case .notSent(let reason), .unknown(let reason): throw RemoteError(.unavailable, reason)
        }
    }

    private func records() async throws(RemoteError) -> [ChannelRecord] {
        let records = try await RemoteError.asking(try await store.records(.broadcast, of: workspace))
        return try records.map { record throws(RemoteError) in try ChannelRecord(record) }
    }

    private func put(_ record: ChannelRecord) async throws(RemoteError) {
        try await RemoteError.asking(try await store.put(record.record(workspace: workspace), under: lease))
    }

    private func remove(_ record: ChannelRecord) async throws(RemoteError) {
        try await RemoteError.asking(try await store.remove(record.record(workspace: workspace), under: lease))
    }

    private func certain<Value: Sendable>(
        _ outcome: @autoclosure () async throws(CredentialError) -> BroadcastClient.Outcome<Value>
    ) async throws(RemoteError) -> BroadcastClient.Outcome<Value> {
        do throws(CredentialError) {
            return try await outcome()
        } catch {
            throw RemoteError(.credentials, error.description)
        }
    }
}

extension RemoteError {
    init(_ refusal: Refusal) {
        let kind: Kind =
            switch refusal.knownReason?.row.decision {
            case .giveUp(.credential), .renew: .credentials
            case .retry, .wait, .stopUntil, .reconnect, nil: .unavailable
            case .giveUp, .dropToken, .dropTokenIfEnvironmentIsRight, .refuseToken: .refused
            }
        self.init(kind, refusal.explanation)
    }
}

/// The record of one declared broadcast channel in one of Apple's environments.
struct ChannelRecord: Hashable, Sendable {
    /// The channel's declared name.
    var name: String
    var environment: PushEnvironment
    /// The app, and the storage policy.
    var broadcast: Channel.Broadcast
    var state: State

    enum State: Hashable, Sendable {
        /// Creation was requested when the app had these channels; the outcome is not known yet.
        case creating(before: [String])
        /// The channel exists, with Apple's id.
        case ready(String)
        case deleting(String)
    }

    /// Apple's id, once known.
    var id: String? {
        switch state {
        case .creating: nil
        case .ready(let id), .deleting(let id): id
        }
    }
}

extension ChannelRecord {
    /// Reads a record.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` naming the record and the field.
    init(_ record: DeployRecord) throws(RemoteError) {
        let fields = record.fields
        name = try fields.required("name", \.string)
        environment = try fields.required("environment") { $0.string.flatMap { PushEnvironment(rawValue: $0) } }
        broadcast = Channel.Broadcast(
            topic: try fields.required("topic", \.string),
            storage: try fields.required("storage") { $0.string.flatMap { Channel.Broadcast.Storage(rawValue: $0) } })
        switch try fields.required("state", \.string) {
        case "creating":
            state = .creating(before: try fields.required("before") { $0.array }.compactMap(\.string))
        case "ready": state = .ready(try fields.required("id", \.string))
        case "deleting": state = .deleting(try fields.required("id", \.string))
        case _: throw fields.fault("state")
        }
    }

    func record(workspace: String) -> DeployRecord {
        var document: JSONValue = [
            "name": .string(name), "environment": .string(environment.rawValue), "topic": .string(broadcast.topic),
            "storage": .string(broadcast.storage.rawValue),
        ]
        document["id"] = id.map { .string($0) }
        switch state {
        case .creating(let before):
            document["state"] = "creating"
            document["before"] = .array(before.map { .string($0) })
        case .ready: document["state"] = "ready"
        case .deleting: document["state"] = "deleting"
        }
        return DeployRecord(
            workspace: workspace, kind: .broadcast, key: "\(environment.rawValue)/\(name)", document: document)
    }
}

extension Channel.Broadcast {
    /// Reads the broadcast part of a channel's resource fields; nil when it is not a broadcast channel.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when `broadcast` is present but cannot be read.
    init?(fields: JSONValue) throws(RemoteError) {
        guard let value = fields["broadcast"], !value.isNull else { return nil }
        guard let topic = value["topic"]?.string,
            let storage = value["storage"]?.string.flatMap({ Storage(rawValue: $0) })
        else { throw RemoteError(.unexpectedAnswer, "a channel's 'broadcast' has no 'topic' or 'storage'") }
        self.init(topic: topic, storage: storage)
    }
}

/// Provides the clients that create channels and send broadcasts, by the declared profiles.
package struct BroadcastClients: Sendable {
    private let profiles: [DeviceProfile]
    private let make: @Sendable (DeviceProfile) async -> Result<BroadcastClient, SenderError>

    /// - Parameters:
    ///   - profiles: the declared profiles.
    ///   - make: creates the client with a profile's credential, for the profile's app and environment.
    package init(
        profiles: [DeviceProfile],
        make: @escaping @Sendable (DeviceProfile) async -> Result<BroadcastClient, SenderError>
    ) {
        self.profiles = profiles
        self.make = make
    }

    /// The environments that have a profile with this topic.
    func environments(of topic: String) -> [PushEnvironment] {
        PushEnvironment.allCases.filter { profile(for: topic, in: $0) != nil }
    }

    /// The client for an app in an environment.
    ///
    /// - Throws: `RemoteError` when no profile has the topic in the environment, or its credential cannot be used.
    func client(for topic: String, in environment: PushEnvironment) async throws(RemoteError) -> BroadcastClient {
        guard let profile = profile(for: topic, in: environment) else {
            throw RemoteError(
                .refused,
                "no DeviceProfile of environment \(environment.rawValue) has the topic \(topic): "
                    + "declare one until its broadcast channels are deleted")
        }
        switch await make(profile) {
        case .success(let client): return client
        case .failure(let error):
            throw RemoteError(
                error.isOfTheMachine ? .unavailable : .credentials,
                "DeviceProfile \(profile.name): \(error.description)")
        }
    }

    private func profile(for topic: String, in environment: PushEnvironment) -> DeviceProfile? {
        profiles.first { profile in
            profile.environment == environment && PushType.liveactivity.fits(topic: profile.topic)
                && PushType.liveactivity.bundleID(of: profile.topic) == topic
        }
    }
}
