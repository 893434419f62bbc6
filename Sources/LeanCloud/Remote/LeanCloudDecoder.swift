internal import Base
package import Push

/// Turns requests of `POST /push` into campaigns: the inverse of ``LeanCloudEncoder``.
///
/// Source: LeanCloud, "推送 REST API 使用指南".
package struct LeanCloudDecoder {
    private let meaning: PushMeaning
    private let body: JSONObject

    /// Reads a request.
    ///
    /// - Throws: ``Inexpressible`` when the request contains something unknown, or that a campaign cannot express.
    package init(_ request: PushRequest) throws(Inexpressible) {
        meaning = try PushMeaning(request)
        body = request.body.object ?? [:]
    }

    /// The campaigns that may produce the same request, the best first.
    ///
    /// They differ in the way the audience is expressed. Which of them produces the request depends on the workspace's
    /// declarations: encode a campaign there and compare the two with ``differences(between:and:)``.
    package func campaigns(named name: String, origin: Origin) -> [Campaign] {
        audiences.map { audience in
            var campaign = Campaign(name: name, origin: origin, audience: audience, message: message)
            campaign.environment = meaning.isDevelopment ? .development : .production
            campaign.scheduledAt = meaning.pushTime.map { OffsetInstant($0) }
            campaign.expiration = meaning.expiration ?? .never
            campaign.throttlePerSecond = meaning.throttle
            return campaign
        }
    }

    /// True when the request sets an expiration.
    package var hasExpiration: Bool { meaning.expiration != nil }

    /// The differences in effect between two requests, in words; empty when they are equivalent.
    ///
    /// - Throws: ``Inexpressible`` when one of them contains something unknown.
    package static func differences(
        between first: PushRequest, and second: PushRequest
    ) throws(Inexpressible) -> [PushDifference] {
        try PushMeaning(first).differences(from: try PushMeaning(second))
    }

    private var message: Message {
        MessageDecoder(
            apple: meaning.apple, android: meaning.android, vendors: meaning.vendors, channel: meaning.channel
        ).message
    }

    // MARK: The audience

    private var audiences: [Audience] {
        let condition = body["where"]?.object ?? [:]
        var found: [Audience] = []
        for takesProfile in [false, true] {
            for takesChannels in [true, false] {
                let audience = Self.audience(condition, takesChannels: takesChannels, takesProfile: takesProfile)
                if !found.contains(audience) { found.append(audience) }
            }
        }
        return found
    }

    private static func audience(_ condition: JSONObject, takesChannels: Bool, takesProfile: Bool) -> Audience {
        var rest = ConditionParts(condition)
        var audience = Audience(everyone: rest.parts.isEmpty)
        if takesChannels { audience.channels = rest.takeNames(of: "channels") ?? [] }
        if takesProfile { audience.deviceProfile = rest.takeNames(of: "deviceProfile") { $0.count == 1 }?.first }
        let narrows = rest.parts.count > 1 || audience != Audience()
        let platforms = rest.takeNames(of: "deviceType") { names in
            names.allSatisfy { Platform(rawValue: $0) != nil } && (narrows || Set(names).count == 1)
        }
        audience.platforms = Set(platforms ?? []).compactMap { Platform(rawValue: $0) }.sorted()
        audience.condition = rest.condition
        return audience
    }
}

/// The request that created an entry of the list of scheduled pushes, reconstructed from the list.
///
/// The list spells the parameters with `-` and adds members of the service's own.
/// Source: docs/background/leancloud/records.md#scheduled-pushes.
package struct KeptRequest: Sendable {
    /// The request, in the spelling of `POST /push`, without its ids.
    package let request: PushRequest

    /// Members that do not affect the content, the audience or the time.
    private static let ownMembers: Set<String> = [
        "through?", "app-id", "api-version", "id", "notificationid", "notification-id", "req-id", "createdat",
        "updatedat", "from-service", "where", "msg", "data", "channels", "push-time",
    ]
    private static let parameters: [String: String] = [
        "prod": "prod", "expiration-time": "expiration_time", "expiration-interval": "expiration_interval",
        "flow-control": "flow_control", "topic": "topic", "apns-team-id": "apns_team_id",
        "-notificationchannel": "_notificationChannel",
    ]

    /// Reconstructs the request from a list entry.
    ///
    /// - Throws: ``Inexpressible`` when the entry contains something unknown, or that a campaign cannot express.
    package init(_ push: KeptPush) throws(Inexpressible) {
        let message = push.message.object ?? [:]
        var body: JSONObject = ["push_time": .string(push.push.at.isoText)]
        for (key, value) in message where !value.isNull {
            let name = key.lowercased().replacing("_", with: "-")
            if let parameter = Self.parameters[name] {
                body[parameter] = value
            } else if !Self.ownMembers.contains(name) {
                throw Inexpressible("has '\(key.shortened(to: 64))', which bugle does not know")
            }
        }
        guard let data = message["msg"] ?? message["data"], data.object != nil else {
            throw Inexpressible("has no content object")
        }
        body["data"] = data
        body["where"] = try Self.condition(message)
        request = PushRequest(endpoint: .push, body: .object(body))
    }

    /// The push's condition on installations, without the additions of the service.
    private static func condition(_ message: JSONObject) throws(Inexpressible) -> JSONValue {
        let found = message["where"] ?? [:]
        var condition = found["query"] ?? found
        if let list = condition.array { condition = ["$and": .array(list)] }
        guard var members = condition.object else { throw Inexpressible("has a 'where' that is not a condition") }
        if found["query"] == nil { members["sort"] = nil }
        members = try withChannels(message["channels"], members)
        if members["valid"] == true { members["valid"] = nil }
        // `{"$and": [CONDITION, {"valid": true}]}`, where the condition itself mentions `valid`.
        if members.count == 1, let parts = members["$and"]?.array, parts.count == 2, parts[1] == ["valid": true],
            let inner = parts[0].object
        {
            members = inner
        }
        return .object(members)
    }

    private static func withChannels(_ value: JSONValue?, _ members: JSONObject) throws(Inexpressible) -> JSONObject {
        guard let value, !value.isNull else { return members }
        let names = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
        guard !names.isEmpty, names.count == value.array?.count ?? 1 else {
            throw Inexpressible("has 'channels' that are not names")
        }
        let condition: JSONValue = ["$in": .array(names.map { .string($0) })]
        guard members["channels"] != nil else { return members.merging(["channels": condition]) { $1 } }
        return ["$and": [.object(members), ["channels": condition]]]
    }
}

