internal import DeviceRegistry
internal import JSONValue

/// A notification as shown on a lock screen.
struct NotificationView: Hashable {
    let title: String
    let subtitle: String
    let body: String
    /// The time of receipt, relative to now; empty in a preview.
    let when: String

    /// Creates the notification a device shows for a push's content; `nil` for a silent push or one without text.
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
        // A title alone is no notification on an iPhone: without an alert the push is silent.
        guard !body.isEmpty || (!title.isEmpty && (!isApple || alert.object != nil)) else { return nil }
        self.title = title
        self.subtitle = isApple ? subtitle : ""
        self.body = body
        self.when = when
    }

    private static func text(_ alert: JSONValue, _ name: String) -> String? {
        alert[name]?.string ?? localized(alert, name + "-loc-key")
    }

    /// The key of a text localised by the app: the text itself is not known here.
    private static func localized(_ alert: JSONValue, _ name: String) -> String? {
        alert[name]?.string.map { "‹\($0)›" }
    }
}
