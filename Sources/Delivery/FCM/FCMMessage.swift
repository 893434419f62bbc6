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

extension BodyTemplate {
    /// Makes the template of the requests to FCM for devices that get a message during `life`; nil: as long as FCM
    /// keeps it. FCM counts its bytes against its limit: all but the token.
    init(toFCM message: JSONValue, countsBadge: Bool, isPersonal: Bool, life: Duration?) {
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
        writer.writeMembers(of: rest, isContinued: true) { writer, name, member in
            switch name {
            case "data": BodyTemplate.write(data: member, to: &writer)
            case "android" where countsBadge && member["notification"] != nil:
                BodyTemplate.write(counting: member, to: &writer)
            default: writer.write(member)
            }
        }
        writer.append("}}")
        (pieces, gaps) = (writer.pieces, writer.gaps)
    }

    /// FCM takes texts only: the object of LeanCloud's custom keys is written as one.
    private static func write(data: JSONValue, to writer: inout BodyWriter) {
        writer.append("{")
        writer.writeMembers(of: data, isContinued: false) { writer, _, member in
            guard member.string == nil else { return writer.write(member) }
            writer.append("\"")
            writer.isQuoted = true
            writer.write(member)
            writer.isQuoted = false
            writer.append("\"")
        }
        writer.append("}")
    }

    private static func write(counting android: JSONValue, to writer: inout BodyWriter) {
        var (others, notification) = (android, android["notification"] ?? [:])
        others["notification"] = nil
        notification["notification_count"] = nil
        writer.append("{")
        writer.writeMembers(of: others, isContinued: false)
        if others != [:] { writer.append(",") }
        writer.append(#""notification":{"notification_count":"#)
        writer.leave(.badge)
        writer.writeMembers(of: notification, isContinued: true)
        writer.append("}}")
    }
}

// MARK: - Answers

/// Reads FCM's answers to `messages:send`.
///
/// `FcmError.errorCode` decides, then `status`, and each only with its own HTTP status: what is not listed may have been
/// sent. A token is called dead only where an answer names the token.
/// Source: docs/background/android.md#fcm-answers.
enum FCMAnswer {
    /// The verdict on a request that was answered like this.
    static func verdict(status: Int, body: [UInt8]) -> Verdict {
        let answer = try? JSONValue(parsing: body)
        if status == 200 {
            // A page from somewhere between is not FCM's.
            let isNamed = answer?["name"]?.string?.isEmpty == false
            return isNamed ? .accepted : .unknown("FCM answered 200 without a message's name")
        }
        guard let error = answer?["error"], let reason = reason(status, error), reason.row.status == status else {
            return .unknown(explanation(status, answer?["error"]))
        }
        return .refused(.service(.fcm(reason), since: nil))
    }

    private static func reason(_ status: Int, _ error: JSONValue) -> FCMReason? {
        let details = error["details"]?.array ?? []
        func detail(_ type: String) -> JSONValue? {
            details.first { $0["@type"]?.string?.hasSuffix("/" + type) ?? false }
        }
        let code = detail("google.firebase.fcm.v1.FcmError")?["errorCode"]?.string
        switch code ?? error["status"]?.string {
        case "UNREGISTERED" where code != nil: return .unregistered
        case "NOT_FOUND": return .notFound
        case "INVALID_ARGUMENT":
            let fields = (detail("google.rpc.BadRequest")?["fieldViolations"]?.array ?? []).map { $0["field"]?.string }
            let isOfTheToken = fields.isEmpty ? code != nil && namesToken(error) : fields == ["message.token"]
            return isOfTheToken ? .invalidToken : .invalidArgument
        case "SENDER_ID_MISMATCH": return .senderIDMismatch
        case "PERMISSION_DENIED": return .permissionDenied
        case "UNAUTHENTICATED": return .unauthenticated
        case "THIRD_PARTY_AUTH_ERROR": return .thirdPartyAuthError
        case "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED": return .quotaExceeded
        default: return nil
        }
    }

    private static func namesToken(_ error: JSONValue) -> Bool {
        error["message"]?.string?.contains("registration token") ?? false
    }

    private static func explanation(_ status: Int, _ error: JSONValue?) -> String {
        let word = error?["status"]?.string.map(Refusal.printable) ?? ""
        return word.isEmpty
            ? "FCM answered \(status) without a reason"
            : "FCM answered \(status) with \(word), which does not say that nothing was sent"
    }
}
