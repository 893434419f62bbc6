package import Base
package import Push

/// A push that the server has accepted.
package struct PushOrder: Hashable, Sendable {
    package enum Audience: Hashable, Sendable {
        /// Every valid device that matches a condition and was seen in the last 90 days.
        case query(JSONValue)
        /// Devices by their own ids, registered or not: tokens on Apple's platforms, otherwise installation ids, or a
        /// vendor's registration ids.
        case devices(platform: String, ids: [String], vendor: String?)
    }

    /// The id in the response to the request.
    package let objectID: String
    /// The id of the record; pushes with the same id share a record.
    package let notificationID: String
    /// The id that identifies a repeated request.
    package let requestID: String?
    package let audience: Audience
    /// The content as received, with the parts for single platforms.
    package let data: JSONValue
    /// `prod` or `dev`.
    package let environment: String
    /// True to raise the badge of each Apple device by one.
    package let incrementsBadge: Bool
    /// The time of sending; `nil` to send at once.
    package let fireAt: Instant?
    /// The expiration.
    package let expiresAt: Instant?
    /// Options that only matter for real delivery.
    package let apple: AppleOptions

    /// A request's options for delivery to the devices' services.
    ///
    /// Source: docs/background/leancloud/push.md#push-by-query, docs/background/leancloud/push.md#push-by-device.
    package struct AppleOptions: Hashable, Sendable {
        /// `topic`: the bundle id, or the bundle id with the push type's suffix; for keys only.
        package var topic: String?
        /// `apns_team_id`: the team whose key is used, when several have the topic.
        package var teamID: String?
        /// `device_profile`: the profile for pushes to listed devices.
        package var profile: String?
        /// `flow_control`: devices per second; at least 1,000.
        package var perSecond: Int?
        /// `_notificationChannel`, for listed devices `channel`: Android's notification channel, unless `data` has one.
        package var channel: String?

        package init(
            topic: String? = nil, teamID: String? = nil, profile: String? = nil, perSecond: Int? = nil,
            channel: String? = nil
        ) {
            self.topic = topic
            self.teamID = teamID
            self.profile = profile
            self.perSecond = perSecond
            self.channel = channel
        }
    }

    /// Creates an order, generating missing ids.
    package init(
        notificationID: String?, requestID: String?, audience: Audience, data: JSONValue, environment: String,
        incrementsBadge: Bool, fireAt: Instant?, expiresAt: Instant?, apple: AppleOptions = AppleOptions()
    ) {
        objectID = ObjectID.push()
        self.notificationID = notificationID ?? ObjectID.push()
        self.requestID = requestID
        self.audience = audience
        self.data = data
        self.environment = environment
        self.incrementsBadge = incrementsBadge
        self.fireAt = fireAt
        self.expiresAt = expiresAt
        self.apple = apple
    }
}

/// The response to a push request.
package struct PushReceipt: Hashable, Sendable {
    /// The id in the response to the request.
    package let objectID: String
    /// The time when it was accepted.
    package let createdAt: Instant
    /// True if an earlier request with the same `req_id` was accepted: this one did nothing.
    package let isRepeated: Bool
}

/// A push scheduled for later.
package struct ScheduledPush: Hashable, Sendable {
    /// The number for cancelling it.
    package let id: Int64
    /// The time of sending.
    package let fireAt: Instant
    /// The time when it was accepted.
    package let createdAt: Instant
    /// The push to send.
    package let order: PushOrder
}

/// One message in a simulated device's inbox.
package struct ReceivedPush: Hashable, Sendable {
    package let notificationID: String
    /// The id in the response to the request.
    package let objectID: String
    /// The device's platform: `ios`, `android`.
    package let platform: String
    /// The vendor of an Android device's own channel.
    package let vendor: String?
    /// The content as received, with the parts for single platforms.
    package let data: JSONValue
    /// The resulting badge of an increment.
    package let badge: Int64?
    /// The time of arrival.
    package let receivedAt: Instant
}

/// The counts of one notification's messages in inboxes.
package struct InboxSummary: Hashable, Sendable {
    /// The number of devices with at least one message.
    package let devices: Int
    /// The number of messages.
    package let messages: Int
    /// The number of messages beyond each device's first.
    package var duplicates: Int { messages - devices }
}

extension PushOrder {
    /// The condition shown in the record and the list of scheduled pushes: the audience, and that devices are valid.
    package var shownCondition: JSONValue {
        switch audience {
        case .devices(let platform, _, _): ["deviceType": .string(platform)]
        case .query(.object(var members)) where members["valid"] == nil:
            {
                members["valid"] = true
                return .object(members)
            }()
        case .query(let condition): ["$and": [condition, ["valid": true]]]
        }
    }

