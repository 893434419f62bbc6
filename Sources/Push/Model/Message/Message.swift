package import Base

/// The content of a campaign, with overrides per platform.
///
/// An immutable object: it is most of a campaign, and campaigns are copied by the tens of thousands.
package final class Message: Sendable {
    /// The content for every platform.
    package let common: MessageContent
    /// The overrides for platforms; a table, because most messages have none and a content is large.
    private let overrides: [Platform: MessageContent]
    /// Passed through to LeanCloud's per-vendor content: `mi hms mz honor vivo oppo fcm`.
    package let vendors: JSONObject
    /// The words in other languages, by the names of these; the message itself is for everybody else.
    package let languages: [MessageLanguage]

    package init(
        common: MessageContent, ios: MessageContent? = nil, android: MessageContent? = nil,
        vendors: JSONObject = [:], languages: [MessageLanguage] = []
    ) {
        self.common = common
        self.languages = languages.sorted { $0.name < $1.name }
        overrides = ios == nil && android == nil ? [:] : [Platform.ios: ios, .android: android].compactMapValues { $0 }
        self.vendors = vendors
    }

    /// The overrides for iOS.
    package var ios: MessageContent? { overrides[.ios] }
    /// The overrides for Android.
    package var android: MessageContent? { overrides[.android] }

    /// The content as one platform sees it.
    package func content(for platform: Platform) -> MessageContent {
        overrides[platform].map(common.overridden(by:)) ?? common
    }

    /// The contents as one platform sees them: the message itself, and one for each language, in the order of their
    /// numbers.
    package func forms(for platform: Platform) -> [MessageContent] {
        let own = content(for: platform)
        return [own] + languages.map { own.overridden(by: $0.content) }
    }

    /// The message as devices of one of its languages get it.
    package func speaking(_ language: MessageLanguage) -> Message {
        Message(
            common: common.overridden(by: language.content), ios: ios?.overridden(by: language.content),
            android: android?.overridden(by: language.content), vendors: vendors)
    }

    /// The choice of a language for a device.
    package var lookup: LanguageLookup { LanguageLookup(languages.map(\.name)) }

    /// The names of the first two languages that are the same one; nil when all differ.
    package var twins: (String, String)? { lookup.twins }
}

/// A message's words in another language.
package struct MessageLanguage: Hashable, Sendable {
    /// The language, as files write it.
    package let name: String
    /// The fields that differ.
    package let content: MessageContent
}

extension Message: Equatable {
    /// True when two messages have the same content.
    package static func == (left: Message, right: Message) -> Bool {
        left === right
            || left.common == right.common && left.overrides == right.overrides && left.vendors == right.vendors
                && left.languages == right.languages
    }
}

/// Text, or the key of a text that the app has localized.
package enum LocalizableText: Hashable, Sendable {
    case text(String)
    /// A key of the app's `Localizable.strings`, with the arguments for its placeholders.
    case localized(key: String, arguments: [String])

    /// The text, or the key with its arguments: `SCORE(Giants, 2)`.
    package var shownText: String {
        switch self {
        case .text(let text): text
        case .localized(let key, let arguments):
            arguments.isEmpty ? key : "\(key)(\(arguments.joined(separator: ", ")))"
        }
    }
}

/// The number on the app's icon.
package enum Badge: Hashable, Sendable {
    /// This number; 0 removes the badge.
    case number(Int)
    /// One more than the installation's badge.
    case increment
}

/// The sound of a notification.
package enum Sound: Hashable, Sendable {
    /// A file in the app's bundle, or `default`.
    case name(String)
    /// A sound with the options of a critical alert; `volume` is from 0 to 1.
    case detailed(name: String, critical: Bool, volume: Double?)
}

