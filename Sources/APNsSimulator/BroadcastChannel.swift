internal import Base
internal import FoundationEssentials
internal import NIOCore
internal import Synchronization

/// A broadcast channel of an app (docs/background/apple/broadcasts.md#channels).
package struct BroadcastChannel: Hashable, Sendable {
    /// `apns-channel-id`: random bytes in base64.
    package let id: String
    /// The bundle id of the app.
    package let bundle: String
    /// `message-storage-policy`: 0 stores no message, 1 the most recent one.
    package let storagePolicy: Int64
    /// The messages broadcast to the channel, oldest first.
    package internal(set) var received: [ReceivedPush] = []
    /// The message that a later subscriber gets.
    package var stored: ReceivedPush? { storagePolicy == 1 ? received.last : nil }
    var subscribers: Set<DeviceToken> = []
}

final class ChannelBook: Sendable {
    private let state = Mutex<[String: [String: BroadcastChannel]]>([:])
    private let limit: Int
    private let apps: Set<String>?

    init(_ configuration: SimulatorConfiguration) {
        limit = configuration.channelLimit
        apps = configuration.broadcastApps
    }

    func isEnabled(_ bundle: String) -> Bool { apps?.contains(bundle) ?? true }

    func create(_ bundle: String, storagePolicy: Int64) throws(Refusal) -> BroadcastChannel {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let channel = BroadcastChannel(
            id: Data(bytes).base64EncodedString(), bundle: bundle, storagePolicy: storagePolicy)
        let isCreated = state.withLock { state in
            guard state[bundle, default: [:]].count < limit else { return false }
            state[bundle, default: [:]][channel.id] = channel
            return true
        }
        guard isCreated else { throw Refusal(.cannotCreateChannelConfig) }
        return channel
    }

    func channel(_ id: String, of bundle: String) -> BroadcastChannel? { state.withLock { $0[bundle]?[id] } }

    /// All channels of an app, sorted by id.
    func channels(of bundle: String) -> [BroadcastChannel] {
        state.withLock { ($0[bundle] ?? [:]).values.sorted { $0.id < $1.id } }
    }

    func delete(_ id: String, of bundle: String) { state.withLock { $0[bundle]?[id] = nil } }

    func subscribe(_ token: DeviceToken, to id: String, of bundle: String) -> Bool {
        state.withLock { $0[bundle]?[id]?.subscribers.insert(token) } != nil
    }

    /// Records a broadcast and returns the subscribers that get it.
    func broadcast(_ push: ReceivedPush, to id: String, of bundle: String) -> Set<DeviceToken> {
        state.withLock { state in
            state[bundle]?[id]?.received.append(push)
            return state[bundle]?[id]?.subscribers ?? []
        }
    }
}

// MARK: - Channels

extension Service {
    typealias Permit = Result<ConnectionAuthentication.Permission, Refusal>

    /// `/1/apps/<bundle>/channels`: create, read and delete (docs/background/apple/broadcasts.md#channels).
    func manageChannels(_ request: Request, _ bundle: String, _ permission: Permit) -> Answer {
        answered(request) { headers throws(Refusal) in
            try check(request, bundle, permission)
            switch request.head.method {
            case "POST":
                let channel = try channels.create(bundle, storagePolicy: try Self.storagePolicy(request))
                return Answer(status: 201, headers: headers + [("apns-channel-id", channel.id)])
            case "GET":
                let channel = try channel(request, bundle)
                return Answer(
                    ["message-storage-policy": .integer(channel.storagePolicy), "push-type": "LiveActivity"],
                    headers: headers, type: "application/json")
            case "DELETE":
                channels.delete(try channel(request, bundle).id, of: bundle)
                return Answer(status: 204, headers: headers)
            default: throw Refusal(.methodNotAllowed)
            }
        }
    }

    /// `/1/apps/<bundle>/all-channels`.
    func listChannels(_ request: Request, _ bundle: String, _ permission: Permit) -> Answer {
        answered(request) { headers throws(Refusal) in
            try check(request, bundle, permission)
            guard request.head.method == "GET" else { throw Refusal(.methodNotAllowed) }
            let ids = channels.channels(of: bundle).map { JSONValue.string($0.id) }
            return Answer(["channels": .array(ids)], headers: headers, type: "application/json")
        }
    }

