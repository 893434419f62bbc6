internal import JSONValue
internal import LocatedYAML
internal import PushModel

/// Writes a message.
enum MessageText {
    static func tree(of message: Message) -> YAMLTree {
        var entries = entries(of: message.common)
        if let ios = message.ios { entries.append(.init("ios", .map(Self.entries(of: ios)))) }
        if let android = message.android { entries.append(.init("android", .map(Self.entries(of: android)))) }
        if !message.vendors.isEmpty { entries.append(.init("vendors", .value(.object(message.vendors)))) }
        return .map(entries)
    }

    private static func entries(of content: MessageContent) -> [YAMLTree.Entry] {
        var entries: [YAMLTree.Entry] = []
        func add(_ key: String, _ value: JSONValue?) {
            if let value { entries.append(.init(key, .value(value))) }
        }
        func add(_ key: String, text: String?) { add(key, text.map { .string($0) }) }
        add("title", content.title.map(value))
        add("subtitle", content.subtitle.map(value))
        add("body", content.body.map(value))
        switch content.badge {
        case .number(let number): add("badge", .integer(Int64(number)))
        case .increment: add("badge", "increment")
        case nil: break
        }
        add("sound", content.sound.map(value))
        add("category", text: content.category)
        add("threadId", text: content.threadId)
        add("targetContentId", text: content.targetContentId)
        add("launchImage", text: content.launchImage)
        add("filterCriteria", text: content.filterCriteria)
        add("interruptionLevel", text: content.interruptionLevel?.rawValue)
        add("relevanceScore", content.relevanceScore.map { .number($0) })
        add("mutableContent", content.mutableContent.map { .bool($0) })
        add("contentAvailable", content.contentAvailable.map { .bool($0) })
        add("collapseId", text: content.collapseId)
        add("priority", content.priority.map { .integer(Int64($0)) })
        add("pushType", text: content.pushType?.rawValue)
        if let activity = content.liveActivity { entries.append(.init("liveActivity", tree(of: activity))) }
        add("data", content.data.map { .object($0) })
        add("deliveryKey", text: content.deliveryKey)
        add("silent", content.silent.map { .bool($0) })
        add("action", text: content.action)
        add("channel", text: content.channel)
        return entries
    }

    private static func tree(of activity: LiveActivity) -> YAMLTree {
        var entries: [YAMLTree.Entry] = [.init("event", .value(.string(activity.event.rawValue)))]
        func add(_ key: String, _ tree: YAMLTree?) {
            if let tree { entries.append(.init(key, tree)) }
        }
        add("contentState", activity.contentState.map { .value($0) })
        add("attributesType", activity.attributesType.map { .value(.string($0)) })
        add("attributes", activity.attributes.map { .value($0) })
        add("timestamp", activity.timestamp.map(ConfigurationText.instant))
        add("staleDate", activity.staleDate.map(ConfigurationText.instant))
        add("dismissalDate", activity.dismissalDate.map(ConfigurationText.instant))
        if activity.inputPushToken { add("inputPushToken", .value(true)) }
        return .map(entries)
    }

    private static func value(_ text: LocalizableText) -> JSONValue {
        switch text {
        case .text(let text): return .string(text)
        case .localized(let key, let arguments):
            var value: JSONValue = ["key": .string(key)]
            if !arguments.isEmpty { value["args"] = .array(arguments.map { .string($0) }) }
            return value
        }
    }

    private static func value(_ sound: Sound) -> JSONValue {
        switch sound {
        case .name(let name): return .string(name)
        case .detailed(let name, let critical, let volume):
            var value: JSONValue = ["name": .string(name)]
            if critical { value["critical"] = true }
            if let volume { value["volume"] = .number(volume) }
            return value
        }
    }
}
