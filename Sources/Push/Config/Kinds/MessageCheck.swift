internal import Base
internal import YAML

/// Checks the fields of a message against each other, as a device would see them.
struct MessageCheck {
    let message: Message
    let platforms: [Platform]
    let document: MapReader

    private var context: ReadingContext { document.context }
    // Looked up only when there is something to report.
    private var map: MapReader? { document.inner("message") }
    private var ios: MapReader? { map?.inner("ios") }
    private var android: MapReader? { map?.inner("android") }

    /// Reports problems and returns the platforms on which the message shows nothing and does nothing.
    func emptyPlatforms() -> Set<Platform> {
        let before = context.diagnostics.count
        checkEvent(message.common) { map }
        if let content = message.ios { checkEvent(content) { ios } }
        if let content = message.android { checkEvent(content) { android } }
        if platforms != [.android] {
            let content = message.content(for: .ios)
            checkPushType(content)
            checkLiveActivity(content)
        }
        checkDeliveryKey(.ios) { ios }
        checkDeliveryKey(.android) { android }
        // An unreadable message may well have something to show.
        guard !message.common.isVisible, context.diagnostics.count == before,
            !context.faultyMappings.contains(Message.fields.name), map != nil
        else { return [] }
        return Set(
            Platform.allCases.filter { platform in
                let content = message.content(for: platform)
                if content.isVisible || content.contentAvailable == true { return false }
                switch platform {
                case .ios: return content.effectivePushType == .alert || content.effectivePushType == .background
                case .android: return content.silent != true && message.vendors.isEmpty
                }
            })
    }

    /// The mapping in which an Apple device finds the field.
    private func map(having name: String) -> MapReader? {
        if let ios, ios.has(name) { return ios }
        return map.flatMap { $0.has(name) ? $0 : nil }
    }

    /// Checks that a background push shows nothing and has priority 5.
    private func checkPushType(_ content: MessageContent) {
        guard content.contentAvailable != nil || content.pushType != nil, content.effectivePushType == .background
        else { return }
        for name in Message.visible {
            map(having: name)?.report(
                .pushType, "a background push has no '\(name)'", atKeyOf: name, help: "leave out pushType to show it")
        }
        if let priority = content.priority, priority != 5 {
            map(having: "priority")?.report(
                .pushType, "a background push has priority 5, not \(priority)", atKeyOf: "priority")
        }
    }

    private func checkDeliveryKey(_ platform: Platform, _ own: () -> MapReader?) {
        guard
            message.common.deliveryKey != nil || message.ios?.deliveryKey != nil || message.android?.deliveryKey != nil
        else { return }
        let content = message.content(for: platform)
        guard let key = content.deliveryKey, content.data?[key] != nil else { return }
        let place = own().flatMap { $0.has("deliveryKey") ? $0 : nil } ?? map
        place?.report(.conflictingKeys, "'deliveryKey' and 'data' both set \(quoted(key))", atKeyOf: "deliveryKey")
    }
}

// MARK: Live Activities

extension MessageCheck {
    /// Checks the fields that the event allows and requires.
    private func checkEvent(_ content: MessageContent, _ map: () -> MapReader?) {
        guard let event = content.liveActivity?.event, let inner = map()?.inner("liveActivity") else { return }
        for owner in LiveActivity.Event.allCases where owner != event {
            for name in owner.ownFields where inner.has(name) {
                inner.report(
                    .conflictingKeys, "'\(name)' is for event \(owner.rawValue) only", atKeyOf: name)
            }
        }
        for name in event.needed where !inner.has(name) {
            context.report(.missingKey, "event \(event.rawValue) needs '\(name)'", at: inner.key("event"))
        }
    }

    /// Checks what a Live Activity push requires of the rest of the message.
    private func checkLiveActivity(_ content: MessageContent) {
        guard let activity = content.liveActivity else {
            if content.pushType == .liveactivity, map(having: "liveActivity") == nil {
                map(having: "pushType")?.report(
                    .pushType, "a Live Activity push needs 'liveActivity'", atKeyOf: "pushType",
                    help: "add what happens to it: liveActivity: {event: update, contentState: {…}}")
            }
            return
        }
        if let type = content.pushType, type != .liveactivity {
            map(having: "liveActivity")?.report(
                .pushType, "'liveActivity' is for push type liveactivity only, not \(type.rawValue)",
                atKeyOf: "liveActivity")
        }
        if activity.event == .start, content.title == nil, content.body == nil {
            map(having: "liveActivity")?.report(
                .pushType, "starting a Live Activity needs an alert: a 'title' and a 'body'", atKeyOf: "liveActivity")
        }
    }
}
