package import Base
internal import Crypto
internal import HTTP
package import Push

extension PushNotification {
    /// The headers shared by all requests of the notification, without the token.
    ///
    /// Source: docs/background/apple/requests.md#request, docs/background/apple/broadcasts.md#sending.
    var headers: [(String, String)] {
        if destination == .fcm { return [("content-type", "application/json")] }
        var headers = [("apns-push-type", pushType.rawValue), ("apns-priority", "\(priority)")]
        if destination == .devices { headers.append(("apns-topic", topic)) }
        if let expiration { headers.append(("apns-expiration", "\(expiration)")) }
        if let collapseID { headers.append(("apns-collapse-id", collapseID)) }
        return headers
    }

    /// The shared headers with the token, ready to be sent to devices or to a broadcast channel.
    func shared(bearing token: Secret?, to channel: String?) throws(TransportError) -> HTTP2Headers {
        var all = headers
        // Passed to the framing code only and stored nowhere else.
        if let token {
            all.append(("authorization", "\(destination == .fcm ? "Bearer" : "bearer") \(token.revealedText)"))
        }
        // The header that differs from request to request: Google asks for none, and the length is one.
        if destination == .fcm { return try HTTP2Headers(all, ownName: "content-length") }
        if let channel { all.append(("apns-channel-id", channel)) }
        return try HTTP2Headers(all, ownName: channel == nil ? "apns-id" : "apns-request-id")
    }

    /// Writes the path for a target, or the one that all share; false when the token must not stand in a path.
    func write(pathFor target: String, or shared: [UInt8], to path: inout [UInt8]) -> Bool {
        path.removeAll(keepingCapacity: true)
        switch destination {
        case .devices:
            path.append(contentsOf: "/3/device/".utf8)
            let start = path.count
            path.append(contentsOf: target.utf8)
            return unsafe path.count > start
                && path.withUnsafeBytes { unsafe UnsafeRawBufferPointer(rebasing: $0[start...]).isHexadecimal }
        case .broadcastChannels:
            path.append(contentsOf: "/4/broadcasts/apps/".utf8)
            path.append(contentsOf: topic.utf8)
            return true
        case .fcm:
            path.append(contentsOf: shared)
            return true
        // Another sender's.
        case .vendor: return false
        }
    }
}

/// The `apns-id` of one notification to one device: a UUID.
///
/// It is derived from the delivery and the token, so that a token that is sent to again gets the same id.
package struct APNsID: Hashable, Sendable {
    /// The first eight bytes.
    private let high: UInt64
    /// The last eight bytes.
    private let low: UInt64

    /// The first 16 bytes of SHA-256 over `delivery \n token`, marked as a version 8 UUID (RFC 9562).
    package init(delivery: String, token: String) {
        self = APNsIDs(delivery: delivery).id(for: token)
    }

    fileprivate init(_ digest: SHA256Digest) {
        // The digest has 32 bytes.
        (high, low) = unsafe digest.withUnsafeBytes { bytes in
            let high = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
            let low = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return (high & ~0xF000 | 0x8000, low & ~(0b11 << 62) | 0b10 << 62)
        }
    }

    /// The lower-case text, 8-4-4-4-12.
    package var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text as 36 bytes of ASCII, without allocating anything else.
    package func append(to result: inout [UInt8]) { result.append(uuid: high, low) }
}

/// Derives the ids of one delivery; the shared part is hashed once.
package struct APNsIDs {
    private var start = SHA256()

    /// Starts with the delivery's id.
    package init(delivery: String) {
        start.update(delivery)
        start.update("\n")
    }

    /// The id of the delivery's notification to one device.
    package func id(for token: String) -> APNsID {
        var hash = start
        hash.update(token)
        return APNsID(hash.finalize())
    }
}

extension SHA256 {
    /// Hashes a text's UTF-8 without allocating.
    fileprivate mutating func update(_ text: String) {
        var text = text
        // Read only during the call.
        text.withUTF8 { bytes in unsafe update(bufferPointer: UnsafeRawBufferPointer(bytes)) }
    }
}

