package import Base

/// One request that makes a remote push, exactly as it goes over the wire.
package struct PushRequest: Hashable, Sendable {
    /// Which call it is.
    package var endpoint: Endpoint
    /// The whole body.
    package var body: JSONValue

    /// Which call a push is.
    package enum Endpoint: String, Hashable, Sendable, CaseIterable {
        /// By query: `POST /push`.
        case push
        /// By device: `POST /push/devices`.
        case devices
    }

    /// Joins the two.
    package init(endpoint: Endpoint, body: JSONValue) {
        self.endpoint = endpoint
        self.body = body
    }
}

/// The input of an encoder: a campaign with everything it refers to, and the identity of the push.
package struct PushDraft: Sendable {
    package var campaign: Campaign
    /// The condition of its audience and the fence; nil for a list of devices.
    package var condition: JSONValue?
    /// The platforms it can reach.
    package var platforms: Set<Platform>
    /// The profile that its audience names.
    package var profile: DeviceProfile?
    /// When the remote shall send it; nil: at once.
    package var scheduledAt: Instant?
    /// The id that the request bears.
    package var notificationID: DeliveryID
    /// The profiles of the campaign's environment that may push it: the one that its audience names, else all.
    package var profiles: [DeviceProfile] = []
    /// The channels of its audience that are Apple broadcast channels.
    package var broadcasts: [Channel] = []
    /// The place of the workspace's declaration, whose policy holds for it; nil: unknown.
    package var workspaceOrigin: Origin?

    /// The devices that the request itself lists; none where the condition of a fence chooses them.
    package var listedDevices: [String] { campaign.fence == nil ? campaign.audience.devices : [] }
}

/// A request with what a reviewer wants to know of it.
package struct EncodedPush: Sendable {
    package var request: PushRequest
    /// Bytes that count against ``limit``.
    package var bytes: Int
    /// The most bytes that the service takes.
    package var limit: Int
    /// The findings about fields that the remote does not support, or treats otherwise.
    package var findings: [Diagnostic]

    /// Joins them.
    package init(request: PushRequest, bytes: Int, limit: Int, findings: [Diagnostic]) {
        self.request = request
        self.bytes = bytes
        self.limit = limit
        self.findings = findings
    }
}

/// Makes the requests of one kind of remote: pure, so that a plan shows the very bytes that an apply sends.
package protocol RequestEncoding: Sendable {
    /// Raised when the same draft gives other bytes than before; another version alone is no change.
    var version: Int { get }

    /// The request for a draft, with what the remote cannot do as located diagnostics.
    func encode(_ draft: PushDraft) -> EncodedPush

    /// The findings of ``encode(_:)``, for checking many campaigns of which few have a finding.
    func findings(_ draft: PushDraft) -> [Diagnostic]

    /// The part of a request that says whom it reaches, to be counted; nil: it names its devices, or cannot be counted.
    func audience(of request: PushRequest) -> JSONValue?

    /// The audience of the devices that are in both audiences, each given by ``audience(of:)``; nil: no device can be.
    func sharedAudience(_ first: JSONValue, _ second: JSONValue) -> JSONValue?

    /// The message as devices of a platform show it, for devices of several platforms in one request.
    func look(of message: Message, on platform: Platform, among platforms: Set<Platform>) -> NotificationLook

    /// The services of these profiles that show a campaign's message on Android devices, or leave them out.
    func services(showing campaign: Campaign, by profiles: [DeviceProfile]) -> [ShownService]
}

extension RequestEncoding {
    /// The request's condition.
    package func audience(of request: PushRequest) -> JSONValue? { request.body["where"] }

    /// The condition that both conditions hold.
    package func sharedAudience(_ first: JSONValue, _ second: JSONValue) -> JSONValue? { ["$and": [first, second]] }

    /// The message as it is written.
    package func look(of message: Message, on platform: Platform, among platforms: Set<Platform>) -> NotificationLook {
        NotificationLook(message, on: platform)
    }

    /// None: one service decides for all devices.
    package func services(showing campaign: Campaign, by profiles: [DeviceProfile]) -> [ShownService] { [] }

    /// Encodes, and forgets the request.
    package func findings(_ draft: PushDraft) -> [Diagnostic] { encode(draft).findings }
}

/// A push as the service recorded it.
package struct PushRecord: Hashable, Sendable {
    /// The status of a push; only a word that the service documents counts.
    package enum Standing: Hashable, Sendable {
        /// The service has the push and has not begun sending it.
        case queued
        /// The push is kept for later.
        case scheduled
        case done
        case refused(RecordedRefusal)
        case unknown(String)
    }

    /// The service's id of the push.
    package var objectID: String?
    /// The status of the push.
    package var standing: Standing
    /// The figures counted so far.
    package var figures: DeliveryFigures
    /// The reason that the service has not handed the push on yet, in words; nil when it says none. Only bugle-server
    /// does.
    package var wait: Reason?
    /// The stop in the service's console that the push is under, which is ``wait`` then; nil: none.
    package var stop: StopOrder?

    package init(
        objectID: String?, _ standing: Standing, figures: DeliveryFigures, wait: Reason? = nil, stop: StopOrder? = nil
    ) {
        self.objectID = objectID
        self.standing = standing
        self.figures = figures
        self.wait = stop?.reason ?? wait
        self.stop = stop
    }

    /// True when the figures are final.
    package var isDone: Bool { standing == .done }

    /// The reason it is unknown whether anything was sent; nil when it is known. A push that reached a device was sent,
    /// whatever else the record says.
    package var doubt: Reason? {
        guard case .unknown(let word) = standing, !figures.hasReached else { return nil }
        return Reason(.recordSays, .text(word))
    }
}

/// The documented texts of a LeanCloud record that mean nothing was sent.
///
/// Source: docs/background/leancloud/push.md#limits.
package enum RecordedRefusal: String, Hashable, Sendable, CaseIterable {
    /// More than 20,000 devices and a development certificate.
    case massiveDevelopmentPush = "dev profile disabled for massive push"
}
