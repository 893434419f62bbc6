internal import Base
internal import Delivery
internal import DeviceRegistry
internal import Push

/// A push of LeanCloud's API as a delivery to the devices' services.
struct AppleRequest {
    /// The content and the recipients.
    private(set) var order: DeliveryOrder

    /// Translates a push.
    ///
    /// - Throws: ``APIError`` for content that a service would refuse, or if no profile can push it.
    init(_ push: PushOrder, _ service: AppleService, at now: Instant) throws(APIError) {
        let possible = service.androidRoutes(push, at: now)
        let messages = Dictionary(
            Set(possible.map(\.vendor)).map { ($0, VendorMessage.body($0, push, app: service.app?.name)) }
        ) { first, _ in first }.compactMapValues(\.self)
        // Whoever cannot get such a message is left out, as where there is no profile.
        let android = possible.filter { messages[$0.vendor] != nil }
        guard push.mayReach(.apns) || !android.isEmpty else {
            throw possible.isEmpty ? APIError.noAndroidProfile(push.environment) : APIError.notForAndroid
        }
        let expiration = push.expiresAt.map { Expiration.at(OffsetInstant($0)) } ?? .never
        // Without a certificate for iPhones a push that may mean them is refused, unless only Android is served here.
        let named = push.apple.profile ?? push.onlyProfile
        let isForApple =
            named.map { name in service.apple.contains { $0.installations == name } } ?? !service.apple.isEmpty
        let reachesApple = push.mayReach(.apns) && (isForApple || android.isEmpty)
        if reachesApple {
            let message = try AppleMessage(push.data)
            let chosen = try AppleRoutes(push, message.pushType, service, at: now)
            order = DeliveryOrder(
                payload: message.payload, countsBadge: message.countsBadge, pushType: message.pushType,
                priority: message.priority, collapseID: message.collapseID, expiration: expiration,
                environment: chosen.environment, routes: chosen.routes + android, target: Self.target(push.audience),
                throttle: push.apple.perSecond)
        } else {
            order = DeliveryOrder(
                payload: [:], countsBadge: push.incrementsBadge, pushType: .alert, priority: 10,
                expiration: expiration, environment: push.environment == "dev" ? .development : .production,
                routes: android, target: Self.target(push.audience), throttle: push.apple.perSecond)
        }
        order.others = messages.mapValues { DeliveryOrder.Messages(own: $0) }
        if let bytes = order.fcmBytes, bytes > FCMMessage.limit {
            throw APIError(413, 413, "Payload Too Large. FCM accepts \(FCMMessage.limit) bytes, and this has \(bytes).")
        }
        guard reachesApple else { return }
        let (bytes, limit) = (order.payloadBytes, order.pushType.payloadLimit)
        guard bytes <= limit else {
            throw APIError(413, 413, "Payload Too Large. Apple accepts \(limit) bytes, and this has \(bytes).")
        }
    }

    private static func target(_ audience: PushOrder.Audience) -> DeliveryOrder.Target {
        switch audience {
        case .query(.array(let conditions)): .condition(conditions.isEmpty ? [:] : ["$and": .array(conditions)])
        case .query(let condition): .condition(condition)
        case .devices("android", let ids, let vendor):
            .condition([vendor == nil ? "installationId" : "registrationId": ["$in": .array(ids.map { .string($0) })]])
        case .devices(_, let ids, _): .devices(ids)
        }
    }

    func job(_ push: ApplePush) -> DeliveryJob {
        DeliveryJob(
            id: push.order.objectID, workspace: DeliveryFreeze.ofServer, order: order,
            start: push.order.fireAt ?? push.createdAt,
            window: AppleService.window, expiresAt: push.order.expiresAt)
    }
}

/// LeanCloud's `data` for an Apple device, translated to Apple's terms.
///
/// Source: docs/background/leancloud/push.md#content; docs/background/apple/requests.md#request,
/// docs/background/apple/payloads.md#push-types, docs/background/apple/payloads.md#payload.
struct AppleMessage {
    /// `aps` and the custom keys beside it; without a badge that is incremented.
    private(set) var payload: JSONValue
    /// True when each device's badge goes up by one.
    let countsBadge: Bool
    /// `apns-push-type`: the given one, otherwise `background` for an invisible push that wakes the app, otherwise
    /// `alert`.
    let pushType: PushType
    /// `apns-priority`: the given one, otherwise 5 for `background` and 10 for everything else.
    let priority: Int
    /// `apns-collapse-id`.
    let collapseID: String?

