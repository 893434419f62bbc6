package import Diagnostics
package import JSONValue

/// A request for a push, exactly as it goes over the wire.
package struct PushRequest: Hashable, Sendable {
    /// The endpoint to call.
    package var endpoint: Endpoint
    /// The whole body.
    package var body: JSONValue

    /// An endpoint that accepts pushes.
    package enum Endpoint: String, Hashable, Sendable, CaseIterable {
        /// By query: `POST /push`.
        case push
        /// By device: `POST /push/devices`.
        case devices
    }

    package init(endpoint: Endpoint, body: JSONValue) {
        self.endpoint = endpoint
        self.body = body
    }
}

/// The input of an encoder: a campaign with everything it refers to, and the identity of the push.
package struct PushDraft: Sendable {
    /// The campaign.
    package var campaign: Campaign
    /// The condition of its audience; nil for a list of devices.
    package var condition: JSONValue?
    /// The platforms it can reach.
    package var platforms: Set<Platform>
    /// The profile that its audience names.
    package var profile: DeviceProfile?
    /// The time the remote is to send the push; nil: at once.
    package var scheduledAt: Instant?
    /// The id of the request.
    package var notificationID: DeliveryID
    /// The profiles of the campaign's environment that may push it: the one that its audience names, else all.
    package var profiles: [DeviceProfile]
    /// The channels of its audience that are Apple broadcast channels.
    package var broadcasts: [Channel]

    package init(
        campaign: Campaign, condition: JSONValue?, platforms: Set<Platform>, profile: DeviceProfile?,
        scheduledAt: Instant?, notificationID: DeliveryID,
        profiles: [DeviceProfile] = [], broadcasts: [Channel] = []
    ) {
        self.campaign = campaign
        self.condition = condition
        self.platforms = platforms
        self.profile = profile
        self.scheduledAt = scheduledAt
        self.notificationID = notificationID
        self.profiles = profiles
        self.broadcasts = broadcasts
    }
}

/// A request with the facts a reviewer needs.
package struct EncodedPush: Sendable {
    /// The request.
    package var request: PushRequest
    /// Bytes that count against ``limit``.
    package var bytes: Int
    /// The most bytes the service accepts.
    package var limit: Int
    /// Diagnostics for what the remote cannot do, or does differently, at the fields that ask for it.
    package var findings: [Diagnostic]

    package init(request: PushRequest, bytes: Int, limit: Int, findings: [Diagnostic]) {
        self.request = request
        self.bytes = bytes
        self.limit = limit
        self.findings = findings
    }
}

/// Encodes the requests of one kind of remote. Encoding is pure, so a plan shows the very bytes that an apply sends.
package protocol RequestEncoding: Sendable {
    /// The encoder's version, raised when the same draft gives different bytes; a new version alone is not a change.
    var version: Int { get }

    /// Encodes a draft, with located diagnostics for what the remote cannot do.
    func encode(_ draft: PushDraft) -> EncodedPush

    /// The findings of ``encode(_:)``, for checking many campaigns of which few have any.
    func findings(_ draft: PushDraft) -> [Diagnostic]

    /// The part of a request that selects its devices, for counting; nil when it lists its devices, or cannot be
    /// counted.
    func audience(of request: PushRequest) -> JSONValue?

    /// The audience of the devices in both audiences; nil when no device can be in both.
    ///
    /// - Parameters:
    ///   - first: what ``audience(of:)`` says of one request.
    ///   - second: what it says of another.
    func sharedAudience(_ first: JSONValue, _ second: JSONValue) -> JSONValue?

    /// The look of a message on a platform when one request goes to devices of several platforms.
    func look(of message: Message, on platform: Platform, among platforms: Set<Platform>) -> NotificationLook
}

extension RequestEncoding {
    /// The request's condition.
    package func audience(of request: PushRequest) -> JSONValue? { request.body["where"] }

    /// The condition that both conditions are met.
    package func sharedAudience(_ first: JSONValue, _ second: JSONValue) -> JSONValue? { ["$and": [first, second]] }

    /// The look that the message itself gives.
    package func look(of message: Message, on platform: Platform, among platforms: Set<Platform>) -> NotificationLook {
        NotificationLook(message, on: platform)
    }

    /// Encodes the draft and discards the request.
    package func findings(_ draft: PushDraft) -> [Diagnostic] { encode(draft).findings }
}
