package import Base

/// The fields of a message; unset fields are nil.
package struct MessageContent: Hashable, Sendable {
    /// The first line.
    package var title: LocalizableText?
    /// The second line.
    package var subtitle: LocalizableText?
    package var body: LocalizableText?
    /// The number on the icon.
    package var badge: Badge?
    package var sound: Sound?
    /// The category of actions.
    package var category: String?
    /// The key that groups notifications.
    package var threadId: String?
    /// The window to bring forward.
    package var targetContentId: String?
    package var launchImage: String?
    /// The criterion of a Focus filter.
    package var filterCriteria: String?
    package var interruptionLevel: InterruptionLevel?
    /// The relevance in the notification summary, from 0 to 1.
    package var relevanceScore: Double?
    /// True when the app's service extension may change the notification.
    package var mutableContent: Bool?
    /// True when the push wakes the app in the background.
    package var contentAvailable: Bool?
    /// The id under which notifications replace each other; at most 64 bytes.
    package var collapseId: String?
    /// The priority: 10, 5 or 1.
    package var priority: Int?
    /// Apple's push type; nil when not written.
    package var pushType: PushType?
    /// The change to a Live Activity.
    package var liveActivity: LiveActivity?
    /// Custom keys next to `aps`.
    package var data: JSONObject?
    /// The custom key that carries the delivery id.
    package var deliveryKey: String?
    /// Android: true when the message is passed to the app without a notification.
    package var silent: Bool?
    /// Android: the intent's action.
    package var action: String?
    /// Android: the notification channel.
    package var channel: String?

    /// Creates an empty content.
    package init() {}

    /// This content, overridden by the fields that `other` sets; `data` is merged key by key.
    package func overridden(by other: MessageContent) -> MessageContent {
        Self.android.overridden(self, by: other)
    }

    /// True when a device would show, play or count something.
    package var isVisible: Bool {
        title != nil || subtitle != nil || body != nil || badge != nil || sound != nil
    }

    /// The push type: the one written; else `liveactivity` for a Live Activity, `background` when only
    /// `contentAvailable` and `data` are given, and `alert` for everything else.
    package var effectivePushType: PushType {
        if let pushType { return pushType }
        if liveActivity != nil { return .liveactivity }
        return contentAvailable == true && !isVisible && isOnlyBackground ? .background : .alert
    }

    /// The priority: the one written; else 5 for `background`, 10 for everything else.
    package var effectivePriority: Int { priority ?? (effectivePushType == .background ? 5 : 10) }

    private var isOnlyBackground: Bool {
        category == nil && threadId == nil && targetContentId == nil && launchImage == nil && filterCriteria == nil
            && interruptionLevel == nil && relevanceScore == nil && mutableContent != true
    }
}