/// The degree to which a notification interrupts.
package enum InterruptionLevel: String, Hashable, Sendable, CaseIterable {
    /// Goes to the list without lighting the screen.
    case passive
    /// The default.
    case active
    /// Breaks through a Focus if the app is allowed to.
    case timeSensitive
    /// Breaks through everything if the app is allowed to.
    case critical

    /// Apple's spelling.
    package var apnsValue: String { self == .timeSensitive ? "time-sensitive" : rawValue }
}

/// Apple's push types, with their requirements for topic, priority and size.
///
/// Source: "Sending notification requests to APNs".
package enum PushType: String, Hashable, Sendable, CaseIterable {
    /// A visible notification.
    case alert
    /// A silent notification.
    case background
    /// VoIP calls.
    case voip
    case complication
    /// File Provider extensions.
    case fileprovider
    /// Device management.
    case mdm
    case location
    /// Live Activities.
    case liveactivity
    case pushtotalk
    case widgets
    case controls

    /// The suffix that is appended to the bundle id.
    package var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    /// The most payload bytes that Apple accepts.
    package var payloadLimit: Int { self == .voip ? 5120 : 4096 }
}

// MARK: - Topic

extension PushType {
    /// The push type that a topic's suffix belongs to; nil when the topic ends in none.
    package init?(ofTopic topic: String) {
        guard let type = Self.allCases.first(where: { !$0.topicSuffix.isEmpty && topic.hasSuffix($0.topicSuffix) })
        else { return nil }
        self = type
    }

    /// True when a profile with this topic may push this type: the topic ends in no suffix, or in this type's.
    package func fits(topic: String) -> Bool {
        PushType(ofTopic: topic).map { $0 == self } ?? true
    }

    /// The app's bundle id: the topic of a profile without this type's suffix.
    package func bundleID(of topic: String) -> String {
        topicSuffix.isEmpty || !topic.hasSuffix(topicSuffix) ? topic : String(topic.dropLast(topicSuffix.count))
    }

    /// `apns-topic`: the topic of a profile, with this type's suffix unless it is already there.
    package func apnsTopic(of topic: String) -> String { bundleID(of: topic) + topicSuffix }
}

// MARK: - Path

extension Message {
    /// The path of the first text with a place for a device's value; nil when the same is said to everybody.
    package var personalPath: [FieldPathElement]? {
        let contents: [([FieldPathElement], MessageContent?)] =
            [(["message"], common), (["message", "ios"], ios), (["message", "android"], android)]
            + languages.map { (["message", "languages", .key($0.name)], $0.content) }
        for case (let path, let content?) in contents {
            let field = content.personalTexts.first { !$0.text.personalValues.isEmpty }?.field
            if let field { return path + [.key(field.rawValue)] }
        }
        return nil
    }

    /// The contents that Apple devices get, as far as files write them, with the paths of their fields.
    package var appleContents: [(content: MessageContent, path: (ContentField) -> [FieldPathElement])] {
        [(content(for: .ios), { self.path($0, for: .ios) })]
            + languages.map { language in
                (language.content, { ["message", "languages", .key(language.name), .key($0.rawValue)] })
            }
    }

    /// The path of a field as a platform sees it: under the platform when that sets it, else in the message.
    package func path(_ field: ContentField, for platform: Platform) -> [FieldPathElement] {
        let override =
            switch platform {
            case .ios: ios
            case .android: android
            }
        let name = FieldPathElement.key(field.rawValue)
        return override?.value(of: field) != nil ? ["message", .key(platform.rawValue), name] : ["message", name]
    }
}

// MARK: - Fields

extension Message {
    /// A message's fields: those of its content, and what differs.
    package static let fields = MapDescription(
        "Campaign.message", "The content to show", "显示什么", rules: rules, elsewhere: MessageContent.androidFields,
        MessageContent.sharedRows.map(\.spec) + [
            FieldSpec("ios", .map(MessageContent.ios.description), "Overrides for iOS", "iOS 上的不同之处"),
            FieldSpec("android", .map(MessageContent.android.description), "Overrides for Android", "Android 上的不同之处"),
            FieldSpec(
                "vendors", .map(vendorFields), "Passed through to LeanCloud's content for a vendor",
                "原样传给 LeanCloud 对应厂商通道的内容"),
            FieldSpec(
                "languages", .entries(of: .map(MessageContent.language.description), keys: .language),
                "The words in other languages, by the one that a device reports in policy.languageField",
                "其他语言的文案；按设备在 policy.languageField 字段中的语言选用"),
        ])

