internal import Base
internal import Push

/// The content of `data` that an Apple device receives, from any of its forms.
///
/// Keys of `ios` override top-level keys. The flat form and the raw form `{"aps": …}` give the same result; documented
/// defaults are left out.
/// Source: LeanCloud, "推送 REST API 使用指南", 消息内容参数.
struct AppleView: Hashable {
    /// Members of `aps`: `alert` always as an object, flags as 1, critical as a boolean.
    private(set) var aps: JSONObject = [:]
    /// `collapse-id`, `apns-priority`, and `apns-push-type` unless it is `alert`.
    private(set) var headers: JSONObject = [:]
    /// The custom members beside `aps`.
    private(set) var custom: JSONObject

    private static let alertTexts = [
        "title", "title-loc-key", "subtitle", "subtitle-loc-key", "body", "loc-key", "launch-image",
    ]
    private static let alertLists = ["title-loc-args", "subtitle-loc-args", "loc-args"]

    /// Reads `data`.
    ///
    /// - Throws: ``Inexpressible`` when a part has an unknown form.
    init(_ data: PushData) throws(Inexpressible) {
        custom = try data.checkedContent(for: "ios")
        try readHeaders()
        guard let raw = custom.removeValue(forKey: "aps") else {
            try readFlat()
            return
        }
        guard let members = raw.object else { throw Inexpressible("has an 'aps' that is not an object") }
        if let mixed = custom.keys.filter({ PushData.appleKeys.contains($0) || $0 == "alert" || $0 == "title" }).min() {
            throw Inexpressible("has both 'aps' and '\(mixed)' next to it")
        }
        for (key, value) in members { try read(key, value) }
    }

    private mutating func readFlat() throws(Inexpressible) {
        let title = custom.removeValue(forKey: "title")
        let alert = custom.removeValue(forKey: "alert")
        if let alert { try read("alert", alert) }
        if let title {
            guard alert?.string != nil, title.string != nil else {
                throw Inexpressible("has a top-level 'title' without an 'alert' text")
            }
            aps["alert"]?["title"] = title
        }
        for key in PushData.appleKeys { if let value = custom.removeValue(forKey: key) { try read(key, value) } }
    }

    private mutating func readHeaders() throws(Inexpressible) {
        if let id = custom.removeValue(forKey: "collapse-id") {
            headers["collapse-id"] = try Self.text("collapse-id", id)
        }
        let type = try custom.removeValue(forKey: "apns-push-type").map { value throws(Inexpressible) in
            try Self.text("apns-push-type", value)
        }
        if let type, type != "alert" { headers["apns-push-type"] = type }
        if let priority = custom.removeValue(forKey: "apns-priority") {
            guard priority.integer != nil else { throw Inexpressible("has an 'apns-priority' that is not a number") }
            headers["apns-priority"] = priority
        } else if type == "background" {
            // Apple accepts no other priority for it.
            headers["apns-priority"] = 5
        }
    }

    private mutating func read(_ key: String, _ value: JSONValue) throws(Inexpressible) {
        switch key {
        case "alert": aps["alert"] = try Self.alert(value)
        case "badge":
            guard value == "Increment" || value.integer.map({ $0 >= 0 }) == true else {
                throw Inexpressible("has a 'badge' that is neither a number from 0 nor \"Increment\"")
            }
            aps[key] = value
        case "sound": aps[key] = try Self.sound(value)
        case "category", "thread-id", "target-content-id", "interruption-level", "filter-criteria":
            aps[key] = try Self.text(key, value)
        case "relevance-score":
            guard value.double != nil else { throw Inexpressible("has a 'relevance-score' that is not a number") }
            aps[key] = value
        case "content-available", "mutable-content":
            guard let isSet = Self.flag(value) else { throw Inexpressible("has a '\(key)' that is neither 0 nor 1") }
            if isSet { aps[key] = 1 }
        default: throw Inexpressible("has '\(key.shortened(to: 64))' among Apple's keys, which campaigns do not have")
        }
    }
}