    /// Keys that stand elsewhere, or are never delivered.
    ///
    /// Source: docs/background/leancloud/push.md#push-by-query, docs/background/leancloud/push.md#content.
    private static let removed = PushData.headerKeys.union(PushData.appleKeys)
        .union(["alert", "title", "_profile", "_apns_team_id", PushData.notificationChannel])

    /// Translates the part of `data` that an Apple device gets.
    ///
    /// - Throws: ``APIError`` with code 1 for what Apple would refuse.
    init(_ data: JSONValue) throws(APIError) {
        let content = PushData(data).content(for: "ios")
        var aps: JSONObject
        switch content["aps"] {
        case .object(let members)?: aps = members
        case .some: throw APIError(400, 1, "aps is an object.")
        case nil: aps = try Self.members(flat: content)
        }
        countsBadge = aps["badge"] == "Increment"
        if countsBadge { aps["badge"] = nil }
        let isSilent = aps["content-available"] == 1 && ["alert", "badge", "sound"].allSatisfy { aps[$0] == nil }
        pushType = try Self.pushType(content["apns-push-type"]) ?? (isSilent && !countsBadge ? .background : .alert)
        priority = try Self.priority(content["apns-priority"], pushType)
        collapseID = try Self.collapseID(content["collapse-id"])
        var payload = content.filter { !Self.removed.contains($0.key) }
        // Device management uses no `aps`.
        if pushType != .mdm || !aps.isEmpty { payload["aps"] = .object(aps) }
        self.payload = .object(payload)
    }

    private static func members(flat content: JSONObject) throws(APIError) -> JSONObject {
        var aps: JSONObject = [:]
        aps["alert"] = try alert(content["alert"], title: content["title"]?.string)
        switch content["badge"] {
        case .integer?, .number?, "Increment"?: aps["badge"] = content["badge"]
        default: break
        }
        aps["sound"] = try sound(content["sound"])
        for key in ["category", "thread-id", "target-content-id"] {
            aps[key] = content[key]?.string.map { .string($0) }
        }
        aps["url-args"] = content["url-args"]
        for key in ["content-available", "mutable-content"] where isOn(content[key]) { aps[key] = 1 }
        return aps
    }

    private static func isOn(_ value: JSONValue?) -> Bool {
        switch value {
        case .bool(let isOn)?: isOn
        case .integer(let number)?: number != 0
        case .number(let number)?: number != 0
        case .string(let text)?: text == "1" || text == "true"
        case .null?, .array?, .object?, nil: false
        }
    }

    /// Merges the title into a plain-text alert; beside an object, the title is only for other platforms.
    private static func alert(_ alert: JSONValue?, title: String?) throws(APIError) -> JSONValue? {
        let title = (title ?? "").isEmpty ? JSONValue?.none : title.map { .string($0) }
        switch alert {
        case .string?:
            guard let title else { return alert }
            return ["title": title, "body": alert ?? ""]
        case .object(let members)?: return .object(spelled(members))
        case nil: return title.map { ["title": $0] }
        case .some: throw APIError(400, 1, "alert is a text or an object.")
        }
    }

    /// Accepts `sub-title`, which the documentation used until 2018.
    private static func spelled(_ alert: JSONObject) -> JSONObject {
        JSONObject(
            alert.lazy.map { key, value in
                (key.hasPrefix("sub-title") ? "subtitle" + key.dropFirst("sub-title".count) : key, value)
            })
    }

    private static func sound(_ sound: JSONValue?) throws(APIError) -> JSONValue? {
        switch sound {
        case .string?, nil: return sound
        case .object(let members)?:
            var spelled: JSONObject = [:]
            spelled["name"] = members["name"]
            if isOn(members["critical"]) { spelled["critical"] = 1 }
            // The documentation says a number but shows a string.
            spelled["volume"] = (members["volume"]?.double ?? members["volume"]?.string.flatMap(Double.init)).map {
                .number($0)
            }
            return .object(spelled)
        case .some: throw APIError(400, 1, "sound is a text or an object.")
        }
    }
}

