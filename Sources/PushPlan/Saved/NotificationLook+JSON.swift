package import JSONValue
package import PushModel

extension NotificationLook {
    /// The members that are set; an alert does not name its push type.
    package var orderedJSON: OrderedJSON {
        var members: [(String, OrderedJSON)] = [("platform", .string(platform.rawValue))]
        if pushType != .alert { members.append(("pushType", .string(pushType.rawValue))) }
        func add(_ name: String, _ value: OrderedJSON?) {
            if let value { members.append((name, value)) }
        }
        add("title", title?.orderedJSON)
        add("subtitle", subtitle?.orderedJSON)
        add("body", body?.orderedJSON)
        add("badge", badge?.orderedJSON)
        add("sound", sound?.orderedJSON)
        add("interruptionLevel", interruptionLevel.map { .string($0.rawValue) })
        add("threadId", threadId.map { .string($0) })
        add("category", category.map { .string($0) })
        add("collapseId", collapseId.map { .string($0) })
        add("image", image.map { .string($0) })
        add("activity", activity.map { .string($0.rawValue) })
        add("contentState", contentState.map { .value($0) })
        return .object(members)
    }
}

extension LocalizableText {
    fileprivate var orderedJSON: OrderedJSON {
        switch self {
        case .text(let text): .string(text)
        case .localized(let key, let arguments):
            arguments.isEmpty
                ? ["key": .string(key)] : ["key": .string(key), "args": .array(arguments.map { .string($0) })]
        }
    }
}

extension Badge {
    fileprivate var orderedJSON: OrderedJSON {
        switch self {
        case .number(let number): .integer(number)
        case .increment: .string("increment")
        }
    }
}

extension Sound {
    fileprivate var orderedJSON: OrderedJSON {
        switch self {
        case .name(let name): return .string(name)
        case .detailed(let name, let critical, let volume):
            let json: OrderedJSON = ["name": .string(name), "critical": .value(.bool(critical))]
            return volume.map { json.adding("volume", .value(.number($0))) } ?? json
        }
    }
}
