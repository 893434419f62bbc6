internal import Base
internal import Push

extension NotificationLook {
    /// Creates the look of what a device shows for a push's content; nil for a silent push or one without text.
    ///
    /// Source: docs/background/leancloud/push.md#content.
    init?(pushed content: JSONObject, isApple: Bool) {
        let (aps, alert) = (content["aps"], content["alert"] ?? content["aps"]?["alert"] ?? .null)
        guard isApple || content["silent"]?.bool != true else { return nil }
        self.init(platform: isApple ? .ios : .android, pushType: .alert)
        title = content["title"]?.string.map { .text($0) }
        switch alert {
        case .string(let text): body = .text(text)
        case .object:
            title = Self.text(alert, "title") ?? title
            if isApple { subtitle = Self.text(alert, "subtitle") ?? alert["sub-title"]?.string.map { .text($0) } }
            body = Self.text(alert, "body") ?? Self.localized(alert, "loc")
        case .null, .bool, .integer, .number, .array: break
        }
        (title, subtitle, body) = (title?.visible, subtitle?.visible, body?.visible)
        // A title alone is no notification on an iPhone: without an alert the push is silent.
        guard body != nil || (title != nil && (!isApple || alert.object != nil)) else { return nil }
        guard isApple else { return }
        threadId = content["thread-id"]?.string ?? aps?["thread-id"]?.string
        collapseId = content["collapse-id"]?.string
        let level = content["interruption-level"]?.string ?? aps?["interruption-level"]?.string
        interruptionLevel = InterruptionLevel.allCases.first { $0.apnsValue == level }
    }

    /// The lines that a device shows, as far as it has them.
    var lines: [String] { [title, subtitle, body].compactMap { $0?.shownText } }

    private static func text(_ alert: JSONValue, _ name: String) -> LocalizableText? {
        alert[name]?.string.map { .text($0) } ?? localized(alert, name + "-loc")
    }

    /// A text localised by the app: only its key is known here.
    private static func localized(_ alert: JSONValue, _ name: String) -> LocalizableText? {
        alert[name + "-key"]?.string.map { key in
            .localized(key: key, arguments: (alert[name + "-args"]?.array ?? []).compactMap(\.string))
        }
    }
}

extension LocalizableText {
    fileprivate var visible: LocalizableText? { shownText.isEmpty ? nil : self }
}
