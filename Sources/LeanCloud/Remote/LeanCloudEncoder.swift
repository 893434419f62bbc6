package import Base
package import Push

/// Builds the requests of `POST /push` and `POST /push/devices`, and reports what LeanCloud cannot do.
///
/// Source: LeanCloud, "推送 REST API 使用指南".
package struct LeanCloudEncoder: RequestEncoding {
    /// The size in bytes from which a request's body is refused.
    package static let limit = 4096

    /// Creates an encoder.
    package init() {}

    package let version = 1

    package func encode(_ draft: PushDraft) -> EncodedPush {
        let request = RequestEncoder(draft: draft).request
        var counted = request.body
        // 500 tokens alone are 33 KB: the limit can only apply to the rest.
        counted["device_ids"] = nil
        let bytes = counted.canonicalByteCount
        var findings = LeanCloudLimits(draft: draft).findings
        if bytes >= Self.limit {
            findings.append(
                PayloadSize.finding(
                    bytes: bytes, limit: Self.limit - 1, body: counted, what: "the request",
                    of: draft.campaign))
        }
        return EncodedPush(request: request, bytes: bytes, limit: Self.limit, findings: findings)
    }

    package func look(of message: Message, on platform: Platform, among platforms: Set<Platform>) -> NotificationLook {
        var look = NotificationLook(message, on: platform)
        // One request for both platforms: Android finds no text in Apple's raw form.
        if platform == .android, platforms.contains(.ios), message.content(for: .ios).needsRawForm {
            (look.title, look.body) = (nil, nil)
        }
        return look
    }

    package func findings(_ draft: PushDraft) -> [Diagnostic] {
        // The topic, ids, times and all parameter names together are smaller than this.
        let copies = draft.platforms.count == 1 ? 1 : 3
        let bound =
            1000 + draft.campaign.message.encodedBytesBound(copies: copies) + (draft.condition?.canonicalByteCount ?? 0)
        return bound < Self.limit ? LeanCloudLimits(draft: draft).findings : encode(draft).findings
    }
}

struct RequestEncoder {
    let draft: PushDraft

    private var campaign: Campaign { draft.campaign }
    private var apple: MessageContent { campaign.message.content(for: .ios) }
    private var id: JSONValue { .string(draft.notificationID.text) }

    var request: PushRequest {
        var body = common
        guard draft.listedDevices.isEmpty else {
            body.merge(devices) { $1 }
            return PushRequest(endpoint: .devices, body: .object(body))
        }
        body["where"] = draft.condition
        body["push_time"] = draft.scheduledAt.map { .string($0.isoText) }
        body["flow_control"] = campaign.throttlePerSecond.map {
            .integer(Int64(max($0, LeanCloudLimits.slowestThrottle)))
        }
        if draft.platforms.contains(.android) {
            body["_notificationChannel"] = campaign.message.content(for: .android).channel.map { .string($0) }
        }
        return PushRequest(endpoint: .push, body: .object(body))
    }

    /// The parameters that both calls take.
    private var common: JSONObject {
        var body: JSONObject = [
            "data": .object(DataLayout(draft: draft).data), "notification_id": id, "req_id": id,
            "prod": campaign.environment == .development ? "dev" : "prod",
        ]
        switch campaign.expiration {
        case .after(let duration): body["expiration_interval"] = .integer(duration.wholeSeconds)
        case .at(let time): body["expiration_time"] = .string(time.instant.isoText)
        case .never, nil: break
        }
        if draft.reachesApple, let profile = draft.profile, case .token(let teamId, _, _) = profile.credential {
            let suffix = apple.effectivePushType.topicSuffix
            body["topic"] = .string(profile.topic.hasSuffix(suffix) ? profile.topic : profile.topic + suffix)
            body["apns_team_id"] = .string(teamId)
        }
        return body
    }

    /// The parameters of the call by device only.
    private var devices: JSONObject {
        var body: JSONObject = [
            "device_type": .string((draft.reachesApple ? Platform.ios : .android).rawValue),
            "device_ids": .array(draft.listedDevices.map { .string($0) }),
        ]
        if let profile = draft.profile, profile.isSentByName, !profile.isDefault,
            campaign.audience.deviceProfile == profile.name
        {
            body["device_profile"] = .string(profile.installations)
        }
        if !draft.reachesApple {
            body["channel"] = campaign.message.content(for: .android).channel.map { .string($0) }
        }
        return body
    }
}

extension PushDraft {
    /// True when the audience can include an iOS device; other kinds of Apple devices count as one.
    var reachesApple: Bool { platforms.contains(.ios) || platforms.isEmpty }

    /// True when the audience can include an Android device.
    var reachesAndroid: Bool { platforms.contains(.android) }
}

/// Arranges a message in `data`.
///
/// Top-level keys apply to every platform; the documentation says that a platform's object overrides them, and in older
/// editions that it replaces them. Both readings give the same result here: a platform's object is always complete, and
/// the top level holds only what applies to every platform.
/// Source: LeanCloud, "推送 REST API 使用指南", 消息内容参数.
struct DataLayout {
    let draft: PushDraft

    /// The value of `data`.
    var data: JSONObject {
        let message = draft.campaign.message
        let apple = PlatformContent(content: message.content(for: .ios), id: draft.notificationID)
        guard draft.reachesApple else { return withVendors(android) }
        if apple.content.needsRawForm { return apple.raw }
        guard draft.reachesAndroid else { return apple.flat(splitsTitle: false) }
        return mixed(apple.flat(splitsTitle: true), message)
    }

