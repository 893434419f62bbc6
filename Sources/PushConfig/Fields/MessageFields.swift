internal import JSONValue
internal import PushModel

/// The fields of a campaign's `message` and of its overrides for a platform.
package enum MessageField: Int, FieldKey {
    case title, subtitle, body, badge, sound, category, threadId, targetContentId, launchImage, filterCriteria
    case interruptionLevel, relevanceScore, mutableContent, contentAvailable, collapseId, priority, pushType
    case liveActivity, data, deliveryKey, silent, action, channel, ios, android, vendors

    package static let table = FieldTable<Self>("Campaign.message", "What a device shows")

    /// Where a message's fields stand.
    package enum Scope: Sendable, CaseIterable {
        /// In `message` itself.
        case common
        /// In `message.ios`.
        case ios
        /// In `message.android`.
        case android
    }

    /// Whether the field may stand there.
    package func isAllowed(in scope: Scope) -> Bool {
        switch self {
        case .title, .subtitle, .body, .badge, .sound, .category, .threadId, .targetContentId, .launchImage,
            .filterCriteria, .interruptionLevel, .relevanceScore, .mutableContent, .contentAvailable, .collapseId,
            .priority, .pushType, .liveActivity, .data, .deliveryKey:
            true
        case .silent, .action, .channel: scope == .android
        case .ios, .android, .vendors: scope == .common
        }
    }

    /// The mapping as the schema and the reference show it.
    package static func description(for scope: Scope) -> MapDescription {
        let fields = allCases.filter { $0.isAllowed(in: scope) }.map(\.spec)
        switch scope {
        case .common:
            return MapDescription(
                name: "Campaign.message", documentation: "What it shows", fields: fields, rules: rules)
        case .ios:
            return MapDescription(
                name: "Campaign.message.ios", documentation: "What differs on iOS", fields: fields, rules: [])
        case .android:
            return MapDescription(
                name: "Campaign.message.android", documentation: "What differs on Android", fields: fields, rules: [])
        }
    }

    package var spec: FieldSpec {
        switch self {
        case .title: FieldSpec("title", Self.localizable, "The first line")
        case .subtitle: FieldSpec("subtitle", Self.localizable, "The second line")
        case .body: FieldSpec("body", Self.localizable, "The text")
        case .badge:
            FieldSpec(
                "badge", .either([.integer(FieldType.anyCount), .constant("increment")]),
                "The number on the app's icon; 0 removes it, increment adds one to the device's own")
        case .sound:
            FieldSpec(
                "sound", .either([.text, .map(SoundField.table.description)]), "A sound of the app, or default")
        case .silent:
            FieldSpec("silent", .boolean, .byDefault("false"), "Passed to the app without a notification")
        case .action: FieldSpec("action", .text, "The intent's action")
        case .channel: FieldSpec("channel", .text, "The notification channel")
        case .ios: FieldSpec("ios", .map(Self.description(for: .ios)), "What differs on iOS")
        case .android: FieldSpec("android", .map(Self.description(for: .android)), "What differs on Android")
        case .vendors:
            FieldSpec(
                "vendors", .map(VendorField.table.description), "Passed through to LeanCloud's content for a vendor")
        case .category, .threadId, .targetContentId, .launchImage, .filterCriteria, .interruptionLevel,
            .relevanceScore, .mutableContent, .contentAvailable, .collapseId, .priority, .pushType, .liveActivity,
            .data, .deliveryKey:
            detailSpec
        }
    }

    private static let localizable = FieldType.either([.text, .map(LocalizableField.table.description)])
}

extension MessageField {
    private var detailSpec: FieldSpec {
        switch self {
        case .category: FieldSpec("category", .text, "The category of actions")
        case .threadId: FieldSpec("threadId", .text, "What groups notifications")
        case .targetContentId: FieldSpec("targetContentId", .text, "The window brought forward")
        case .launchImage: FieldSpec("launchImage", .text, "The launch image")
        case .filterCriteria: FieldSpec("filterCriteria", .text, "The criterion of a Focus filter")
        case .interruptionLevel:
            FieldSpec(
                "interruptionLevel", .choice(InterruptionLevel.allCases.map(\.rawValue)), "How it interrupts")
        case .relevanceScore: FieldSpec("relevanceScore", .number(0...1), "What the summary sorts by")
        case .mutableContent: FieldSpec("mutableContent", .boolean, "Whether the app's service extension may change it")
        case .contentAvailable: FieldSpec("contentAvailable", .boolean, "Whether the app is woken in the background")
        case .collapseId:
            FieldSpec("collapseId", .text(1...64), "Notifications of one id replace each other; at most 64 bytes")
        case .priority:
            FieldSpec(
                "priority", .oneOfIntegers([10, 5, 1]), .byDefault("5 for background, else 10"),
                "10: at once; 5: as power allows; 1: never wakes the device")
        case .pushType:
            FieldSpec(
                "pushType", .choice(PushType.allCases.map(\.rawValue)),
                .byDefault(
                    "liveactivity with liveActivity, background when only contentAvailable and data are given, "
                        + "else alert"),
                "Apple's push type; it adds its suffix to the topic")
        case .liveActivity:
            FieldSpec(
                "liveActivity", .map(LiveActivityField.table.description),
                "What happens to a Live Activity; title, body and sound are its alert")
        case .data: FieldSpec("data", .object(keys: .customKey), "Custom keys beside aps")
        case .deliveryKey:
            FieldSpec(
                "deliveryKey", .name(.customKey),
                "The custom key that bears the delivery id, so that the app can report opens")
        case .title, .subtitle, .body, .badge, .sound, .silent, .action, .channel, .ios, .android, .vendors: spec
        }
    }
}

