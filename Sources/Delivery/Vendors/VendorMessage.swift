package import Base
package import Push

/// The message of a push in the words of an Android vendor, without the devices that get it.
///
/// Objects stand where the vendor takes JSON within a text: they become texts when the request is made, with the device's
/// values in them. Source: docs/background/android.md#vendors-messages.
package enum VendorMessage {
    /// Builds the message of a campaign's Android content.
    ///
    /// - Parameters:
    ///   - vendor: the vendor; not Apple.
    ///   - content: the content for Android.
    ///   - own: `message.vendors` for the vendor, whose members override those made here, objects member by member.
    ///   - tag: the id of the delivery, letters and digits.
    ///   - id: the id under which apps report events of the delivery; nil: they report none.
    /// - Returns: the message as an order keeps it.
    package static func body(
        _ vendor: PushVendor, _ content: MessageContent, own: JSONValue?, tag: String, reportedAs id: String?
    ) -> JSONValue {
        let payload = JSONValue.object(FCMMessage.payload(content, tag: tag, reportedAs: id))
        let made: JSONValue =
            switch vendor {
            case .apns, .fcm: FCMMessage.body(content, own: nil, tag: tag, reportedAs: id)
            case .hms: huawei(content, payload, tag)
            case .harmony: harmony(content, payload, tag)
            case .honor: honor(content, payload, tag)
            case .mi, .miGlobal: xiaomi(content, payload, tag)
            case .oppo: oppo(content, payload, tag)
            case .vivo: vivo(content, payload, tag)
            }
        return own.map { made.overlaid(with: $0.without(addressed)) } ?? made
    }

    /// The member of a message to Huawei that makes its request a dry run.
    package static let dryRun = "validate_only"

    /// What says whom a message is for, which no file may say, and what makes a request a dry run.
    private static let addressed: Set<String> = [
        dryRun,
        "token", "topic", "condition", "fid", "target", "registration_id", "restricted_package_name", "pass_through",
        "regId", "regIds", "alias", "user_account", "target_value", "target_type",
    ]

    private static func huawei(_ content: MessageContent, _ payload: JSONValue, _ tag: String) -> JSONValue {
        guard content.silent != true else { return ["data": payload, "android": ["bi_tag": .string(tag)]] }
        var shown: JSONValue = [
            "click_action": ["type": 1, "intent": payload], "tag": .string(content.collapseId ?? tag),
        ]
        shown["title"] = content.title?.plain
        shown["body"] = content.body?.plain
        shown["channel_id"] = content.channel.map { .string($0) }
        return ["android": ["bi_tag": .string(tag), "notification": shown]]
    }

    private static func harmony(_ content: MessageContent, _ payload: JSONValue, _ tag: String) -> JSONValue {
        var shown: JSONValue = [
            "clickAction": ["actionType": 0, "data": payload], "appMessageId": .string(tag),
            "notifyId": .integer(number(content.collapseId ?? tag)),
        ]
        shown["title"] = content.title?.plain
        shown["body"] = content.body?.plain
        return ["payload": ["notification": shown], "pushOptions": ["biTag": .string(tag)]]
    }

    private static func honor(_ content: MessageContent, _ payload: JSONValue, _ tag: String) -> JSONValue {
        guard content.silent != true else { return ["data": payload, "android": ["biTag": .string(tag)]] }
        var shown: JSONValue = [
            "clickAction": ["type": 1, "intent": payload], "tag": .string(content.collapseId ?? tag),
            "notifyId": .integer(number(content.collapseId ?? tag)),
        ]
        shown["title"] = content.title?.plain
        shown["body"] = content.body?.plain
        return ["android": ["biTag": .string(tag), "notification": shown]]
    }

    private static func xiaomi(_ content: MessageContent, _ payload: JSONValue, _ tag: String) -> JSONValue {
        // A device shows the first message of a jobkey only.
        var extra: JSONValue = ["jobkey": .string(tag)]
        extra["channel_id"] = content.channel.map { .string($0) }
        var message: JSONValue = [
            "payload": payload, "pass_through": "0", "notify_type": "-1",
            "notify_id": .integer(number(content.collapseId ?? tag)),
            "extra": extra,
        ]
        message["title"] = content.title?.plain
        message["description"] = content.body?.plain
        return message
    }

    private static func oppo(_ content: MessageContent, _ payload: JSONValue, _ tag: String) -> JSONValue {
        var message: JSONValue = [
            // Longer texts need the style of long ones.
            "style": (content.body?.plainText?.count ?? 0) > OPPOService.standardText ? 2 : 1,
            "click_action_type": 0, "action_parameters": payload, "off_line": true,
            "notify_id": .integer(number(content.collapseId ?? tag)),
        ]
        message["title"] = content.title?.plain
        message["content"] = content.body?.plain
        message["channel_id"] = content.channel.map { .string($0) }
        return message
    }

    private static func vivo(_ content: MessageContent, _ payload: JSONValue, _ tag: String) -> JSONValue {
        var custom = payload.object ?? [:]
        for name in ["alert", "title"] { custom[name] = nil }
        var message: JSONValue = [
            "notifyType": 4, "skipType": 1, "pushMode": 0, "notifyId": .integer(number(content.collapseId ?? tag)),
        ]
        if !custom.isEmpty {
            // Objects until the request is made: a device's values stand inside of texts then.
            message["clientCustomMap"] = .object(custom)
        }
        message["title"] = content.title?.plain
        message["content"] = content.body?.plain
        return message
    }

    /// A number from a text, the same wherever it is made: notifications of one number replace each other.
    static func number(_ text: String) -> Int64 { number(of: [text]) }

    /// The same for several texts, as if commas stood between them.
    static func number(of texts: [String]) -> Int64 {
        var hash: UInt32 = 2_166_136_261
        for (place, text) in texts.enumerated() {
            if place > 0 { hash = (hash ^ UInt32(UInt8(ascii: ","))) &* 16_777_619 }
            var copy = text
            copy.withUTF8 { bytes in
                for index in bytes.indices { hash = unsafe (hash ^ UInt32(bytes[index])) &* 16_777_619 }
            }
        }
        return Int64(hash & 0x7FFF_FFFF) | 1
    }

    /// What a profile's map says of every message of its vendor, in the place where the message has it.
    package static func settings(_ vendor: PushVendor, _ options: JSONObject) -> JSONValue {
        var message: JSONValue = [:]
        func set(_ path: [String], _ value: JSONValue?) {
            guard let value else { return }
            message = message.overlaid(with: path.reversed().reduce(value) { .object([$1: $0]) })
        }
        switch vendor {
        case .apns, .fcm: break
        case .hms:
            set(["android", "category"], options["category"])
            set(["android", "notification", "channel_id"], options["channel"])
        // Huawei refuses a message without a class, and takes one that the app has no right to for this one.
        case .harmony: set(["payload", "notification", "category"], options["category"] ?? "MARKETING")
        case .honor: set(["android", "notification", "importance"], options["importance"])
        case .mi, .miGlobal:
            set(["extra", "channel_id"], options["channel"])
            set(["extra", "template_id"], options["templateId"])
        case .oppo:
            set(["channel_id"], options["channel"])
            set(["category"], options["category"])
            set(["notify_level"], options["notifyLevel"])
        case .vivo:
            set(["classification"], options["classification"])
            set(["category"], options["category"])
        }
        return message
    }

    /// The most characters of a title and of a text; nil where only bytes are limited.
    package static func limits(_ vendor: PushVendor) -> (title: Int, body: Int)? {
        switch vendor {
        case .apns, .fcm, .hms, .harmony, .honor: nil
        case .mi, .miGlobal: (49, 127)
        case .oppo: (50, 128)
        case .vivo: (40, 100)
        }
    }

    /// What is too much of a message's custom keys, by its vendor's documents; nil: nothing.
    static func excess(_ vendor: PushVendor, _ message: JSONValue) -> String? {
        switch vendor {
        case .apns, .fcm, .hms, .harmony, .honor, .mi, .miGlobal: return nil
        case .oppo:
            let characters = message["action_parameters"]?.formText.count ?? 0
            return characters <= 4000
                ? nil : "the custom keys have \(characters) characters as JSON, and OPPO takes 4,000"
        case .vivo:
            let keys = message["clientCustomMap"]?.object ?? [:]
            let characters = keys.reduce(0) { $0 + $1.key.count + $1.value.formText.count }
            return keys.count <= 10 && characters <= 1024
                ? nil
                : "there are \(keys.count) custom keys with \(characters) characters, and vivo takes 10 with 1,024"
        }
    }

    /// The messages of a message's class that the vendor shows a device in a day, and the hours in which it delivers them,
    /// as its documents name them; nil: they name none. Source: docs/background/android.md#vendors-messages.
    static func quota(_ vendor: PushVendor, _ message: JSONValue) -> (perDay: Int?, hours: String?) {
        switch vendor {
        case .apns, .fcm, .harmony: (nil, nil)
        // Without a category, or the right to one, a message counts as marketing.
        case .hms: ([nil, "MARKETING"].contains(message["android"]?["category"]?.string) ? 2 : nil, nil)
        case .honor: (message["android"]?["notification"]?["importance"] == "LOW" ? 2 : nil, nil)
        case .mi, .miGlobal: (message["extra"]?["channel_id"] == nil ? 1 : nil, nil)
        case .oppo: (message["channel_id"] == nil ? 2 : nil, nil)
        case .vivo: message["classification"] == 1 ? (nil, nil) : (2, "07:00-23:00")
        }
    }

    /// True for a text that the vendor's documents say it drops.
    static func drops(_ vendor: PushVendor, _ text: String) -> Bool {
        [.mi, .miGlobal, .vivo].contains(vendor) && ["测试", "test"].contains(text.lowercased())
    }

    /// True if the vendor passes a message to the app without showing it.
    package static func canBeSilent(_ vendor: PushVendor) -> Bool { [.fcm, .hms, .honor].contains(vendor) }

    /// The bytes of a message as it is sent: with its life, and its intent, in which a Chinese character takes nine.
    package static func size(_ vendor: PushVendor, _ message: JSONValue) -> Int {
        switch vendor {
        case .hms: HuaweiService.prepared(message, ttl: "1296000s").canonicalByteCount
        case .honor: HonorService.prepared(message, ttl: "1296000s").canonicalByteCount
        case .harmony: HarmonyService.prepared(message, ttl: 1_296_000).canonicalByteCount
        case .apns, .fcm, .mi, .miGlobal, .oppo, .vivo: message.canonicalByteCount
        }
    }

    /// True for a title, a text and custom keys, as a message has them, that the vendor takes.
    static func fits(_ vendor: PushVendor, _ message: JSONValue) -> Bool {
        switch limits(vendor) {
        case nil: size(vendor, message) <= FCMMessage.limit
        case let limits?:
            (message["title"]?.string?.count ?? 0) <= limits.title
                && ((message["content"] ?? message["description"])?.string?.count ?? 0) <= limits.body
                && excess(vendor, message) == nil
        }
    }
}