extension AppleView {
    private static func alert(_ value: JSONValue) throws(Inexpressible) -> JSONValue {
        if let text = value.string { return ["body": .string(text)] }
        guard let members = value.object else {
            throw Inexpressible("has an 'alert' that is neither a text nor an object")
        }
        var alert: JSONObject = [:]
        for (key, value) in members {
            if alertTexts.contains(key) {
                alert[key] = try text(key, value)
            } else if alertLists.contains(key) {
                guard let list = value.array, list.allSatisfy({ $0.string != nil }) else {
                    throw Inexpressible("has a '\(key)' that is not a list of strings")
                }
                // No arguments: the list is left out.
                if !list.isEmpty { alert[key] = value }
            } else {
                throw Inexpressible("has '\(key.shortened(to: 64))' in its 'alert', which campaigns do not have")
            }
        }
        for (text, key, list) in [
            ("title", "title-loc-key", "title-loc-args"), ("subtitle", "subtitle-loc-key", "subtitle-loc-args"),
            ("body", "loc-key", "loc-args"),
        ] {
            if alert[text] != nil, alert[key] != nil { throw Inexpressible("has both '\(text)' and '\(key)'") }
            if alert[list] != nil, alert[key] == nil { throw Inexpressible("has '\(list)' without '\(key)'") }
        }
        return .object(alert)
    }

    private static func sound(_ value: JSONValue) throws(Inexpressible) -> JSONValue {
        if value.string != nil { return value }
        let fault = Inexpressible("has a 'sound' that is neither a name nor {name, critical, volume}")
        guard let members = value.object, let name = members["name"]?.string,
            Set(members.keys).isSubset(of: ["name", "critical", "volume"])
        else { throw fault }
        var sound: JSONObject = ["name": .string(name)]
        if let critical = members["critical"] {
            guard let isCritical = flag(critical) else { throw fault }
            if isCritical { sound["critical"] = true }
        }
        if let volume = members["volume"] {
            // LeanCloud's own example gives the number as a string.
            guard let number = volume.double ?? volume.string.flatMap(Double.init), number.isFinite else { throw fault }
            sound["volume"] = .number(number)
        }
        return .object(sound)
    }

    private static func flag(_ value: JSONValue) -> Bool? {
        if let flag = value.bool { return flag }
        return value == 1 ? true : value == 0 ? false : nil
    }

    private static func text(_ key: String, _ value: JSONValue) throws(Inexpressible) -> JSONValue {
        guard value.string != nil else { throw Inexpressible("has a '\(key)' that is not a string") }
        return value
    }
}

extension PushData {
    /// The content for a platform, without Android's notification channel.
    ///
    /// - Throws: ``Inexpressible`` when the platform's value is not an object, or another platform is obsolete.
    func checkedContent(for platform: String) throws(Inexpressible) -> JSONObject {
        if members["wp"] != nil { throw Inexpressible("has content for Windows Phone") }
        if let own = members[platform], own.object == nil {
            throw Inexpressible("has an '\(platform)' that is not an object")
        }
        return content(for: platform).filter { $0.key != Self.notificationChannel }
    }

    /// The vendor-specific content.
    ///
    /// - Throws: ``Inexpressible`` when one of the values is not an object.
    var vendorContent: JSONObject {
        get throws(Inexpressible) {
            let found = members.filter { Self.vendors.contains($0.key) }
            if let odd = found.filter({ $0.value.object == nil }).keys.min() {
                throw Inexpressible("has a '\(odd)' that is not an object")
            }
            return found
        }
    }
}

/// The content of `data` that an Android device receives.
///
/// Keys of `android` override top-level keys; Apple's own top-level keys are left out.
/// Source: LeanCloud, "推送 REST API 使用指南", 消息内容参数.
struct AndroidView: Hashable {
    /// `alert`, `title` and `action` as strings, and `silent` when it is true.
    private(set) var fields: JSONObject = [:]
    /// Everything else.
    private(set) var custom: JSONObject

    /// Reads `data`.
    ///
    /// - Throws: ``Inexpressible`` when a part has an unknown form.
    init(_ data: PushData) throws(Inexpressible) {
        custom = try data.checkedContent(for: "android")
        for key in PushData.appleKeys.union(PushData.headerKeys) { custom[key] = nil }
        custom["aps"] = nil
        for key in ["alert", "title", "action"] {
            guard let value = custom.removeValue(forKey: key) else { continue }
            guard value.string != nil else {
                throw Inexpressible("has a '\(key)' for Android devices that is not a string")
            }
            fields[key] = value
        }
        guard let silent = custom.removeValue(forKey: "silent") else { return }
        guard let isSilent = silent.bool else { throw Inexpressible("has a 'silent' that is neither true nor false") }
        if isSilent { fields["silent"] = true }
    }
}