    private var android: JSONObject {
        PlatformContent(content: draft.campaign.message.content(for: .android), id: draft.notificationID).android
    }

    /// Both platforms: flat if one text serves both, otherwise with an object for iOS, otherwise one for each.
    private func mixed(_ apple: JSONObject, _ message: Message) -> JSONObject {
        let android = self.android
        let isCommon = android.allSatisfy { apple[$0.key] == $0.value } && apple["alert"]?.object == nil
        if message.android == nil, message.ios == nil, isCommon { return withVendors(apple) }
        if message.android == nil, android.keys.allSatisfy({ apple[$0] != nil }) {
            return withVendors(android.merging(["ios": .object(apple)]) { $1 })
        }
        var data: JSONObject = [:]
        if !apple.isEmpty { data["ios"] = .object(apple) }
        if !android.isEmpty { data["android"] = .object(android) }
        guard !message.vendors.isEmpty else { return data }
        // A vendor's object overrides these.
        data["alert"] = android["alert"]
        if apple["title"] != nil { data["title"] = android["title"] }
        return withVendors(data)
    }

    private func withVendors(_ data: JSONObject) -> JSONObject {
        data.merging(draft.campaign.message.vendors) { $1 }
    }
}

struct PlatformContent {
    let content: MessageContent
    let id: DeliveryID

    /// iOS content in the flat form.
    ///
    /// With `splitsTitle`, a plain title is put beside a plain alert, so that other platforms read both.
    func flat(splitsTitle: Bool) -> JSONObject {
        var data = beside.merging(content.apsFields) { $1 }
        data["sound"] = sound
        data["badge"] = badge
        if splitsTitle, case .text(let body) = content.body, content.subtitle == nil, content.launchImage == nil,
            content.title?.plain == content.title
        {
            data["alert"] = .string(body)
            data["title"] = content.title?.string
        } else {
            data["alert"] = content.apsAlert
        }
        return data
    }

    /// iOS content in the raw form: `aps` in Apple's own spelling.
    var raw: JSONObject {
        var aps = content.apsFields
        aps["alert"] = content.apsAlert
        aps["badge"] = badge
        return beside.merging(["aps": .object(aps)]) { $1 }
    }

    var android: JSONObject {
        var data = custom
        data["alert"] = content.body?.string
        data["title"] = content.title?.string
        data["silent"] = content.silent.map { .bool($0) }
        data["action"] = content.action.map { .string($0) }
        return data
    }

    /// The members beside `aps`: headers and custom keys.
    private var beside: JSONObject {
        var data = custom
        data["collapse-id"] = content.collapseId.map { .string($0) }
        let type = content.effectivePushType
        if content.priority != nil || type == .background {
            data["apns-priority"] = .integer(Int64(content.effectivePriority))
        }
        if type != .alert { data["apns-push-type"] = .string(type.rawValue) }
        return data
    }

    private var custom: JSONObject {
        var data = content.data ?? [:]
        if let key = content.deliveryKey { data[key] = .string(id.text) }
        return data
    }

    private var badge: JSONValue? {
        switch content.badge {
        case .number(let number): .integer(Int64(number))
        case .increment: "Increment"
        case nil: nil
        }
    }

    /// The sound in LeanCloud's form: `critical` is a boolean there.
    private var sound: JSONValue? {
        switch content.sound {
        case .name(let name): return .string(name)
        case .detailed(let name, let critical, let volume):
            var sound: JSONObject = ["name": .string(name)]
            if critical { sound["critical"] = true }
            sound["volume"] = volume.map { .number($0) }
            return .object(sound)
        case nil: return nil
        }
    }
}

extension MessageContent {
    /// True when LeanCloud's flat form cannot express the content: unknown flat keys would reach the app as custom
    /// data.
    var needsRawForm: Bool {
        guard undocumentedFields.isEmpty else { return true }
        return switch effectivePushType {
        case .alert, .background: false
        case .voip, .complication, .fileprovider, .mdm, .location, .liveactivity, .pushtotalk, .widgets, .controls: true
        }
    }

    /// The fields that LeanCloud's documentation does not mention.
    var undocumentedFields: [ContentField] { ContentField.undocumented.filter { value(of: $0) != nil } }
}

extension ContentField {
    /// Those that LeanCloud takes, without a word in its documentation.
    fileprivate static let undocumented = allCases.filter { field in
        switch field {
        case .interruptionLevel, .relevanceScore, .filterCriteria: true
        case .title, .subtitle, .body, .badge, .sound, .category, .threadId, .targetContentId, .launchImage,
            .mutableContent, .contentAvailable, .collapseId, .priority, .pushType, .liveActivity, .data, .deliveryKey,
            .silent, .action, .channel:
            false
        }
    }
}

extension LocalizableText {
    /// The text itself, if it is not localized.
    fileprivate var plain: LocalizableText? { string == nil ? nil : self }

    /// The text as JSON, if it is not localized.
    var string: JSONValue? {
        switch self {
        case .text(let text): .string(text)
        case .localized: nil
        }
    }
}

extension DeviceProfile {
    /// True if a request names the profile: Apple's keys are named by topic and team.
    fileprivate var isSentByName: Bool { if case .token = credential { false } else { true } }
}