extension JSONValue {
    /// This object without some of its members.
    fileprivate func without(_ names: Set<String>) -> JSONValue {
        object.map { .object($0.filter { !names.contains($0.key) }) } ?? self
    }

    /// This value with the members of another, objects member by member.
    func overlaid(with other: JSONValue) -> JSONValue {
        guard case .object(let members) = self, case .object(let others) = other else { return other }
        return .object(members.merging(others) { $0.overlaid(with: $1) })
    }

    /// The places for a device's values in its texts, in a fixed order.
    var values: [PersonalValue] {
        switch self {
        case .string(let text): (try? PersonalText(text))?.values ?? []
        case .array(let elements): elements.flatMap(\.values)
        case .object(let members): members.sorted { $0.key < $1.key }.flatMap(\.value.values)
        case .null, .bool, .integer, .number: []
        }
    }

    /// This message with what a profile adds: nothing of a notification to one that has none.
    func completed(by settings: JSONValue) -> JSONValue {
        var settings = settings
        if self["android"]?["notification"] == nil, var android = settings["android"] {
            android["notification"] = nil
            settings["android"] = android
        }
        return settings.overlaid(with: self)
    }

    /// This value with a device's values in its texts.
    func filled(_ value: (PersonalValue) -> String) -> JSONValue {
        switch self {
        case .string(let text):
            guard let pieces = try? PersonalText(text).pieces else { return self }
            return .string(
                pieces.map { piece in
                    switch piece {
                    case .words(let words): words
                    case .value(let place): value(place)
                    }
                }.joined())
        case .array(let elements): return .array(elements.map { $0.filled(value) })
        case .object(let members): return .object(members.mapValues { $0.filled(value) })
        case .null, .bool, .integer, .number: return self
        }
    }
}

extension LocalizableText {
    /// The text itself, if it is not localized.
    var plain: JSONValue? { plainText.map { .string($0) } }

    /// The same.
    var plainText: String? { if case .text(let text) = self { text } else { nil } }
}