    /// The contents for vendors, with the names of the vendors.
    fileprivate static let vendorFields = MapDescription(
        "Campaign.message.vendors", "Passed through to LeanCloud's content for a vendor", "原样传给 LeanCloud 对应厂商通道的内容",
        [
            ("mi", "Xiaomi", "小米"), ("hms", "Huawei", "华为"), ("mz", "Meizu", "魅族"), ("honor", "Honor", "荣耀"),
            ("vivo", "Vivo", "vivo"), ("oppo", "OPPO", "OPPO"), ("fcm", "Google", "Google"),
        ].map { FieldSpec($0, .object(keys: .anyKey), $1, $2) })
}

extension Message {
    /// Writes what is hashed of it.
    package func hash(to writer: inout ContentWriter) {
        writer.group("common") { MessageContent.android.hash(common, to: &$0) }
        if let ios { writer.group("ios") { MessageContent.android.hash(ios, to: &$0) } }
        if let android { writer.group("android") { MessageContent.android.hash(android, to: &$0) } }
        for (vendor, content) in vendors.sorted(by: { $0.key < $1.key }) {
            writer.write("vendor", vendor)
            writer.write("content", content)
        }
        for language in languages {
            writer.group("language \(language.name)") { MessageContent.android.hash(language.content, to: &$0) }
        }
    }
}

extension FieldForm<Message> {
    /// The content for every platform, the overrides for each, and the vendors' own fields.
    static let message = FieldForm(
        type: .map(Message.fields),
        read: { value in
            guard case .fields(let values) = value else { return nil }
            func other(_ place: Int) -> [FieldValue?]? { values[MessageContent.common.rows.count + place]?.fields }
            return Message(
                common: MessageContent.common.partialRecord(of: values),
                ios: other(0).map(MessageContent.ios.partialRecord),
                android: other(1).map(MessageContent.android.partialRecord), vendors: other(2).map(vendors) ?? [:],
                languages: values[MessageContent.common.rows.count + 3].map(languages) ?? [])
        },
        write: { message in
            .fields(
                MessageContent.common.values(of: message.common) + [
                    message.ios.map { .fields(MessageContent.ios.values(of: $0)) },
                    message.android.map { .fields(MessageContent.android.values(of: $0)) },
                    message.vendors.isEmpty ? nil : .json(.object(message.vendors)),
                    value(of: message.languages),
                ])
        },
        hash: { message, _, writer in message.hash(to: &writer) })

    private static func vendors(_ values: [FieldValue?]) -> JSONObject {
        var vendors: JSONObject = [:]
        for (spec, value) in zip(Message.vendorFields.fields, values) {
            if case .json(let content) = value { vendors[spec.name] = content }
        }
        return vendors
    }

    /// Languages as files write them; nil for none.
    static func value(of languages: [MessageLanguage]) -> FieldValue? {
        guard !languages.isEmpty else { return nil }
        return .entries(languages.map { ($0.name, .fields(MessageContent.language.values(of: $0.content))) })
    }

    /// Reads what ``value(of:)`` wrote.
    static func languages(_ value: FieldValue) -> [MessageLanguage] {
        guard case .entries(let entries) = value else { return [] }
        return entries.compactMap { name, value in
            value.fields.map {
                MessageLanguage(name: name, content: MessageContent.language.partialRecord(of: $0))
            }
        }
    }
}

