internal import DeviceRegistry
internal import JSONValue

/// A notification as a lock screen shows it.
struct NotificationView: Hashable {
    let title: String
    let subtitle: String
    let body: String
    /// When it came, seen from now; empty in a preview.
    let when: String

    /// What a device shows of a push's content; `nil` when it shows nothing: a silent push, or one without a text.
    ///
    /// Source: <doc:/PushModel/LeanCloudPush#Content>.
    init?(_ content: JSONValue, isApple: Bool, when: String) {
        let alert = content["alert"] ?? content["aps"]?["alert"] ?? .null
        guard isApple || content["silent"]?.bool != true else { return nil }
        var title = content["title"]?.string ?? ""
        var subtitle = ""
        var body = ""
        switch alert {
        case .string(let text): body = text
        case .object:
            title = Self.text(alert, "title") ?? title
            subtitle = Self.text(alert, "subtitle") ?? alert["sub-title"]?.string ?? ""
            body = alert["body"]?.string ?? Self.localized(alert, "loc-key") ?? ""
        case .null, .bool, .integer, .number, .array: break
        }
        // A title alone is no notification of an iPhone: without an alert the push is a silent one.
        guard !body.isEmpty || (!title.isEmpty && (!isApple || alert.object != nil)) else { return nil }
        self.title = title
        self.subtitle = isApple ? subtitle : ""
        self.body = body
        self.when = when
    }

    private static func text(_ alert: JSONValue, _ name: String) -> String? {
        alert[name]?.string ?? localized(alert, name + "-loc-key")
    }

    /// A text that the app has in the user's language: only its key is known here.
    private static func localized(_ alert: JSONValue, _ name: String) -> String? {
        alert[name]?.string.map { "‹\($0)›" }
    }
}
