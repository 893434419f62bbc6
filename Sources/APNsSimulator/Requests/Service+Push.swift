internal import NIOCore

extension Service {
    /// `POST /3/device/<token>` (docs/background/apple/requests.md#request,
    /// docs/background/apple/payloads.md#push-types, docs/background/apple/payloads.md#payload,
    /// docs/background/apple/reasons.md#reasons).
    func push(
        _ request: Request, _ token: Substring, _ permission: Result<ConnectionAuthentication.Permission, Refusal>
    ) -> Answer {
        let id = Self.id(of: request.head)
        do throws(Refusal) {
            guard request.head.method == "POST" else { throw Refusal(.methodNotAllowed) }
            guard !token.isEmpty else { throw Refusal(.missingDeviceToken) }
            guard !request.head.hasDuplicates else { throw Refusal(.duplicateHeaders) }
            let push = try PushHeaders(request.head, try permission.get())
            try Self.checkPayload(request, limit: push.kind.payloadLimit)
            guard let device = DeviceToken(token) else { throw Refusal(.badDeviceToken) }
            try devices.check(device, topic: push.topic)
            devices.deliver(device, push.received(id: id, Array(request.body.readableBytesView), at: clock.now))
        } catch {
            return Answer(error, headers: [("apns-id", id)])
        }
        var answer = Answer(status: 200, headers: [("apns-id", id)])
        if configuration.environment == .development { answer.headers.append(("apns-unique-id", APNsUUID.make())) }
        answer.isProcessed = true
        return answer
    }

    /// Checks that the body is not empty, not too long and one JSON object.
    ///
    /// Apple does not document its response to a payload that is not JSON; here it is the one to an empty payload.
    private static func checkPayload(_ request: Request, limit: Int) throws(Refusal) {
        guard request.bodyCount > 0 else { throw Refusal(.payloadEmpty) }
        guard request.bodyCount <= limit else { throw Refusal(.payloadTooLarge) }
        guard request.body.isJSONObject else { throw Refusal(.payloadEmpty) }
    }
}

extension ByteBuffer {
    /// True if the bytes are one JSON object.
    var isJSONObject: Bool {
        withUnsafeReadableBytes { raw in raw.withMemoryRebound(to: UInt8.self) { JSONCheck.isObject($0) } }
    }
}

/// The validated headers of a push.
struct PushHeaders {
    let kind: PushKind
    let topic: String
    private let pushType: String?
    private let priority: Int
    private let expiration: Int64?
    private let collapseID: String?

    init(_ head: RequestHead, _ permission: ConnectionAuthentication.Permission) throws(Refusal) {
        if let id = head.id, !APNsUUID.isValid(id) { throw Refusal(.badMessageId) }
        pushType = head.pushType
        kind = try Self.kind(head.pushType)
        topic = try Self.topic(head.topic, kind, permission)
        priority = try Self.priority(head.priority)
        // "Specifying the priority 10 is an error" (docs/background/apple/payloads.md#push-types), and an absent header
        // means 10.
        if kind == .background, priority == 10 { throw Refusal(.badPriority) }
        expiration = try Self.expiration(head.expiration)
        collapseID = head.collapseID
        if let collapseID, collapseID.utf8.count > 64 { throw Refusal(.badCollapseId) }
    }

    /// The notification as the device receives it.
    func received(id: String, _ payload: @autoclosure () -> [UInt8], at time: Int64) -> ReceivedPush {
        ReceivedPush(
            id: id, topic: topic, pushType: pushType, priority: priority, expiration: expiration,
            collapseID: collapseID, payload: payload(), receivedAt: time)
    }

    /// The priority: 10, 5 or 1; 10 when the header is absent.
    static func priority(_ text: String?) throws(Refusal) -> Int {
        switch text {
        case nil, "10": 10
        case "5": 5
        case "1": 1
        case .some: throw Refusal(.badPriority)
        }
    }

    /// The expiration in seconds of UNIX time, not negative; nil when the header is absent.
    static func expiration(_ text: String?) throws(Refusal) -> Int64? {
        guard let text else { return nil }
        guard let seconds = Int64(text), seconds >= 0 else { throw Refusal(.badExpirationDate) }
        return seconds
    }

    private static func kind(_ text: String?) throws(Refusal) -> PushKind {
        guard let text else { return .alert }
        guard let kind = PushKind(rawValue: text) else { throw Refusal(.invalidPushType) }
        return kind
    }

    private static func topic(
        _ text: String?, _ kind: PushKind, _ permission: ConnectionAuthentication.Permission
    ) throws(Refusal) -> String {
        guard let topic = text ?? permission.certificate?.onlyTopic else { throw Refusal(.missingTopic) }
        guard !topic.isEmpty, kind.allows(topic: topic) else { throw Refusal(.badTopic) }
        guard permission.allows(topic: topic) else { throw Refusal(.topicDisallowed) }
        return topic
    }
}