/// The fields of a message, in the order in which they are hashed. Pending pushes are compared by that hash: another
/// order would give another hash.
///
/// A new field needs a property of ``MessageContent``, a case and its row; each encoder must say what it does with it.
package enum ContentField: String, CaseIterable, Sendable {
    case title, subtitle, body, badge, sound, category, threadId, targetContentId, launchImage, filterCriteria
    case interruptionLevel, relevanceScore, mutableContent, contentAvailable, collapseId, priority, pushType
    case liveActivity, data, deliveryKey, silent, action, channel

    /// True for a field that belongs under `android` only.
    package var isAndroidOnly: Bool { self == .silent || self == .action || self == .channel }

    /// True for a field that a language may have of its own.
    package var mayDifferByLanguage: Bool {
        switch self {
        case .title, .subtitle, .body, .sound, .launchImage, .data: true
        case .badge, .category, .threadId, .targetContentId, .filterCriteria, .interruptionLevel, .relevanceScore,
            .mutableContent, .contentAvailable, .collapseId, .priority, .pushType, .liveActivity, .deliveryKey, .silent,
            .action, .channel:
            false
        }
    }

    fileprivate var row: FieldRow<MessageContent> {
        switch self {
        case .title: row(.localizable, "The first line", "标题", { $0.title }, { $0.title = $1 })
        case .subtitle: row(.localizable, "The second line", "副标题", { $0.subtitle }, { $0.subtitle = $1 })
        case .body: row(.localizable, "The text", "正文", { $0.body }, { $0.body = $1 })
        case .badge:
            row(
                .badge, "The number on the app's icon; 0 removes it, increment adds one to the device's own",
                "应用图标上的角标数字；0 清除角标，increment 在设备当前数字上加一", { $0.badge }, { $0.badge = $1 })
        case .sound:
            row(.sound, "A sound of the app, or default", "应用自带的提示音，或 default", { $0.sound }, { $0.sound = $1 })
        case .category:
            row(.text, "The category of actions", "通知操作按钮的类别（category）", { $0.category }, { $0.category = $1 })
        case .threadId: row(.text, "Groups notifications in the list", "通知分组的依据", { $0.threadId }, { $0.threadId = $1 })
        case .targetContentId:
            row(.text, "The window to bring forward", "要带到前台的窗口", { $0.targetContentId }, { $0.targetContentId = $1 })
        case .launchImage: row(.text, "The launch image", "启动图", { $0.launchImage }, { $0.launchImage = $1 })
        case .filterCriteria:
            row(.text, "The criterion of a Focus filter", "专注模式过滤条件", { $0.filterCriteria }, { $0.filterCriteria = $1 })
        case .interruptionLevel:
            row(
                .choice(InterruptionLevel.self), "The interruption level", "打扰级别", { $0.interruptionLevel },
                { $0.interruptionLevel = $1 })
        case .relevanceScore:
            row(
                .unit, "The rank in the notification summary", "通知摘要中的排序依据", { $0.relevanceScore },
                { $0.relevanceScore = $1 })
        case .mutableContent:
            row(
                .flag, "Lets the app's service extension change it",
                "是否允许应用的 Notification Service Extension 修改内容", { $0.mutableContent }, { $0.mutableContent = $1 })
        case .contentAvailable:
            row(
                .flag, "Wakes the app in the background", "是否在后台唤醒应用（静默推送）", { $0.contentAvailable },
                { $0.contentAvailable = $1 })
        case .collapseId:
            row(
                .text(1...64), "Notifications of one id replace each other; at most 64 bytes", "相同 id 的通知互相替换；最长 64 字节",
                { $0.collapseId }, { $0.collapseId = $1 })
        case .priority:
            row(
                .integer(.oneOfIntegers([10, 5, 1])), default: "5 for background, else 10",
                "10: at once; 5: as power allows; 1: never wakes the device", "10：立即送达；5：视电量情况；1：从不唤醒设备",
                { $0.priority }, { $0.priority = $1 })
        case .pushType:
            row(
                .choice(PushType.self),
                default:
                    "liveactivity with liveActivity, background when only contentAvailable and data are given, else alert",
                "Apple's push type; it adds its suffix to the topic", "Apple 的推送类型；会在 Topic 后加上对应的后缀", { $0.pushType },
                { $0.pushType = $1 })
        case .liveActivity:
            row(
                .liveActivity, "A Live Activity's event and content; title, body and sound are its alert",
                "对实时活动做什么；title、body、sound 是随之出现的提醒", { $0.liveActivity }, { $0.liveActivity = $1 })
        case .data:
            row(
                .members(keys: .customKey), "Custom keys beside aps", "与 aps 并列的自定义字段", { $0.data }, { $0.data = $1 },
                merge: { $0.merging($1) { $1 } })
        case .deliveryKey:
            row(
                .name(.customKey), "The custom key for the delivery id, so that the app can report opens",
                "携带投递 id 的自定义字段名，供应用上报打开情况", { $0.deliveryKey }, { $0.deliveryKey = $1 })
        case .silent:
            row(
                .flag, default: "false", "Passed to the app without a notification", "透传给应用，不显示通知", { $0.silent },
                { $0.silent = $1 })
        case .action: row(.text, "The intent's action", "Intent 的 action", { $0.action }, { $0.action = $1 })
        case .channel:
            row(.text, "The notification channel", "通知渠道（Notification Channel）", { $0.channel }, { $0.channel = $1 })
        }
    }

    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    private func row<Value>(
        _ form: FieldForm<Value>, default: String? = nil, _ sentence: String, _ chinese: String,
        _ get: @escaping @Sendable (MessageContent) -> Value?,
        _ set: @escaping @Sendable (inout MessageContent, Value) -> Void,
        merge: (@Sendable (Value, Value) -> Value)? = nil
    ) -> FieldRow<MessageContent> {
        FieldRow(rawValue, form, default: `default`, sentence, chinese, get, set, merge: merge)
    }
}

extension MessageContent {
    static let common = FieldTable(Message.fields, blank: MessageContent(), sharedRows)
    static let ios = FieldTable<Self>(
        MapDescription(
            "Campaign.message.ios", "Overrides for iOS", "iOS 上的不同之处",
            elsewhere: androidFields.merging(ownFields) { $1 }, sharedRows.map(\.spec)), blank: MessageContent(),
        sharedRows)
    /// The fields of a message's `android`: all of them.
    package static let android = FieldTable<Self>(
        MapDescription(
            "Campaign.message.android", "Overrides for Android", "Android 上的不同之处", elsewhere: ownFields,
            rows.map(\.spec)),
        blank: MessageContent(), rows)

    /// The fields of a language: the words, the sound that may speak them, and the app's own keys.
    static let language = FieldTable<Self>(
        MapDescription(
            "Campaign.message.languages", "Overrides for a language", "某种语言的不同之处",
            elsewhere: sameForAll("every language"), languageRows.map(\.spec)), blank: MessageContent(), languageRows)

