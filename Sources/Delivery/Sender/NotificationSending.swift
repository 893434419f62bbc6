package import Base
package import Push

/// Sends notifications to a push service; a protocol so that a delivery's sender can be wrapped or replaced.
package protocol NotificationSending: Sendable {
    /// Sends one notification to some devices, at most once each.
    ///
    /// Returns when every device has its answer, even if the gate closes meanwhile. Several batches may be in flight;
    /// two keep the connections busy.
    ///
    /// - Parameters:
    ///   - notification: what all of them get.
    ///   - targets: the devices, each with its id and its own values.
    ///   - gate: checked before each request and again when its body is about to leave, and notified of each answer; a
    ///     device that it holds back is `notSent`.
    /// - Returns: the answers, in the devices' order.
    func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [Verdict]

    /// Closes the connections once the batches in flight have ended.
    func close() async
}

/// The notification for all devices of a batch.
package struct PushNotification: Hashable, Sendable {
    /// The kind of targets.
    package var destination: Destination
    /// `apns-topic`, with its suffix; a broadcast's is part of the path and has none.
    package var topic: String
    /// `apns-push-type`.
    package var pushType: PushType
    /// `apns-priority`: 10, 5 or 1.
    package var priority: Int
    /// `apns-expiration`: until which second of UNIX time Apple keeps it for a device that it cannot reach, 0: one
    /// attempt; nil: as long as Apple does. An absent header is not zero. Source:
    /// docs/background/apple/requests.md#request.
    package var expiration: Int64?
    /// `apns-collapse-id`, at most 64 bytes.
    package var collapseID: String?
    /// The payload.
    package var body: NotificationBody

    package init(
        to destination: Destination = .devices, topic: String = "", pushType: PushType = .alert, priority: Int = 10,
        expiration: Int64? = nil, collapseID: String? = nil, body: NotificationBody
    ) {
        self.destination = destination
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.body = body
    }
}

/// The kind of a notification's targets.
package enum Destination: Hashable, Sendable {
    /// Device tokens: `POST /3/device/TOKEN`.
    case devices
    /// Ids of broadcast channels: `POST /4/broadcasts/apps/TOPIC` (docs/background/apple/broadcasts.md#sending).
    case broadcastChannels
    /// Devices that FCM reaches: `POST /v1/projects/PROJECT/messages:send`; the body names the device.
    case fcm
    /// Devices of another Android vendor, many in a call.
    case vendor
}

/// The bytes of a payload.
package enum NotificationBody: Hashable, Sendable {
    /// The same for every device.
    case same([UInt8])
    /// Pieces between which each device's own values stand.
    case filled([[UInt8]])
    /// A vendor's message for all of them, what is left of its life, and an id that is the same for each attempt.
    case message(JSONValue, life: Duration?, id: String)
}

/// One device of a batch, or one broadcast channel.
package struct SendTarget: Hashable, Sendable {
    /// The device token, lower-case hexadecimal of any even length; a broadcast channel's id as Apple gave it; or an Android
    /// device's registration id.
    package var token: String
    /// `apns-id`, for a broadcast `apns-request-id`: the same whenever this delivery sends to this token.
    package var id: APNsID
    /// The values that stand between the pieces of the body, as JSON writes them: one fewer than it has pieces.
    package var fillings: [[UInt8]]

    package init(token: String, id: APNsID, fillings: [[UInt8]] = []) {
        self.token = token
        self.id = id
        self.fillings = fillings
    }
}

/// An answer from Apple other than 200.
package struct Refusal: Hashable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// Apple's reason, or `HTTP 503` and the like if it gave none.
    package var reason: String
    /// For 410: when the token died, in milliseconds of UNIX time.
    package var timestamp: Int64?

    package init(status: Int, reason: String, timestamp: Int64? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
    }
}

/// Lets requests through and receives their answers; called on the sender's thread, so it must not block.
package protocol SendGate: Sendable {
    /// True while further requests may start; false once the delivery is stopped.
    var isOpen: Bool { get }
    /// Receives an answer as it arrives.
    func note(_ answer: Verdict)
}

// MARK: - Decision

extension Refusal {
    /// The documented reason, if Apple's word is one and came with its own status; with nil the answer proves nothing.
    package var knownReason: APNsReason? {
        APNsReason(word: reason).flatMap { $0.row.status == status ? $0 : nil }
    }

    /// The verdict on a send request that was refused like this.
    package var verdict: Verdict {
        knownReason.map { .refused(.service(.apple($0), since: timestamp)) } ?? .unknown(explanation)
    }

    /// One sentence without a full stop: what is wrong and what to do, including Apple's word.
    package var explanation: String {
        if let knownReason { return ServiceReason.apple(knownReason).explanation }
        let word = Self.printable(reason)
        return word.isEmpty || word == "HTTP \(status)"
            ? "Apple answered \(status) without a reason"
            : "Apple answered \(status) with the reason \(word), which this version does not know"
    }
}

extension Refusal {
    /// Reads Apple's answer: `{"reason": …, "timestamp": …}`, or whatever came instead.
    ///
    /// Source: docs/background/apple/requests.md#answer, docs/background/apple/reasons.md#reasons. For a body that is
    /// not such an object, the reason is the status.
    init(status: Int, body: [UInt8]) {
        let object = try? JSONValue(parsing: body).object
        let reason = object?["reason"]?.string.map(Self.printable) ?? ""
        self.init(
            status: status, reason: reason.isEmpty ? "HTTP \(status)" : reason,
            timestamp: status == 410 ? object?["timestamp"]?.integer : nil)
    }

    /// A reason that is safe to show and count: printable ASCII, at most 64 characters.
    static func printable(_ text: String) -> String {
        String(text.unicodeScalars.prefix(64).map { (" "..."~").contains($0) ? Character($0) : "?" })
    }
}
