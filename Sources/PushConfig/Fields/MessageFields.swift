internal import JSONValue
internal import PushModel

/// The fields of a campaign's `message` and of its overrides for a platform.
package enum MessageField: Int, FieldKey {
    case title, subtitle, body, badge, sound, category, threadId, targetContentId, launchImage, filterCriteria
    case interruptionLevel, relevanceScore, mutableContent, contentAvailable, collapseId, priority, pushType
    case liveActivity, data, deliveryKey, silent, action, channel, ios, android, vendors

    package static let table = FieldTable<Self>("Campaign.message", "What a device shows", "设备上显示的内容")

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
                name: "Campaign.message", documentation: "What it shows", chinese: "显示什么", fields: fields, rules: rules)
        case .ios:
            return MapDescription(
                name: "Campaign.message.ios", documentation: "What differs on iOS", chinese: "iOS 上的不同之处",
                fields: fields, rules: [])
        case .android:
            return MapDescription(
                name: "Campaign.message.android", documentation: "What differs on Android", chinese: "Android 上的不同之处",
                fields: fields, rules: [])
        }
    }

    package var spec: FieldSpec {
        switch self {
        case .title: FieldSpec("title", Self.localizable, "The first line", "标题")
        case .subtitle: FieldSpec("subtitle", Self.localizable, "The second line", "副标题")
        case .body: FieldSpec("body", Self.localizable, "The text", "正文")
        case .badge:
            FieldSpec(
                "badge", .either([.integer(FieldType.anyCount), .constant("increment")]),
                "The number on the app's icon; 0 removes it, increment adds one to the device's own",
                "应用图标上的角标数字；0 清除角标，increment 在设备当前数字上加一")
        case .sound:
            FieldSpec(
                "sound", .either([.text, .map(SoundField.table.description)]), "A sound of the app, or default",
                "应用自带的提示音，或 default")
        case .silent:
            FieldSpec(
                "silent", .boolean, .byDefault("false"), "Passed to the app without a notification", "透传给应用，不显示通知")
        case .action: FieldSpec("action", .text, "The intent's action", "Intent 的 action")
        case .channel: FieldSpec("channel", .text, "The notification channel", "通知渠道（Notification Channel）")
        case .ios: FieldSpec("ios", .map(Self.description(for: .ios)), "What differs on iOS", "iOS 上的不同之处")
        case .android:
            FieldSpec("android", .map(Self.description(for: .android)), "What differs on Android", "Android 上的不同之处")
        case .vendors:
            FieldSpec(
                "vendors", .map(VendorField.table.description), "Passed through to LeanCloud's content for a vendor",
                "原样传给 LeanCloud 对应厂商通道的内容")
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
        case .category: FieldSpec("category", .text, "The category of actions", "通知操作按钮的类别（category）")
        case .threadId: FieldSpec("threadId", .text, "What groups notifications", "通知分组的依据")
        case .targetContentId: FieldSpec("targetContentId", .text, "The window brought forward", "要带到前台的窗口")
        case .launchImage: FieldSpec("launchImage", .text, "The launch image", "启动图")
        case .filterCriteria: FieldSpec("filterCriteria", .text, "The criterion of a Focus filter", "专注模式过滤条件")
        case .interruptionLevel:
            FieldSpec(
                "interruptionLevel", .choice(InterruptionLevel.allCases.map(\.rawValue)), "How it interrupts", "打扰级别")
        case .relevanceScore: FieldSpec("relevanceScore", .number(0...1), "What the summary sorts by", "通知摘要中的排序依据")
        case .mutableContent:
            FieldSpec(
                "mutableContent", .boolean, "Whether the app's service extension may change it",
                "是否允许应用的 Notification Service Extension 修改内容")
        case .contentAvailable:
            FieldSpec("contentAvailable", .boolean, "Whether the app is woken in the background", "是否在后台唤醒应用（静默推送）")
        case .collapseId:
            FieldSpec(
                "collapseId", .text(1...64), "Notifications of one id replace each other; at most 64 bytes",
                "相同 id 的通知互相替换；最长 64 字节")
        case .priority:
            FieldSpec(
                "priority", .oneOfIntegers([10, 5, 1]), .byDefault("5 for background, else 10"),
                "10: at once; 5: as power allows; 1: never wakes the device", "10：立即送达；5：视电量情况；1：从不唤醒设备")
        case .pushType:
            FieldSpec(
                "pushType", .choice(PushType.allCases.map(\.rawValue)),
                .byDefault(
                    "liveactivity with liveActivity, background when only contentAvailable and data are given, "
                        + "else alert"),
                "Apple's push type; it adds its suffix to the topic", "Apple 的推送类型；会在 Topic 后加上对应的后缀")
        case .liveActivity:
            FieldSpec(
                "liveActivity", .map(LiveActivityField.table.description),
                "What happens to a Live Activity; title, body and sound are its alert",
                "对实时活动做什么；title、body、sound 是随之出现的提醒")
        case .data: FieldSpec("data", .object(keys: .customKey), "Custom keys beside aps", "与 aps 并列的自定义字段")
        case .deliveryKey:
            FieldSpec(
                "deliveryKey", .name(.customKey),
                "The custom key that bears the delivery id, so that the app can report opens",
                "携带投递 id 的自定义字段名，供应用上报打开情况")
        case .title, .subtitle, .body, .badge, .sound, .silent, .action, .channel, .ios, .android, .vendors: spec
        }
    }
}