/// The fields of a text that the app has localized.
package enum LocalizableField: Int, FieldKey {
    case key, args

    package static let table = FieldTable<Self>("text", "A text that the app has localized")

    package var spec: FieldSpec {
        switch self {
        case .key: FieldSpec("key", .text, .required, "The key in the app's Localizable.strings")
        case .args:
            FieldSpec(
                "args", .list(of: .text(FieldType.anyCount), ListRule(allowsRepeats: true)),
                "What fills the text's places")
        }
    }
}

/// The fields of a message's `liveActivity`.
package enum LiveActivityField: Int, FieldKey {
    case event, contentState, attributesType, attributes, timestamp, staleDate, dismissalDate, inputPushToken

    package static let table = FieldTable<Self>(
        "Campaign.message.liveActivity", "What happens to a Live Activity", rules: rules)

    package var spec: FieldSpec {
        switch self {
        case .event: FieldSpec("event", .choice(LiveActivity.Event.allCases.map(\.rawValue)), .required, "What happens")
        case .contentState:
            FieldSpec("contentState", Self.values, "start and update, required: the dynamic values, as the app decodes")
        case .attributesType:
            FieldSpec("attributesType", .text, "start, required: the app's type of the fixed values")
        case .attributes: FieldSpec("attributes", Self.values, "start, required: the fixed values")
        case .timestamp:
            FieldSpec(
                "timestamp", .instant, .byDefault("when the delivery starts"), "Of several updates the latest counts")
        case .staleDate: FieldSpec("staleDate", .instant, "From when on it is shown as out of date")
        case .dismissalDate: FieldSpec("dismissalDate", .instant, "end: when it leaves the screen, at once if past")
        case .inputPushToken:
            FieldSpec(
                "inputPushToken", .boolean, .byDefault("false"), "start: whether it asks for a token to be updated by")
        }
    }

    /// The fields that an event must have.
    static func required(by event: LiveActivity.Event) -> [Self] {
        switch event {
        case .start: [.contentState, .attributesType, .attributes]
        case .update: [.contentState]
        case .end: []
        }
    }

    private static var rules: [FieldRule] {
        LiveActivity.Event.allCases.map { event in
            let foreign = allCases.filter { $0.owner.map { $0 != event } ?? false }
            return .when(
                .equals(["event"], .string(event.rawValue)),
                .allOf(required(by: event).map { .has([$0.spec.name]) } + [.lacks(foreign.map(\.spec.name))]))
        }
    }

    /// The one event that the field belongs to; nil: all.
    var owner: LiveActivity.Event? {
        switch self {
        case .attributesType, .attributes, .inputPushToken: .start
        case .dismissalDate: .end
        case .event, .contentState, .timestamp, .staleDate: nil
        }
    }

    private static let values = FieldType.object(keys: .anyKey)
}

/// The fields of a critical alert's sound.
package enum SoundField: Int, FieldKey {
    case name, critical, volume

    package static let table = FieldTable<Self>("sound", "The sound of a critical alert")

    package var spec: FieldSpec {
        switch self {
        case .name: FieldSpec("name", .text, .required, "A sound of the app, or default")
        case .critical: FieldSpec("critical", .boolean, .byDefault("false"), "Whether it sounds although muted")
        case .volume: FieldSpec("volume", .number(0...1), "How loud")
        }
    }
}

/// The fields of a message's `vendors`.
package enum VendorField: Int, FieldKey {
    case mi, hms, mz, honor, vivo, oppo, fcm

    package static let table = FieldTable<Self>(
        "Campaign.message.vendors", "Passed through to LeanCloud's content for a vendor")

    package var spec: FieldSpec {
        switch self {
        case .mi: FieldSpec("mi", Self.content, "Xiaomi")
        case .hms: FieldSpec("hms", Self.content, "Huawei")
        case .mz: FieldSpec("mz", Self.content, "Meizu")
        case .honor: FieldSpec("honor", Self.content, "Honor")
        case .vivo: FieldSpec("vivo", Self.content, "Vivo")
        case .oppo: FieldSpec("oppo", Self.content, "OPPO")
        case .fcm: FieldSpec("fcm", Self.content, "Google")
        }
    }

    private static let content = FieldType.object(keys: .anyKey)
}