    /// The ends of the messages for fields that are the same in all languages or variants.
    static func sameForAll(_ kind: String) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: ContentField.allCases.filter { !$0.mayDifferByLanguage && !$0.isAndroidOnly }.map {
                ($0.rawValue, "; it belongs in 'message': it is the same in \(kind)")
            }
        ).merging(androidFields) { $1 }
    }

    /// The fields that a language may have.
    package static var languageFields: MapDescription { language.description }

    static let languageRows = ContentField.allCases.filter(\.mayDifferByLanguage).map(\.row)
    private static let rows = ContentField.allCases.map(\.row)
    static let sharedRows = ContentField.allCases.filter { !$0.isAndroidOnly }.map(\.row)

    /// The fields for Android only, each with the end of the message for one that is misplaced.
    static let androidFields = Dictionary(
        uniqueKeysWithValues: ContentField.allCases.filter(\.isAndroidOnly).map {
            ($0.rawValue, "; it belongs in 'android'")
        })
    private static let ownFields = Dictionary(
        uniqueKeysWithValues: ["ios", "android", "vendors"].map { ($0, "; it belongs in 'message' itself") })

    /// The value of a field; nil when it is not set.
    package func value(of field: ContentField) -> FieldValue? { Self.rows[field.place].value(self) }
}

extension FieldForm<LocalizableText> {
    /// A text, or the key of one that the app has localized.
    static let localizable = FieldForm(
        type: .either([.text, .map(LocalizedKey.fields.description)]),
        read: { value in
            if case .text(let text) = value { return .text(text) }
            return value.fields.flatMap(LocalizedKey.fields.record).map {
                .localized(key: $0.key, arguments: $0.arguments)
            }
        },
        write: { text in
            switch text {
            case .text(let text): .text(text)
            case .localized(let key, let arguments):
                .fields(LocalizedKey.fields.values(of: LocalizedKey(key: key, arguments: arguments)))
            }
        },
        hash: { text, name, writer in
            switch text {
            case .text(let text): writer.write(name, text)
            case .localized(let key, let arguments):
                writer.group(name) { LocalizedKey.fields.hash(LocalizedKey(key: key, arguments: arguments), to: &$0) }
            }
        })
}

/// A text that the app has localized, as written in a file.
package struct LocalizedKey: Sendable {
    var key: String
    var arguments: [String]

    package static let fields = FieldTable<Self>(
        "text", "A text that the app has localized", "由应用本地化的文本", blank: LocalizedKey(key: "", arguments: []),
        [
            FieldRow(
                required: "key", .text, "The key in the app's Localizable.strings", "应用的 Localizable.strings 中的键",
                { $0.key }, { $0.key = $1 }),
            FieldRow(
                "args", .list(.list(of: .text(FieldType.anyCount), ListRule(allowsRepeats: true))),
                "The values of the text's placeholders", "填入文本占位符的值", unless: [], { $0.arguments },
                { $0.arguments = $1 }),
        ])
}

extension FieldForm<Badge> {
    /// A number, or `increment`.
    static let badge = FieldForm(
        type: .either([.integer(FieldType.anyCount), .constant("increment")]),
        read: { value in
            if case .integer(let number) = value { .number(number) } else { .increment }
        },
        write: { badge in
            switch badge {
            case .number(let number): .integer(number)
            case .increment: .text("increment")
            }
        },
        hash: { badge, name, writer in
            switch badge {
            case .number(let number): writer.write(name, number)
            case .increment: writer.write(name, "increment")
            }
        })
}

extension FieldForm<Sound> {
    /// The name of a sound, or a mapping with its details.
    static let sound = FieldForm(
        type: .either([.text, .map(DetailedSound.fields.description)]),
        read: { value in
            if case .text(let name) = value { return .name(name) }
            return value.fields.flatMap(DetailedSound.fields.record).map {
                .detailed(name: $0.name, critical: $0.critical, volume: $0.volume)
            }
        },
        write: { sound in
            switch sound {
            case .name(let name): .text(name)
            case .detailed(let name, let critical, let volume):
                .fields(DetailedSound.fields.values(of: DetailedSound(name: name, critical: critical, volume: volume)))
            }
        },
        hash: { sound, name, writer in
            switch sound {
            case .name(let sound): writer.write(name, sound)
            case .detailed(let sound, let critical, let volume):
                // As they were hashed before sounds had a table.
                writer.write("soundName", sound)
                writer.write("critical", critical)
                writer.write("volume", volume)
            }
        })
}

/// A sound with the options of a critical alert, as files and plans write it.
struct DetailedSound: Sendable {
    var name: String
    var critical: Bool
    var volume: Double?

    static let fields = FieldTable<Self>(
        "sound", "The sound of a critical alert", "重要警告的提示音", blank: DetailedSound(name: "", critical: false),
        [
            FieldRow(
                required: "name", .text, "A sound of the app, or default", "应用自带的提示音，或 default", { $0.name },
                { $0.name = $1 }),
            FieldRow(
                "critical", .flag, default: "false", "Plays although the device is muted", "静音时是否也响",
                unless: false, { $0.critical }, { $0.critical = $1 }),
            FieldRow("volume", .unit, "The volume", "音量", { $0.volume }, { $0.volume = $1 }),
        ])
}

extension FieldForm<LiveActivity> {
    /// The change to a Live Activity, hashed as Apple gets it.
    static let liveActivity = FieldForm(
        type: map(LiveActivity.fields).type, read: map(LiveActivity.fields).read, write: map(LiveActivity.fields).write,
        hash: { $2.write($1, .object($0.apsFields)) })
}
