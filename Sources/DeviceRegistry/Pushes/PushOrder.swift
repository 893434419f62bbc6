package import JSONValue
package import PushModel

/// A push that the server has agreed to make.
package struct PushOrder: Hashable, Sendable {
    /// Whom it is for.
    package enum Audience: Hashable, Sendable {
        /// Every valid device that fits a condition and was seen in the last 90 days.
        case query(JSONValue)
        /// Devices by their own ids, registered or not: tokens on Apple's platforms, else installation ids, or a
        /// vendor's registration ids.
        case devices(platform: String, ids: [String], vendor: String?)
    }

    /// The id that the answer to the request holds.
    package let objectID: String
    /// The id under which the record is kept; pushes of one id share a record.
    package let notificationID: String
    /// The id by which a repeated request is known.
    package let requestID: String?
    /// Whom it is for.
    package let audience: Audience
    /// The content as it was sent, with the parts for single platforms.
    package let data: JSONValue
    /// `prod` or `dev`.
    package let environment: String
    /// Whether each Apple device's badge goes up by one.
    package let incrementsBadge: Bool
    /// When it is sent; `nil` for at once.
    package let fireAt: Instant?
    /// When it is worth nothing any more.
    package let expiresAt: Instant?
    /// What only matters where it really goes to Apple.
    package let apple: AppleOptions

    /// What a request says of the way to Apple.
    ///
    /// Source: <doc:/PushModel/LeanCloudPush#Push-by-query>, <doc:/PushModel/LeanCloudPush#Push-by-device>.
    package struct AppleOptions: Hashable, Sendable {
        /// `topic`: the bundle id, or it with the push type's suffix; for keys only.
        package var topic: String?
        /// `apns_team_id`: the team whose key is meant, where several have the topic.
        package var teamID: String?
        /// `device_profile`: the profile that named devices are pushed by.
        package var profile: String?
        /// `flow_control`: devices a second; at least 1,000.
        package var perSecond: Int?

        /// Says what is given.
        package init(topic: String? = nil, teamID: String? = nil, profile: String? = nil, perSecond: Int? = nil) {
            self.topic = topic
            self.teamID = teamID
            self.profile = profile
            self.perSecond = perSecond
        }
    }

    /// An order with ids of its own where none are given.
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

/// What the answer to a push says.
package struct PushReceipt: Hashable, Sendable {
    /// The push.
    package let objectID: String
    /// When it was taken.
    package let createdAt: Instant
    /// Whether an earlier request with the same `req_id` was answered: nothing was done this time.
    package let isRepeated: Bool
}

/// A push that waits for its time.
package struct ScheduledPush: Hashable, Sendable {
    /// The number by which it is cancelled.
    package let id: Int64
    /// When it is sent.
    package let fireAt: Instant
    /// When it was taken.
    package let createdAt: Instant
    /// What is sent.
    package let order: PushOrder
}

/// One message in a simulated device's inbox.
package struct ReceivedPush: Hashable, Sendable {
    /// The id of the record.
    package let notificationID: String
    /// The push.
    package let objectID: String
    /// The device's kind: `ios`, `android`.
    package let platform: String
    /// The vendor of an Android device's own channel.
    package let vendor: String?
    /// The content as it was sent, with the parts for single platforms.
    package let data: JSONValue
    /// The badge that an increment came to.
    package let badge: Int64?
    /// When it arrived.
    package let receivedAt: Instant
}

/// How many messages of one notification arrived where.
package struct InboxSummary: Hashable, Sendable {
    /// The devices that have at least one.
    package let devices: Int
    /// The messages.
    package let messages: Int
    /// The messages beyond each device's first.
    package var duplicates: Int { messages - devices }
}

extension PushOrder {
    /// The condition that the record and the list of scheduled pushes show: the audience, and that devices are valid.
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

    /// The order as it is stored.
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
        switch audience {
        case .query(let condition): members["where"] = condition
        case .devices(let platform, let ids, let vendor):
            members["deviceType"] = .string(platform)
            members["deviceIds"] = .array(ids.map { .string($0) })
            members["vendor"] = vendor.map { .string($0) }
        }
        return .object(members)
    }

    /// Reads what ``json`` wrote; `nil` when it is damaged.
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
            perSecond: json["perSecond"]?.integer.map { Int(clamping: $0) })
        if let platform = json["deviceType"]?.string, let ids = json["deviceIds"]?.array {
            audience = .devices(platform: platform, ids: ids.compactMap(\.string), vendor: json["vendor"]?.string)
        } else {
            audience = .query(json["where"] ?? [:])
        }
    }
}