extension Message {
    /// A number of bytes that no encoding of this message exceeds, if it holds each text at most `copies` times: at the
    /// top, and in each platform's object. Most messages are far below every limit; this tells so at a fraction of the
    /// cost of encoding them.
    package func encodedBytesBound(copies: Int) -> Int {
        copies * (common.bound + (ios?.bound ?? 0) + (android?.bound ?? 0))
            + vendors.reduce(0) { $0 + $1.value.canonicalByteCount + 20 }
            + copies * (languages.map(\.content.bound).max() ?? 0)
    }
}

extension MessageContent {
    /// Beside its texts: names of fields, numbers and punctuation of a content that sets everything.
    fileprivate var bound: Int { Self.android.rows.reduce(400) { $0 + ($1.value(self)?.textBytes ?? 0) } }
}

extension Message {
    /// The fields that a notification shows, plays or counts.
    package static let visible = ["title", "subtitle", "body", "badge", "sound"]

    /// The rules of a message: it has content, itself or in a platform's fields.
    static var rules: [FieldRule] {
        let silent = [PushType.alert, .background].map { FieldTest.not(.equals(["pushType"], .string($0.rawValue))) }
        return [
            .always(
                .anyOf([
                    .hasAny(visible + ["liveActivity", "ios", "android", "vendors"]),
                    .equals(["contentAvailable"], true), .allOf([.has(["pushType"])] + silent),
                ]))
        ]
    }

    /// The push type's requirements for a message that an Apple device may get, as rules of a campaign.
    static var pushTypeRules: [FieldRule] {
        let isApple = FieldTest.not(.equals(["audience", "platforms"], .array([.string(Platform.android.rawValue)])))
        let background = FieldTest.allOf([isApple, effectively("pushType", .string(PushType.background.rawValue))])
        let isLiveActivity = effectively("pushType", .string(PushType.liveactivity.rawValue))
        let hasActivity = FieldTest.anyOf([
            .has(["message", "liveActivity"]), .has(["message", "ios", "liveActivity"]),
        ])
        let start: FieldTest = effectively("liveActivity", below: ["event"], .string(LiveActivity.Event.start.rawValue))
        return [
            .when(background, .allOf([hasNone(visible), hasNoOther("priority", than: 5)])),
            .when(.allOf([isApple, isOnlyBackground]), hasNoOther("priority", than: 5)),
            .when(.allOf([isApple, isLiveActivity]), hasActivity),
            .when(
                .allOf([isApple, hasActivity]),
                hasNoOther("pushType", than: .string(PushType.liveactivity.rawValue))),
            .when(
                .allOf([isApple, start]),
                .anyOf([
                    .hasAny(["title", "body"], below: ["message"]),
                    .hasAny(["title", "body"], below: ["message", "ios"]),
                ])),
        ]
    }

    /// True when Apple's devices see this value: that of `ios`, else the message's own.
    private static func effectively(_ field: String, below path: [String] = [], _ value: JSONValue) -> FieldTest {
        .anyOf([
            .equals(["message", "ios", field] + path, value),
            .allOf([.equals(["message", field] + path, value), .lacks([field], below: ["message", "ios"])]),
        ])
    }

    /// True when Apple's devices see this value or none.
    private static func hasNoOther(_ field: String, than value: JSONValue) -> FieldTest {
        .anyOf([
            effectively(field, value),
            .allOf([.lacks([field], below: ["message"]), .lacks([field], below: ["message", "ios"])]),
        ])
    }

    private static func hasNone(_ fields: [String]) -> FieldTest {
        .allOf([.lacks(fields, below: ["message"]), .lacks(fields, below: ["message", "ios"])])
    }

    /// True when a message without `ios` wakes the app and does nothing else.
    private static var isOnlyBackground: FieldTest {
        let others = [
            "ios", "pushType", "liveActivity", "category", "threadId", "targetContentId", "launchImage",
            "filterCriteria", "interruptionLevel", "relevanceScore", "mutableContent",
        ]
        return .allOf([.equals(["message", "contentAvailable"], true), .lacks(visible + others, below: ["message"])])
    }
}
