internal import DeviceRegistry
internal import JSONValue
internal import PushModel

/// What is known of one declared broadcast channel in one of Apple's environments.
struct ChannelRecord: Hashable, Sendable {
    /// The channel's declared name.
    var name: String
    /// Where it is.
    var environment: PushEnvironment
    /// The app, and what Apple keeps.
    var broadcast: Channel.Broadcast
    /// How far it is.
    var state: State

    /// How far a channel is.
    enum State: Hashable, Sendable {
        /// It was asked for when the app had these channels; whether it was made is not known yet.
        case creating(before: [String])
        /// It is there, under Apple's id.
        case ready(String)
        /// Its deletion was begun.
        case deleting(String)
    }

    /// Apple's id, once it is known.
    var id: String? {
        switch state {
        case .creating: nil
        case .ready(let id), .deleting(let id): id
        }
    }

    /// Joins them.
    init(name: String, environment: PushEnvironment, broadcast: Channel.Broadcast, state: State) {
        self.name = name
        self.environment = environment
        self.broadcast = broadcast
        self.state = state
    }

    /// Reads a record back.
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

    /// The record as it is stored.
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
    /// Reads what a resource record's fields say of a channel; nil when it is no broadcast channel.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when `broadcast` is there and cannot be read.
    init?(fields: JSONValue) throws(RemoteError) {
        guard let value = fields["broadcast"], !value.isNull else { return nil }
        guard let topic = value["topic"]?.string,
            let storage = value["storage"]?.string.flatMap({ Storage(rawValue: $0) })
        else { throw RemoteError(.unexpectedAnswer, "a channel's 'broadcast' has no 'topic' or 'storage'") }
        self.init(topic: topic, storage: storage)
    }
}
