package import Base
package import Push

/// The `message` of a push through Firebase Cloud Messaging, without its token.
///
/// LeanCloud's content becomes Google's fields: a notification, and beside it `data.payload` with the custom keys, the
/// action and the channel, where apps with LeanCloud's SDK read them. `data.payload` is an object here and text on the
/// wire. Source: docs/background/android.md#fcm-message.
package enum FCMMessage {
    /// The most bytes of a message (docs/background/android.md#fcm-message).
    package static let limit = 4096
    /// The longest that FCM keeps a message: four weeks.
    package static let longestLife = Duration.seconds(28 * 86_400)

    /// Builds the message of a campaign's Android content.
    ///
    /// - Parameters:
    ///   - content: the content for Android.
    ///   - own: `message.vendors.fcm`, whose members override those made here, objects member by member.
    ///   - tag: the id of the delivery, which makes a repeated notification replace the first.
    ///   - id: the id under which apps report events of the delivery; nil: they report none.
    /// - Returns: the message as an order keeps it.
    package static func body(
        _ content: MessageContent, own: JSONValue?, tag: String, reportedAs id: String?
    ) -> JSONValue {
        let payload = payload(content, tag: tag, reportedAs: id)
        var android: JSONObject = ["priority": content.effectivePriority == 10 ? "HIGH" : "NORMAL"]
        android["collapse_key"] = content.collapseId.map { .string($0) }
        var message: JSONObject = ["data": ["payload": .object(payload)]]
        if content.silent != true, content.isVisible {
            var shown: JSONObject = [:]
            shown["title"] = content.title?.plain
            shown["body"] = content.body?.plain
            if !shown.isEmpty { message["notification"] = .object(shown) }
            android["notification"] = .object(notification(content, tag))
        }
        message["android"] = .object(android)
        return own.map { JSONValue.object(message).overlaid(with: $0) } ?? .object(message)
    }

    /// The custom keys with title, text, action and channel, where apps with LeanCloud's SDK read them.
    static func payload(_ content: MessageContent, tag: String, reportedAs id: String?) -> JSONObject {
        var payload = content.data ?? [:]
        payload["alert"] = content.body?.plain
        payload["title"] = content.title?.plain
        payload["action"] = content.action.map { .string($0) }
        payload["_channel"] = content.channel.map { .string($0) }
        if let key = content.deliveryKey { payload[key] = .string(tag) }
        if let id { payload[EventPolicy.payloadKey] = ["delivery": .string(id)] }
        return payload
    }

    private static func notification(_ content: MessageContent, _ tag: String) -> JSONObject {
        var fields: JSONObject = ["tag": .string(content.collapseId ?? tag)]
        fields["channel_id"] = content.channel.map { .string($0) }
        content.title?.localize("title", in: &fields)
        content.body?.localize("body", in: &fields)
        switch content.sound {
        case .name(let name), .detailed(let name, _, _): fields["sound"] = .string(name)
        case nil: break
        }
        if case .number(let number) = content.badge { fields["notification_count"] = .integer(Int64(number)) }
        return fields
    }
}

extension LocalizableText {
    /// Writes the key of a localized text and its arguments.
    fileprivate func localize(_ name: String, in fields: inout JSONObject) {
        guard case .localized(let key, let values) = self else { return }
        fields["\(name)_loc_key"] = .string(key)
        if !values.isEmpty { fields["\(name)_loc_args"] = .array(values.map { .string($0) }) }
    }
}

/// The requests to FCM for the devices of one form: the message's bytes, with gaps for what differs from device to device.
struct FCMTemplate {
    /// The bytes around the gaps.
    let pieces: [[UInt8]]
    let gaps: [BodyWriter.Gap]

    /// Makes the template of a message for devices that get it during `life`; nil: as long as FCM keeps it.
    init(_ message: JSONValue, countsBadge: Bool, isPersonal: Bool, life: Duration?) {
        var writer = BodyWriter(isPersonal: isPersonal)
        writer.append(#"{"message":{"token":""#)
        writer.leave(.address)
        writer.append("\"")
        var rest = message
        if let life {
            var android = rest["android"] ?? [:]
            let seconds = min(max(life, .zero), FCMMessage.longestLife).wholeSeconds
            if android["ttl"] == nil { android["ttl"] = .string("\(seconds)s") }
            rest["android"] = android
        }
        for (name, member) in (rest.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            writer.append(",\"\(BodyWriter.text(name))\":")
            switch name {
            case "data": Self.write(data: member, to: &writer)
            case "android" where countsBadge && member["notification"] != nil: Self.write(counting: member, to: &writer)
            default: writer.write(member)
            }
        }
        writer.append("}}")
        (pieces, gaps) = (writer.pieces, writer.gaps)
    }

    var values: [PersonalValue] { gaps.compactMap(\.value) }

    /// The bytes of the message without what fills the gaps, as FCM counts them against its limit: all but the token.
    var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

    /// FCM takes texts only: the object of LeanCloud's custom keys is written as one.
    private static func write(data: JSONValue, to writer: inout BodyWriter) {
        writer.append("{")
        var isFirst = true
        for (name, member) in (data.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            if !isFirst { writer.append(",") }
            isFirst = false
            writer.append("\"\(BodyWriter.text(name))\":")
            guard member.string == nil else {
                writer.write(member)
                continue
            }
            writer.append("\"")
            writer.isQuoted = true
            writer.write(member)
            writer.isQuoted = false
            writer.append("\"")
        }
        writer.append("}")
    }

    private static func write(counting android: JSONValue, to writer: inout BodyWriter) {
        writer.append("{")
        for (name, member) in (android.object ?? [:]).sorted(by: { $0.key < $1.key }) where name != "notification" {
            writer.append("\"\(BodyWriter.text(name))\":")
            writer.write(member)
            writer.append(",")
        }
        writer.append(#""notification":{"notification_count":"#)
        writer.leave(.badge)
        var notification = android["notification"]?.object ?? [:]
        notification["notification_count"] = nil
        writer.writeMembers(of: .object(notification), isContinued: true)
        writer.append("}}")
    }
}