/// The fields of a text that the app has localized.
package enum LocalizableField: Int, FieldKey {
    case key, args

    package static let table = FieldTable<Self>("text", "A text that the app has localized", "由应用本地化的文本")

    package var spec: FieldSpec {
        switch self {
        case .key:
            FieldSpec(
                "key", .text, .required, "The key in the app's Localizable.strings", "应用的 Localizable.strings 中的键")
        case .args:
            FieldSpec(
                "args", .list(of: .text(FieldType.anyCount), ListRule(allowsRepeats: true)),
                "What fills the text's places", "填入文本占位符的值")
        }
    }
}

/// The fields of a message's `liveActivity`.
package enum LiveActivityField: Int, FieldKey {
    case event, contentState, attributesType, attributes, timestamp, staleDate, dismissalDate, inputPushToken

    package static let table = FieldTable<Self>(
        "Campaign.message.liveActivity", "What happens to a Live Activity", "对实时活动做什么", rules: rules)

    package var spec: FieldSpec {
        switch self {
        case .event:
            FieldSpec("event", .choice(LiveActivity.Event.allCases.map(\.rawValue)), .required, "What happens", "事件")
        case .contentState:
            FieldSpec(
                "contentState", Self.values, "start and update, required: the dynamic values, as the app decodes",
                "start 与 update 必填：动态数据，结构与应用解码时一致")
        case .attributesType:
            FieldSpec(
                "attributesType", .text, "start, required: the app's type of the fixed values", "start 必填：固定数据在应用中的类型名")
        case .attributes: FieldSpec("attributes", Self.values, "start, required: the fixed values", "start 必填：固定数据")
        case .timestamp:
            FieldSpec(
                "timestamp", .instant, .byDefault("when the delivery starts"), "Of several updates the latest counts",
                "多次更新以时间最晚的为准")
        case .staleDate: FieldSpec("staleDate", .instant, "From when on it is shown as out of date", "从何时起显示为已过时")
        case .dismissalDate:
            FieldSpec(
                "dismissalDate", .instant, "end: when it leaves the screen, at once if past", "end：何时从屏幕移除；已过去则立即移除")
        case .inputPushToken:
            FieldSpec(
                "inputPushToken", .boolean, .byDefault("false"), "start: whether it asks for a token to be updated by",
                "start：是否申请用于后续更新的 token")
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

    package static let table = FieldTable<Self>("sound", "The sound of a critical alert", "重要警告的提示音")

    package var spec: FieldSpec {
        switch self {
        case .name: FieldSpec("name", .text, .required, "A sound of the app, or default", "应用自带的提示音，或 default")
        case .critical:
            FieldSpec("critical", .boolean, .byDefault("false"), "Whether it sounds although muted", "静音时是否也响")
        case .volume: FieldSpec("volume", .number(0...1), "How loud", "音量")
        }
    }
}

/// The fields of a message's `vendors`.
package enum VendorField: Int, FieldKey {
    case mi, hms, mz, honor, vivo, oppo, fcm

    package static let table = FieldTable<Self>(
        "Campaign.message.vendors", "Passed through to LeanCloud's content for a vendor", "原样传给 LeanCloud 对应厂商通道的内容")

    package var spec: FieldSpec {
        switch self {
        case .mi: FieldSpec("mi", Self.content, "Xiaomi", "小米")
        case .hms: FieldSpec("hms", Self.content, "Huawei", "华为")
        case .mz: FieldSpec("mz", Self.content, "Meizu", "魅族")
        case .honor: FieldSpec("honor", Self.content, "Honor", "荣耀")
        case .vivo: FieldSpec("vivo", Self.content, "Vivo", "vivo")
        case .oppo: FieldSpec("oppo", Self.content, "OPPO", "OPPO")
        case .fcm: FieldSpec("fcm", Self.content, "Google", "Google")
        }
    }

    private static let content = FieldType.object(keys: .anyKey)
}
