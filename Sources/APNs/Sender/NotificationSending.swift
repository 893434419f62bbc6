package import PushModel

/// Sends notifications to Apple: what a delivery depends on, so that it can be counted or replaced.
package protocol NotificationSending: Sendable {
    /// Sends one notification to some devices, at most once each, and answers in their order.
    ///
    /// It returns when every device has its answer, however long the gate was closed meanwhile. Several batches may be
    /// under way at a time; two keep the connections busy.
    ///
    /// - Parameter gate: asked before each request and again when its body is about to leave, and told each answer; a
    ///   device that it holds back is `notSent`.
    func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [Verdict]

    /// Closes the connections; batches under way end first.
    func close() async
}

/// What all devices of a batch are sent.
package struct PushNotification: Hashable, Sendable {
    /// What its targets are.
    package var destination: Destination
    /// `apns-topic`, with its suffix; a broadcast's stands in the path and has none.
    package var topic: String
    /// `apns-push-type`.
    package var pushType: PushType
    /// `apns-priority`: 10, 5 or 1.
    package var priority: Int
    /// `apns-expiration`: until which second of UNIX time Apple keeps it for a device that it cannot reach, 0: one
    /// attempt; nil: as long as Apple does. An absent header is not zero. Source: <doc:AppleRequests#Request>.
    package var expiration: Int64?
    /// `apns-collapse-id`, at most 64 bytes.
    package var collapseID: String?
    /// The payload.
    package var body: NotificationBody

    /// Joins them.
    package init(
        to destination: Destination = .devices, topic: String, pushType: PushType, priority: Int,
        expiration: Int64?, collapseID: String? = nil, body: NotificationBody
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

/// What the targets of a notification are.
package enum Destination: Hashable, Sendable {
    /// Device tokens: `POST /3/device/TOKEN`.
    case devices
    /// Ids of broadcast channels: `POST /4/broadcasts/apps/TOPIC` (<doc:AppleBroadcasts#Sending>).
    case broadcastChannels
}

/// The bytes of a payload.
package enum NotificationBody: Hashable, Sendable {
    /// The same for every device.
    case same([UInt8])
    /// With each device's badge between two parts.
    case counted(before: [UInt8], after: [UInt8])
}

/// One device of a batch, or one broadcast channel.
package struct SendTarget: Hashable, Sendable {
    /// The device token, lower-case hexadecimal of any even length; or a broadcast channel's id as Apple gave it.
    package var token: String
    /// `apns-id`, with a broadcast `apns-request-id`: the same whenever this delivery sends to this token.
    package var id: APNsID
    /// The badge, where the body counts one.
    package var badge: Int?

    /// Joins them.
    package init(token: String, id: APNsID, badge: Int? = nil) {
        self.token = token
        self.id = id
        self.badge = badge
    }
}

/// An answer of Apple's other than 200.
package struct Refusal: Hashable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// Apple's word for it, or `HTTP 503` and the like where it said none.
    package var reason: String
    /// With 410: since when the token is dead, in milliseconds of UNIX time.
    package var timestamp: Int64?

    /// Joins them.
    package init(status: Int, reason: String, timestamp: Int64? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
    }
}

/// Lets requests through, and hears how they ended; called on the sender's thread, so it must not wait.
package protocol SendGate: Sendable {
    /// Whether another request may start: it may not once the delivery is stopped.
    var isOpen: Bool { get }
    /// Hears an answer as it comes.
    func note(_ answer: Verdict)
}