    var json: JSONValue {
        var members: JSONObject = [
            "objectId": .string(objectID), "notificationId": .string(notificationID), "data": data,
            "prod": .string(environment), "incrementsBadge": .bool(incrementsBadge),
        ]
        members["requestId"] = requestID.map { .string($0) }
        members["fireAt"] = fireAt.map { .integer($0.milliseconds) }
        members["expiresAt"] = expiresAt.map { .integer($0.milliseconds) }
        members["topic"] = apple.topic.map { .string($0) }
        members["teamId"] = apple.teamID.map { .string($0) }
        members["deviceProfile"] = apple.profile.map { .string($0) }
        members["perSecond"] = apple.perSecond.map { .integer(Int64($0)) }
        members["channel"] = apple.channel.map { .string($0) }
        switch audience {
        case .query(let condition): members["where"] = condition
        case .devices(let platform, let ids, let vendor):
            members["deviceType"] = .string(platform)
            members["deviceIds"] = .array(ids.map { .string($0) })
            members["vendor"] = vendor.map { .string($0) }
        }
        return .object(members)
    }

    /// Reads the result of ``json``; `nil` when it is damaged.
    init?(_ json: JSONValue) {
        guard let objectID = json["objectId"]?.string, let notificationID = json["notificationId"]?.string,
            let data = json["data"], let environment = json["prod"]?.string
        else { return nil }
        self.objectID = objectID
        self.notificationID = notificationID
        requestID = json["requestId"]?.string
        self.data = data
        self.environment = environment
        incrementsBadge = json["incrementsBadge"]?.bool ?? false
        fireAt = json["fireAt"]?.integer.map(Instant.init(milliseconds:))
        expiresAt = json["expiresAt"]?.integer.map(Instant.init(milliseconds:))
        apple = AppleOptions(
            topic: json["topic"]?.string, teamID: json["teamId"]?.string, profile: json["deviceProfile"]?.string,
            perSecond: json["perSecond"]?.integer.map { Int(clamping: $0) }, channel: json["channel"]?.string)
        if let platform = json["deviceType"]?.string, let ids = json["deviceIds"]?.array {
            audience = .devices(platform: platform, ids: ids.compactMap(\.string), vendor: json["vendor"]?.string)
        } else {
            audience = .query(json["where"] ?? [:])
        }
    }
}

// MARK: - Reach

/// The routes by which pushes reach devices.
package enum PushWay: Hashable, Sendable {
    /// Simulated inboxes for all devices: nothing leaves the server.
    case inboxes
    /// The devices' own services; there is no route to devices of other vendors.
    case services(Set<PushVendor>)

    /// True if a push remains to be sent to a service.
    func leavesServices(of order: PushOrder) -> Bool {
        switch self {
        case .inboxes: false
        case .services(let vendors): order.mayReach(Set(vendors.flatMap(\.deviceTypes)))
        }
    }
}

extension PushVendor {
    /// The `deviceType` of its devices.
    package var deviceTypes: [String] { self == .apns ? InstallationRules.applePlatforms : ["android"] }
}

extension PushOrder {
    /// True if it may reach devices of a vendor, judged by `deviceType`.
    package func mayReach(_ vendor: PushVendor) -> Bool { mayReach(Set(vendor.deviceTypes)) }

    /// True if it may reach an iPhone or iPad, judged by `deviceType`.
    ///
    /// The certificate matters then. Source: docs/background/leancloud/push.md#refusals.
    package var mayReachIOS: Bool { mayReach(["ios"]) }

    /// True if it may reach a device of these platforms, judged by `deviceType`.
    func mayReach(_ platforms: Set<String>) -> Bool {
        switch audience {
        case .devices(let platform, _, _): platforms.contains(platform)
        case .query(let condition): platforms.contains { Self.allows(condition, $0) }
        }
    }

    /// The profile of all its devices; nil when the condition names none, or several.
    package var onlyProfile: String? {
        guard case .query(let condition) = audience else { return nil }
        return Self.profile(condition)
    }

    private static func allows(_ condition: JSONValue, _ platform: String) -> Bool {
        if let conditions = condition.array { return conditions.allSatisfy { allows($0, platform) } }
        guard let members = condition.object else { return true }
        return members.allSatisfy { name, value in
            switch name {
            case "deviceType": isKind(value, platform)
            case "$and": (value.array ?? []).allSatisfy { allows($0, platform) }
            case "$or": (value.array ?? [[:]]).contains { allows($0, platform) }
            default: true
            }
        }
    }

    private static func isKind(_ test: JSONValue, _ platform: String) -> Bool {
        let name = JSONValue.string(platform)
        if test.string != nil { return test == name }
        return (test.object ?? [:]).allSatisfy { operation, value in
            switch operation {
            case "$in": value.array?.contains(name) ?? true
            case "$nin": !(value.array?.contains(name) ?? false)
            case "$ne": value != name
            default: true
            }
        }
    }

    private static func profile(_ condition: JSONValue) -> String? {
        if let conditions = condition.array { return conditions.lazy.compactMap(profile).first }
        return condition["deviceProfile"]?.string ?? condition["$and"]?.array?.lazy.compactMap(profile).first
    }
}