/// Turns the content that devices receive into a campaign's message.
struct MessageDecoder {
    /// The content for Apple devices; nil: none is reached.
    let apple: AppleView?
    /// The content for Android devices; nil: none is reached.
    let android: AndroidView?
    /// The vendor-specific content.
    let vendors: JSONObject
    /// Android's notification channel.
    let channel: String?

    var message: Message {
        guard let apple else {
            var common = android.map(Self.content) ?? MessageContent()
            // These are allowed only under `android`.
            var own = MessageContent()
            (own.silent, own.action, own.channel) = (common.silent, common.action, channel)
            (common.silent, common.action) = (nil, nil)
            return Message(common: common, android: own == MessageContent() ? nil : own, vendors: vendors)
        }
        let own = Self.content(apple)
        guard let android else { return Message(common: own) }
        return split(own, Self.content(android))
    }

    /// Uses common fields where both platforms agree, otherwise each platform's own.
    private func split(_ apple: MessageContent, _ android: MessageContent) -> Message {
        var common = apple
        var ios = MessageContent()
        var other = android
        func divide<Value: Equatable>(_ field: WritableKeyPath<MessageContent, Value?>) {
            if apple[keyPath: field] == android[keyPath: field] {
                other[keyPath: field] = nil
            } else {
                common[keyPath: field] = nil
                ios[keyPath: field] = apple[keyPath: field]
            }
        }
        divide(\.title)
        divide(\.body)
        divide(\.data)
        other.channel = channel
        return Message(
            common: common, ios: ios == MessageContent() ? nil : ios,
            android: other == MessageContent() ? nil : other, vendors: vendors)
    }

    private static func content(_ view: AndroidView) -> MessageContent {
        var content = MessageContent()
        content.body = view.fields["alert"]?.string.map(LocalizableText.text)
        content.title = view.fields["title"]?.string.map(LocalizableText.text)
        content.silent = view.fields["silent"]?.bool
        content.action = view.fields["action"]?.string
        content.data = view.custom.isEmpty ? nil : view.custom
        return content
    }

    private static func content(_ view: AppleView) -> MessageContent {
        var content = MessageContent()
        let alert = view.aps["alert"]?.object ?? [:]
        content.title = text(alert, "title", "title-loc-key", "title-loc-args")
        content.subtitle = text(alert, "subtitle", "subtitle-loc-key", "subtitle-loc-args")
        content.body = text(alert, "body", "loc-key", "loc-args")
        content.launchImage = alert["launch-image"]?.string
        if let badge = view.aps["badge"] { content.badge = badge.integer.map { .number(Int($0)) } ?? .increment }
        content.sound = view.aps["sound"].map(sound)
        content.category = view.aps["category"]?.string
        content.threadId = view.aps["thread-id"]?.string
        content.targetContentId = view.aps["target-content-id"]?.string
        content.filterCriteria = view.aps["filter-criteria"]?.string
        content.interruptionLevel = view.aps["interruption-level"]?.string.flatMap { name in
            InterruptionLevel.allCases.first { $0.apnsValue == name }
        }
        content.relevanceScore = view.aps["relevance-score"]?.double
        if view.aps["mutable-content"] != nil { content.mutableContent = true }
        if view.aps["content-available"] != nil { content.contentAvailable = true }
        content.collapseId = view.headers["collapse-id"]?.string
        content.priority = view.headers["apns-priority"]?.integer.map(Int.init)
        content.data = view.custom.isEmpty ? nil : view.custom
        // An unknown type is found when the request is encoded again.
        let type = (view.headers["apns-push-type"]?.string).map { PushType(rawValue: $0) } ?? .alert
        if content.effectivePushType != type { content.pushType = type }
        if content.effectivePushType == .background, content.priority == 5 { content.priority = nil }
        return content
    }

    private static func text(
        _ alert: JSONObject, _ text: String, _ key: String, _ arguments: String
    ) -> LocalizableText? {
        if let text = alert[text]?.string { return .text(text) }
        guard let key = alert[key]?.string else { return nil }
        return .localized(key: key, arguments: alert[arguments]?.array?.compactMap(\.string) ?? [])
    }

    private static func sound(_ value: JSONValue) -> Sound {
        guard let name = value["name"]?.string else { return .name(value.string ?? "") }
        return .detailed(name: name, critical: value["critical"]?.bool ?? false, volume: value["volume"]?.double)
    }
}

/// The reason a push cannot be expressed as a campaign.
package struct Inexpressible: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, in words that follow "it".
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
