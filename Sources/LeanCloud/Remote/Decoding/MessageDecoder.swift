internal import Base
internal import Push

/// Turns the content that devices receive into a campaign's message.
struct MessageDecoder {
    /// The content for Apple devices; nil: none is reached.
    let apple: AppleView?
    /// The content for Android devices; nil: none is reached.
    let android: AndroidView?
    /// The vendor-specific content.
    let vendors: JSONObject
    /// Android's notification channel.
    let channel: String?

    /// The message.
    var message: Message {
        guard let apple else {
            var common = android.map(Self.content) ?? MessageContent()
            guard let androidOnly = takeAndroidOnly(from: &common) else {
                return Message(common: common, vendors: vendors)
            }
            return Message(common: common, android: androidOnly, vendors: vendors)
        }
        let own = Self.content(apple)
        guard let android else { return Message(common: own) }
        return split(own, Self.content(android))
    }

    /// Uses common fields where both platforms agree, otherwise each platform's own.
    private func split(_ apple: MessageContent, _ android: MessageContent) -> Message {
        var common = apple
        var ios = MessageContent()
        var other = android
        func divide<Value: Equatable>(_ field: WritableKeyPath<MessageContent, Value?>) {
            if apple[keyPath: field] == android[keyPath: field] {
                other[keyPath: field] = nil
            } else {
                common[keyPath: field] = nil
                ios[keyPath: field] = apple[keyPath: field]
            }
        }
        divide(\.title)
        divide(\.body)
        divide(\.data)
        other.channel = channel
        return Message(
            common: common, ios: ios == MessageContent() ? nil : ios,
            android: other == MessageContent() ? nil : other, vendors: vendors)
    }

    /// The fields that are allowed only under `android`.
    private func takeAndroidOnly(from content: inout MessageContent) -> MessageContent? {
        var own = MessageContent()
        own.silent = content.silent
        own.action = content.action
        own.channel = channel
        content.silent = nil
        content.action = nil
        return own == MessageContent() ? nil : own
    }

    private static func content(_ view: AndroidView) -> MessageContent {
        var content = MessageContent()
        content.body = view.fields["alert"]?.string.map(LocalizableText.text)
        content.title = view.fields["title"]?.string.map(LocalizableText.text)
        content.silent = view.fields["silent"]?.bool
        content.action = view.fields["action"]?.string
        content.data = view.custom.isEmpty ? nil : view.custom
        return content
    }

    private static func content(_ view: AppleView) -> MessageContent {
        var content = MessageContent()
        let alert = view.aps["alert"]?.object ?? [:]
        content.title = text(alert, "title", "title-loc-key", "title-loc-args")
        content.subtitle = text(alert, "subtitle", "subtitle-loc-key", "subtitle-loc-args")
        content.body = text(alert, "body", "loc-key", "loc-args")
        content.launchImage = alert["launch-image"]?.string
        if let badge = view.aps["badge"] { content.badge = badge.integer.map { .number(Int($0)) } ?? .increment }
        content.sound = view.aps["sound"].map(sound)
        content.category = view.aps["category"]?.string
        content.threadId = view.aps["thread-id"]?.string
        content.targetContentId = view.aps["target-content-id"]?.string
        content.filterCriteria = view.aps["filter-criteria"]?.string
        content.interruptionLevel = view.aps["interruption-level"]?.string.flatMap { name in
            InterruptionLevel.allCases.first { $0.apnsValue == name }
        }
        content.relevanceScore = view.aps["relevance-score"]?.double
        if view.aps["mutable-content"] != nil { content.mutableContent = true }
        if view.aps["content-available"] != nil { content.contentAvailable = true }
        content.collapseId = view.headers["collapse-id"]?.string
        content.priority = view.headers["apns-priority"]?.integer.map(Int.init)
        content.data = view.custom.isEmpty ? nil : view.custom
        // An unknown type is found when the request is encoded again.
        let type = (view.headers["apns-push-type"]?.string).map { PushType(rawValue: $0) } ?? .alert
        if content.effectivePushType != type { content.pushType = type }
        if content.effectivePushType == .background, content.priority == 5 { content.priority = nil }
        return content
    }

    private static func text(
        _ alert: JSONObject, _ text: String, _ key: String, _ arguments: String
    ) -> LocalizableText? {
        if let text = alert[text]?.string { return .text(text) }
        guard let key = alert[key]?.string else { return nil }
        return .localized(key: key, arguments: alert[arguments]?.array?.compactMap(\.string) ?? [])
    }

    private static func sound(_ value: JSONValue) -> Sound {
        guard let name = value["name"]?.string else { return .name(value.string ?? "") }
        return .detailed(name: name, critical: value["critical"]?.bool ?? false, volume: value["volume"]?.double)
    }
}