    /// `POST /4/broadcasts/apps/<bundle>`.
    func broadcast(_ request: Request, _ bundle: String, _ permission: Permit) -> Answer {
        answered(request) { headers throws(Refusal) in
            guard request.head.method == "POST" else { throw Refusal(.methodNotAllowed) }
            try check(request, bundle, permission)
            let channel = try channel(request, bundle)
            guard let pushType = request.head.pushType else { throw Refusal(.missingPushType) }
            // Apple's pages spell it in three ways.
            guard pushType.lowercased() == PushKind.liveactivity.rawValue else { throw Refusal(.invalidPushType) }
            let priority = try PushHeaders.priority(request.head.priority)
            guard let expiration = try PushHeaders.expiration(request.head.expiration),
                channel.storagePolicy == 1 || expiration == 0
            else { throw Refusal(.badExpirationDate) }
            guard request.bodyCount > 0 else { throw Refusal(.payloadEmpty) }
            guard request.bodyCount <= 5120 else { throw Refusal(.payloadTooLarge) }
            guard request.body.isJSONObject else { throw Refusal(.badRequestPayload) }
            let push = ReceivedPush(
                id: headers[0].value, topic: bundle + PushKind.liveactivity.suffix, pushType: pushType,
                priority: priority, expiration: expiration, channelID: channel.id,
                payload: Array(request.body.readableBytesView), receivedAt: clock.now)
            for token in channels.broadcast(push, to: channel.id, of: bundle) {
                devices.deliver(token, topic: push.topic, push)
            }
            var answer = Answer(status: 200, headers: headers + [("apns-unique-id", APNsUUID.make())])
            answer.isProcessed = true
            return answer
        }
    }

    /// Runs `body` with the headers that every response carries, and turns a refusal into a response.
    private func answered(
        _ request: Request, _ body: ([(name: String, value: String)]) throws(Refusal) -> Answer
    ) -> Answer {
        // One of Apple's samples has `apns-id` in place of `apns-request-id`.
        let given = request.head.requestID ?? request.head.id
        let id = if let given, APNsUUID.isValid(given) { given } else { APNsUUID.make() }
        let headers = [(name: "apns-request-id", value: id)]
        do throws(Refusal) {
            return try body(headers)
        } catch {
            return Answer(error, headers: headers)
        }
    }

    /// Checks what all of these requests must satisfy.
    private func check(_ request: Request, _ bundle: String, _ permission: Permit) throws(Refusal) {
        let permission = try permission.get()
        guard !request.head.hasDuplicates else { throw Refusal(.badRequestParams) }
        if let id = request.head.requestID ?? request.head.id, !APNsUUID.isValid(id) { throw Refusal(.badMessageId) }
        guard PushKind.bundle(of: bundle) == bundle, !bundle.isEmpty else { throw Refusal(.topicDisallowed) }
        guard permission.allows(topic: bundle) else {
            throw Refusal(permission.certificate == nil ? .topicDisallowed : .topicMismatch)
        }
        guard channels.isEnabled(bundle) else { throw Refusal(.featureNotEnabled) }
    }

    private func channel(_ request: Request, _ bundle: String) throws(Refusal) -> BroadcastChannel {
        guard let id = request.head.channelID, !id.isEmpty else { throw Refusal(.missingChannelId) }
        guard Self.isBase64(id) else { throw Refusal(.badChannelId) }
        guard let channel = channels.channel(id, of: bundle) else { throw Refusal(.channelNotRegistered) }
        return channel
    }

    private static func isBase64(_ text: String) -> Bool {
        let digits = text.utf8.prefix { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
            default: false
            }
        }
        let padding = text.utf8.count - digits.count
        return padding <= 2 && text.utf8.count % 4 == 0 && text.utf8.suffix(padding).allSatisfy { $0 == 0x3D }
    }

    private static func storagePolicy(_ request: Request) throws(Refusal) -> Int64 {
        guard request.bodyCount > 0 else { throw Refusal(.payloadEmpty) }
        guard request.bodyCount <= 4096 else { throw Refusal(.payloadTooLarge) }
        guard let json = try? JSONValue(parsing: request.body.readableBytesView), json.object != nil else {
            throw Refusal(.badRequestPayload)
        }
        guard let type = json["push-type"]?.string else { throw Refusal(.missingPushType) }
        guard type.lowercased() == "liveactivity" else { throw Refusal(.invalidPushType) }
        guard let policy = json["message-storage-policy"]?.integer, policy == 0 || policy == 1 else {
            throw Refusal(.badRequestParams)
        }
        return policy
    }
}
