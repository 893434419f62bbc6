internal import DeviceRegistry
internal import Base
internal import Push

/// The record of one declared broadcast channel in one of Apple's environments.
struct ChannelRecord: Hashable, Sendable {
    /// The channel's declared name.
    var name: String
    /// The environment of the channel.
    var environment: PushEnvironment
    /// The app, and the storage policy.
    var broadcast: Channel.Broadcast
    /// The state of the channel.
    var state: State

    /// The states of a channel.
    enum State: Hashable, Sendable {
        /// Creation was requested when the app had these channels; the outcome is not known yet.
        case creating(before: [String])
        /// The channel exists, with Apple's id.
        case ready(String)
        /// Deletion was begun.
        case deleting(String)
    }

    /// Apple's id, once known.
    var id: String? {
        switch state {
        case .creating: nil
        case .ready(let id), .deleting(let id): id
        }
    }

    init(name: String, environment: PushEnvironment, broadcast: Channel.Broadcast, state: State) {
        self.name = name
        self.environment = environment
        self.broadcast = broadcast
        self.state = state
    }

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

    /// The record in its stored form.
    func record(workspace: String) -> DeployRecord {
        var document: JSONValue = [
            "name": .string(name), "environment": .string(environment.rawValue), "topic": .string(broadcast.topic),
            "storage": .string(broadcast.storage.rawValue),
        ]
        switch state {
        case .creating(let before):
            document["state"] = "creating"
            document["before"] = .array(before.map { .string($0) })
        case .ready(let id):
            document["state"] = "ready"
            document["id"] = .string(id)
        case .deleting(let id):
            document["state"] = "deleting"
            document["id"] = .string(id)
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