// MARK: - Headers

extension AppleMessage {
    private static func pushType(_ value: JSONValue?) throws(APIError) -> PushType? {
        guard let value else { return nil }
        guard let type = value.string.flatMap(PushType.init(rawValue:)) else {
            throw APIError(
                400, 1, "apns-push-type is one of \(PushType.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return type
    }

    private static func priority(_ value: JSONValue?, _ type: PushType) throws(APIError) -> Int {
        guard let value else { return type == .background ? 5 : 10 }
        let number = value.integer ?? value.string.flatMap { Int64($0) }
        guard let number, [10, 5, 1].contains(number) else { throw APIError(400, 1, "apns-priority is 10, 5 or 1.") }
        guard type != .background || number != 10 else {
            throw APIError(400, 1, "apns-priority is 5 where apns-push-type is background.")
        }
        return Int(number)
    }

    private static func collapseID(_ value: JSONValue?) throws(APIError) -> String? {
        guard let value, value != "" else { return nil }
        // The value becomes a header.
        guard let text = value.string ?? value.integer.map(String.init), text.utf8.count <= 64,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw APIError(400, 1, "collapse-id is a text of 1 to 64 bytes.") }
        return text
    }
}

extension VendorMessage {
    /// Translates LeanCloud's `data` for Android devices of a vendor.
    ///
    /// What stands under the vendor's name overrides the rest; its `notification`, `android` and `message` are the vendor's
    /// own fields. Source: docs/background/leancloud/push.md#content, docs/background/android.md#vendors-messages.
    ///
    /// Nil for a message that the vendor does not take. A text without a title gets the app's name, as from LeanCloud.
    fileprivate static func body(_ vendor: PushVendor, _ push: PushOrder, app: String?) -> JSONValue? {
        // What else stands under the vendor's name is in the vendor's own words.
        let native = push.data[vendor.word]?.object?.filter { !words.contains($0.key) } ?? [:]
        var members = PushData(push.data).content(for: "android", vendor: vendor.word)
            .filter { native[$0.key] == nil }
        var content = MessageContent()
        // An empty text shows nothing, as on iPhones.
        func text(_ value: JSONValue?) -> LocalizableText? {
            guard let text = value?.string, !text.isEmpty else { return nil }
            return .text(text)
        }
        let alert = members.removeValue(forKey: "alert")
        content.body = text(alert) ?? text(alert?["body"])
        content.title = text(members.removeValue(forKey: "title")) ?? text(alert?["title"])
        content.silent = members.removeValue(forKey: "silent")?.bool
        content.action = members.removeValue(forKey: "action")?.string
        content.channel = members.removeValue(forKey: PushData.notificationChannel)?.string ?? push.apple.channel
        content.sound = members.removeValue(forKey: "sound")?.string.map { .name($0) }
        if let number = members.removeValue(forKey: "badge")?.integer { content.badge = .number(Int(clamping: number)) }
        content.collapseId = members["collapse-id"]?.string
        var own = native
        if case .object(let fields)? = own.removeValue(forKey: "message") { own.merge(fields) { $1 } }
        if content.title == nil, content.body != nil, content.silent != true { content.title = app.map { .text($0) } }
        if vendor != .fcm {
            guard content.silent == true ? canBeSilent(vendor) : content.title != nil && content.body != nil else {
                return nil
            }
        }
        content.data = members.filter { !PushData.headerKeys.contains($0.key) && !PushData.appleKeys.contains($0.key) }
        return body(vendor, content, own: own.isEmpty ? nil : .object(own), tag: push.objectID, reportedAs: nil)
    }

    /// The keys of LeanCloud's content; every other key under a vendor's name is the vendor's.
    private static let words: Set<String> = [
        "alert", "title", "silent", "action", "sound", "badge", "collapse-id", PushData.notificationChannel,
    ]
}
