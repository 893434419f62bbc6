internal import Diagnostics
internal import JSONValue
internal import LocatedYAML
internal import PushModel

extension MessageReader {
    /// What happens to a Live Activity; nil without an event.
    func liveActivity(_ map: MapReader<LiveActivityField>) -> LiveActivity? {
        func values(_ field: LiveActivityField) -> JSONValue? {
            map[field].map { .object(object($0, map.type(field), map.label(field))) }
        }
        func instant(_ field: LiveActivityField) -> OffsetInstant? {
            map[field].flatMap { context.instant($0, map.label(field)) }
        }
        let event = map.choice(.event, as: LiveActivity.Event.self)
        // Everything is read, so that all that is wrong is said, even without an event.
        let activity = LiveActivity(
            event: event ?? .update, contentState: values(.contentState), attributesType: map.string(.attributesType),
            attributes: values(.attributes), timestamp: instant(.timestamp), staleDate: instant(.staleDate),
            dismissalDate: instant(.dismissalDate), inputPushToken: map.flag(.inputPushToken) ?? false)
        guard let event else { return nil }
        check(event, map)
        return activity
    }

    /// What goes with the event, and what it needs.
    private func check(_ event: LiveActivity.Event, _ map: MapReader<LiveActivityField>) {
        for field in LiveActivityField.allCases where map.has(field) {
            guard let owner = field.owner, owner != event else { continue }
            map.report(
                .conflictingKeys, "'\(map.label(field).name)' goes with event \(owner.rawValue) only", atKeyOf: field)
        }
        for field in LiveActivityField.required(by: event) where !map.has(field) {
            let name = map.label(field).name
            context.report(.missingKey, "event \(event.rawValue) needs '\(name)'", at: map.key(.event))
        }
    }

    /// What a Live Activity push needs of the rest of the message, as an Apple device would see it.
    func checkLiveActivity(
        _ content: MessageContent, _ common: MapReader<MessageField>, _ ios: MapReader<MessageField>?
    ) {
        func map(having field: MessageField) -> MapReader<MessageField>? {
            if let ios, ios.has(field) { return ios }
            return common.has(field) ? common : nil
        }
        guard let activity = content.liveActivity else {
            if content.pushType == .liveactivity, let place = map(having: .pushType), map(having: .liveActivity) == nil
            {
                place.report(
                    .pushType, "a Live Activity push needs 'liveActivity'", atKeyOf: .pushType,
                    help: "say what happens to it: liveActivity: {event: update, contentState: {…}}")
            }
            return
        }
        if let type = content.pushType, type != .liveactivity, let place = map(having: .liveActivity) {
            place.report(
                .pushType, "'liveActivity' goes with push type liveactivity only, not \(type.rawValue)",
                atKeyOf: .liveActivity)
        }
        if activity.event == .start, content.title == nil, content.body == nil, let place = map(having: .liveActivity) {
            place.report(
                .pushType, "starting a Live Activity needs an alert: a 'title' and a 'body'", atKeyOf: .liveActivity)
        }
    }
}