/// The JSON body of a push to Apple.
///
/// Source: "Generating a remote notification": `aps`, and custom keys beside it;
/// docs/background/apple/payloads.md#push-types, docs/background/apple/payloads.md#payload.
package enum APNsPayload {
    /// Builds the iOS payload of a campaign's content.
    ///
    /// - Parameters:
    ///   - content: the content, for any push type.
    ///   - badge: the number for `badge: increment`; nil omits the badge.
    ///   - deliveryID: the value of the member named by `deliveryKey`.
    ///   - isReported: true if apps report events of the delivery, by its id under ``EventPolicy/payloadKey``.
    /// - Returns: the payload, without the fields that its push type does not support.
    package static func body(
        _ content: MessageContent, badge: Int? = nil, deliveryID: DeliveryID, isReported: Bool = false
    )
        -> JSONValue
    {
        var body = content.data ?? [:]
        if let aps = aps(content, badge: badge) { body["aps"] = .object(aps) }
        if let key = content.deliveryKey { body[key] = .string(deliveryID.text) }
        if isReported { body[EventPolicy.payloadKey] = ["delivery": .string(deliveryID.text)] }
        return .object(body)
    }

    private static func aps(_ content: MessageContent, badge: Int?) -> JSONObject? {
        switch content.effectivePushType {
        // Device management does not use `aps`: its one member is the device's PushMagic.
        case .mdm: return nil
        case .background: return ["content-available": 1]
        case .widgets, .controls: return ["content-changed": true]
        case .liveactivity:
            var aps = content.liveActivity?.apsFields ?? [:]
            aps["alert"] = content.liveActivityAlert
            aps["relevance-score"] = content.relevanceScore.map { .number($0) }
            return aps
        case .alert, .voip, .complication, .fileprovider, .location, .pushtotalk:
            var aps = content.apsFields
            aps["alert"] = content.apsAlert
            switch content.badge {
            case .number(let number): aps["badge"] = .integer(Int64(number))
            case .increment: aps["badge"] = badge.map { .integer(Int64($0)) }
            case nil: break
            }
            return aps
        }
    }
}

extension ContentField {
    /// The form of a field in a payload.
    package enum PayloadRole: Hashable, Sendable {
        /// A member of `aps` that people see, hear or count: without it the message would mean something else.
        case perceived
        /// Another member of `aps`.
        case detail
        /// No member of `aps`: a header, what an `aps` of its own is made of, a custom key, or nothing to Apple.
        case other
    }

    /// The field's form in a payload.
    package var payloadRole: PayloadRole {
        switch self {
        case .title, .subtitle, .body, .badge, .sound: .perceived
        case .category, .threadId, .targetContentId, .launchImage, .filterCriteria, .interruptionLevel,
            .relevanceScore, .mutableContent, .contentAvailable:
            .detail
        case .collapseId, .priority, .pushType, .liveActivity, .data, .deliveryKey, .silent, .action, .channel: .other
        }
    }
}

extension MessageContent {
    /// The fields that would become members of `aps`.
    package var payloadFields: [ContentField] {
        ContentField.allCases.filter { field in
            guard field.payloadRole != .other, let value = value(of: field) else { return false }
            if case .flag(false) = value { return false }
            return true
        }
    }
}

extension PushType {
    /// True when a payload of this type supports the message's field; `data` and headers are always supported.
    package func carries(_ field: ContentField) -> Bool {
        switch self {
        case .alert, .voip, .complication, .fileprovider, .location, .pushtotalk: true
        case .background: field == .contentAvailable
        case .liveactivity: field == .title || field == .body || field == .sound || field == .relevanceScore
        case .widgets, .controls, .mdm: false
        }
    }

    /// True when the app itself gets a payload of this type, and can report what became of it.
    package var reachesTheApp: Bool {
        switch self {
        case .alert, .background, .voip, .complication, .fileprovider, .location, .pushtotalk: true
        case .liveactivity, .widgets, .controls, .mdm: false
        }
    }

    /// The maximum size of a broadcast's payload in bytes, for any push type: 5,120
    /// (docs/background/apple/payloads.md#push-types).
    package static let broadcastLimit = 5120
}
