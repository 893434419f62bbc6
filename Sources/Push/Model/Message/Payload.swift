package import Base

extension MessageContent {
    /// The `alert` value: a string when there is only a body, else an object; nil when there is none.
    ///
    /// Source: "Generating a remote notification", keys of the alert dictionary.
    package var apsAlert: JSONValue? {
        var alert: JSONObject = [:]
        title?.write(text: "title", key: "title-loc-key", arguments: "title-loc-args", to: &alert)
        subtitle?.write(text: "subtitle", key: "subtitle-loc-key", arguments: "subtitle-loc-args", to: &alert)
        body?.write(text: "body", key: "loc-key", arguments: "loc-args", to: &alert)
        if let launchImage { alert["launch-image"] = .string(launchImage) }
        if alert.isEmpty { return nil }
        if alert.count == 1, let body = alert["body"] { return body }
        return .object(alert)
    }

    /// The members of `aps` besides `alert` and `badge`, in Apple's spelling.
    ///
    /// Source: "Generating a remote notification", keys of the aps dictionary.
    package var apsFields: JSONObject {
        var fields: JSONObject = [:]
        switch sound {
        case .name(let name): fields["sound"] = .string(name)
        case .detailed(let name, let critical, let volume):
            var sound: JSONObject = ["name": .string(name)]
            if critical { sound["critical"] = 1 }
            sound["volume"] = volume.map { .number($0) }
            fields["sound"] = .object(sound)
        case nil: break
        }
        fields["category"] = category.map { .string($0) }
        fields["thread-id"] = threadId.map { .string($0) }
        fields["target-content-id"] = targetContentId.map { .string($0) }
        fields["interruption-level"] = interruptionLevel.map { .string($0.apnsValue) }
        fields["relevance-score"] = relevanceScore.map { .number($0) }
        fields["filter-criteria"] = filterCriteria.map { .string($0) }
        if mutableContent == true { fields["mutable-content"] = 1 }
        if contentAvailable == true { fields["content-available"] = 1 }
        return fields
    }
}

extension LocalizableText {
    fileprivate func write(text: String, key: String, arguments: String, to alert: inout JSONObject) {
        switch self {
        case .text(let value): alert[text] = .string(value)
        case .localized(let name, let values):
            alert[key] = .string(name)
            if !values.isEmpty { alert[arguments] = .array(values.map { .string($0) }) }
        }
    }
}

/// The `data` of LeanCloud's pushes: content for every device, and beside it objects that override it on one platform or
/// in one vendor's channel.
///
/// Source: docs/background/leancloud/push.md#content.
package struct PushData: Hashable, Sendable {
    /// The members of `data`.
    package let members: JSONObject

    package init(_ members: JSONObject) { self.members = members }

    /// A value that is not an object has no content.
    package init(_ data: JSONValue) { self.init(data.object ?? [:]) }

    /// The keys of objects for one vendor's channel.
    package static let vendors = ["mi", "hms", "mz", "honor", "vivo", "oppo", "fcm"]
    private static let overriding = Set(["ios", "android", "wp"] + vendors)
    /// The keys beside `alert` and `title` that become members of `aps`.
    package static let appleKeys: Set<String> = [
        "badge", "sound", "category", "thread-id", "content-available", "mutable-content", "target-content-id",
        "url-args",
    ]
    /// The keys that become headers of Apple's request.
    package static let headerKeys: Set<String> = ["collapse-id", "apns-priority", "apns-push-type"]
    /// The key of an Android notification channel, besides the request's own parameter.
    package static let notificationChannel = "_notificationChannel"

    /// The content for a platform, or a kind of Apple device, and a vendor's channel on it.
    package func content(for platform: String, vendor: String? = nil) -> JSONObject {
        var content = members.filter { !Self.overriding.contains($0.key) }
        let isApple = ["macos", "tvos", "watchos"].contains(platform)
        let name = vendor?.lowercased() ?? ""
        let keys = [isApple ? "ios" : platform, PushVendor(rawValue: name)?.word ?? name]
        for key in keys where Self.overriding.contains(key) {
            for (name, value) in members[key]?.object ?? [:] { content[name] = value }
        }
        return content
    }

    /// True if the push increments an Apple device's badge.
    package var incrementsBadge: Bool {
        let content = content(for: "ios")
        return content["badge"] == "Increment" || content["aps"]?["badge"] == "Increment"
    }
}

/// Says that a body is too large, with the fields that take the most room.
package enum PayloadSize {
    /// The diagnostic for a body of more bytes than its service takes, with `what` as the subject of its sentence.
    ///
    /// It stands at the field that takes the most room, says how much of it fits, and names the largest fields of the
    /// body, including those in `data` and `aps`.
    package static func finding(
        bytes: Int, limit: Int, body: JSONValue, what: String, of campaign: Campaign
    ) -> Diagnostic {
        let fields = fields(of: body)
        var help = "shorten the largest fields (bytes): "
        var path: [FieldPathElement] = ["message"]
        if let largest = fields.first {
            let parts = largest.name.split(separator: ".").map(String.init)
            let name = parts.last == "alert" ? "body" : parts.last ?? ""
            path += (ContentField(rawValue: name) == nil ? ["data"] : []) + [.key(name)]
            // A platform's form says the same again.
            let copies = fields.count { $0.bytes == largest.bytes && $0.name.hasSuffix(parts.last ?? "") }
            let fits = largest.bytes - (bytes - limit + copies - 1) / max(1, copies)
            if fits > 0 {
                help = "\(quoted(name)) has \(largest.bytes) bytes, of which \(fits) fit; the largest (bytes): "
            }
        }
        return Diagnostic(
            .error, .payloadTooLarge, "\(what) has \(bytes) bytes, but the service accepts at most \(limit)",
            at: campaign.origin.range(of: path),
            help: help + fields.prefix(3).map { "\($0.name) \($0.bytes)" }.joined(separator: ", "))
    }

    /// A field of a body, with the bytes of its value.
    package struct Field: Hashable, Sendable {
        /// Its name, with dots.
        package var name: String
        /// The bytes that its value takes.
        package var bytes: Int
    }

    /// The fields of a body, those that take the most room first.
    ///
    /// Fields that only hold others (`data`, `aps`, `alert`, a platform) are looked into.
    package static func fields(of body: JSONValue) -> [Field] {
        fields(of: body, under: "").sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
    }

    private static func fields(of body: JSONValue, under path: String) -> [Field] {
        (body.object ?? [:]).flatMap { key, value -> [Field] in
            let name = path.isEmpty ? key : "\(path).\(key)"
            if ["data", "aps", "alert", "ios", "android"].contains(key), value.object != nil {
                return fields(of: value, under: name)
            }
            return [Field(name: name, bytes: value.canonicalByteCount)]
        }
    }
}
