package import JSONValue
package import PushModel

/// What a delivery straight to Apple is carried out from, and resumed from after a crash: the body of its request.
///
/// It says nothing that depends on when it starts. ``body`` writes it and ``init(_:)`` reads it.
package struct DeliveryOrder: Hashable, Sendable {
    /// The payload: an object with `aps`; without a badge where ``countsBadge``.
    package var payload: JSONValue
    /// Whether each device's own badge, raised by one, goes into the payload.
    package var countsBadge: Bool
    /// `apns-push-type`.
    package var pushType: PushType
    /// `apns-priority`: 10, 5 or 1.
    package var priority: Int
    /// `apns-collapse-id`, 1 to 64 bytes.
    package var collapseID: String?
    /// How long Apple keeps trying, in whole seconds.
    package var expiration: Expiration
    /// Apple's environment.
    package var environment: PushEnvironment
    /// The profiles that push it, at least one; exactly one for a broadcast.
    package var routes: [Route]
    /// Whom it reaches.
    package var target: Target
    /// Devices a second, from 1; nil: as fast as it goes.
    package var throttle: Int?
    /// Whether devices whose answer was lost are sent it again; only with a collapse id.
    package var resendsDoubtful: Bool

    /// One profile that pushes, with the topic it pushes to.
    package struct Route: Hashable, Sendable {
        /// The profile's name, as installations bear it.
        package var profile: String
        /// The topic as installations bear it: the bundle id.
        package var topic: String
        /// The topic as it is sent: with the push type's suffix; a broadcast's has none.
        package var apnsTopic: String
        /// Whether it serves installations that name no profile, too.
        package var isDefault: Bool

        /// Joins them.
        package init(profile: String, topic: String, apnsTopic: String, isDefault: Bool) {
            self.profile = profile
            self.topic = topic
            self.apnsTopic = apnsTopic
            self.isDefault = isDefault
        }
    }

    /// Whom a delivery reaches.
    package enum Target: Hashable, Sendable {
        /// The installations that a condition fits; always an object.
        case condition(JSONValue)
        /// These device tokens, at least one.
        case devices([String])
        /// The subscribers of an Apple broadcast channel, by the channel's declared name and the app's bundle id.
        case broadcast(channel: String, topic: String)
    }

    /// The widest badge that a payload was measured with: one that counts is never sent more.
    package static let largestBadge = 99_999

    /// How long Apple keeps the most recent message of a broadcast channel at most (<doc:AppleBroadcasts#Channels>).
    package static let broadcastStorage = Duration.seconds(8 * 3600)

    /// Joins them.
    package init(
        payload: JSONValue, countsBadge: Bool = false, pushType: PushType, priority: Int, collapseID: String? = nil,
        expiration: Expiration = .never, environment: PushEnvironment, routes: [Route], target: Target,
        throttle: Int? = nil, resendsDoubtful: Bool = false
    ) {
        self.payload = payload
        self.countsBadge = countsBadge
        self.pushType = pushType
        self.priority = priority
        self.collapseID = collapseID
        self.expiration = expiration
        self.environment = environment
        self.routes = routes
        self.target = target
        self.throttle = throttle
        self.resendsDoubtful = resendsDoubtful
    }
}

extension DeliveryOrder {
    /// What the devices of one route are sent.
    ///
    /// - Parameter start: when the delivery started, from which its expiration counts; a Live Activity
    ///   without a time of its own bears it.
    package func notification(for route: Route, startingAt start: Instant) -> PushNotification {
        PushNotification(
            to: destination, topic: route.apnsTopic, pushType: pushType, priority: priority,
            expiration: header(startingAt: start), collapseID: collapseID,
            body: notificationBody(startingAt: start))
    }

    /// What its targets are.
    package var destination: Destination { if case .broadcast = target { .broadcastChannels } else { .devices } }

    /// How long Apple keeps it; a broadcast must say so, and without a time of its own it is as long as a channel keeps a
    /// message.
    private func header(startingAt start: Instant) -> Int64? {
        switch expiration {
        case .after(let duration): duration > .zero ? max(1, (start + duration).seconds) : 0
        case .at(let end): max(1, end.instant.seconds)
        case .never: destination == .broadcastChannels ? (start + Self.broadcastStorage).seconds : nil
        }
    }

    /// The bytes of the payload, with a place for each device's badge where it counts one.
    private func notificationBody(startingAt start: Instant) -> NotificationBody {
        let payload = payload(startingAt: start)
        guard countsBadge else { return .same(payload.canonicalBytes) }
        let aps = (payload["aps"] ?? [:]).canonicalBytes
        var others = payload
        others["aps"] = nil
        return .counted(
            before: Array(#"{"aps":{"badge":"#.utf8), after: Self.rest(aps) + Self.rest(others.canonicalBytes))
    }

    /// How many bytes the payload has at most, as it is sent.
    package var payloadBytes: Int {
        switch notificationBody(startingAt: Self.anyStart) {
        case .same(let bytes): bytes.count
        case .counted(let before, let after): before.count + String(Self.largestBadge).utf8.count + after.count
        }
    }

    /// The payload as it is sent, without a counted badge: of several updates of a Live Activity the one with the latest
    /// time counts, so it bears the start of the delivery unless it has a time of its own
    /// (<doc:ApplePayloads#Rules-by-type>).
    package func payload(startingAt start: Instant) -> JSONValue {
        guard pushType == .liveactivity, payload["aps"]?["timestamp"] == nil else { return payload }
        var payload = payload
        var aps = payload["aps"] ?? [:]
        aps["timestamp"] = .integer(start.seconds)
        payload["aps"] = aps
        return payload
    }

    /// Any time: all of this age have the same number of digits.
    private static let anyStart = Instant(seconds: 2_000_000_000)

    /// An object's text behind a member that was written before it.
    private static func rest(_ object: [UInt8]) -> [UInt8] {
        object.count > 2 ? [UInt8(ascii: ",")] + object.dropFirst() : [UInt8(ascii: "}")]
    }
}
