package import Base

/// The change that a push makes to a Live Activity; the message's title, body and sound are shown with it.
///
/// Source: "Starting and updating Live Activities with ActivityKit push notifications".
package struct LiveActivity: Hashable, Sendable {
    package var event: Event
    /// The dynamic values, as the app's type decodes them; always an object.
    package var contentState: JSONValue?
    /// The name of the app's type of the fixed values; for start only.
    package var attributesType: String?
    /// The fixed values; always an object, for start only.
    package var attributes: JSONValue?
    /// The time of the update; of several, the latest counts; nil: when the delivery starts.
    package var timestamp: OffsetInstant?
    /// The time from which the activity is shown as outdated.
    package var staleDate: OffsetInstant?
    /// The time an ended activity leaves the screen, at once if past; for end only.
    package var dismissalDate: OffsetInstant?
    /// True when a started activity requests a token for updates (iOS 18); for start only.
    package var inputPushToken: Bool

    package enum Event: String, Hashable, Sendable, CaseIterable {
        case start
        case update
        case end

        /// The fields that the event requires.
        package var needed: [String] {
            switch self {
            case .start: ["contentState", "attributesType", "attributes"]
            case .update: ["contentState"]
            case .end: []
            }
        }

        /// The fields that belong to a single event.
        fileprivate static let fieldsOfOne = ["attributesType", "attributes", "dismissalDate", "inputPushToken"]

        /// The fields that belong to this event only.
        package var ownFields: [String] {
            switch self {
            case .start: ["attributesType", "attributes", "inputPushToken"]
            case .update: []
            case .end: ["dismissalDate"]
            }
        }
    }

    package init(
        event: Event, contentState: JSONValue? = nil, attributesType: String? = nil, attributes: JSONValue? = nil,
        timestamp: OffsetInstant? = nil, staleDate: OffsetInstant? = nil, dismissalDate: OffsetInstant? = nil,
        inputPushToken: Bool = false
    ) {
        self.event = event
        self.contentState = contentState
        self.attributesType = attributesType
        self.attributes = attributes
        self.timestamp = timestamp
        self.staleDate = staleDate
        self.dismissalDate = dismissalDate
        self.inputPushToken = inputPushToken
    }

    /// The fields of a message's `liveActivity`.
    package static let fields = FieldTable<Self>(
        "Campaign.message.liveActivity", "A Live Activity's event and content", "对实时活动做什么",
        blank: LiveActivity(event: .update),
        rules: Event.allCases.map { event in
            .when(
                .equals(["event"], .string(event.rawValue)),
                .allOf(
                    event.needed.map { .has([$0]) }
                        + [.lacks(Event.fieldsOfOne.filter { !event.ownFields.contains($0) })]))
        },
        [
            FieldRow(required: "event", .choice(Event.self), "The event", "事件", { $0.event }, { $0.event = $1 }),
            FieldRow(
                "contentState", .object(keys: .anyKey),
                "start and update, required: the dynamic values, as the app decodes",
                "start 与 update 必填：动态数据，结构与应用解码时一致", { $0.contentState }, { $0.contentState = $1 }),
            FieldRow(
                "attributesType", .text, "start, required: the app's type of the fixed values", "start 必填：固定数据在应用中的类型名",
                { $0.attributesType }, { $0.attributesType = $1 }),
            FieldRow(
                "attributes", .object(keys: .anyKey), "start, required: the fixed values", "start 必填：固定数据",
                { $0.attributes }, { $0.attributes = $1 }),
            FieldRow(
                "timestamp", .instant, default: "when the delivery starts", "Of several updates the latest counts",
                "多次更新以时间最晚的为准", { $0.timestamp }, { $0.timestamp = $1 }),
            FieldRow(
                "staleDate", .instant, "The time after which it is shown as outdated", "从何时起显示为已过时", { $0.staleDate },
                { $0.staleDate = $1 }),
            FieldRow(
                "dismissalDate", .instant, "end: when it leaves the screen, at once if past", "end：何时从屏幕移除；已过去则立即移除",
                { $0.dismissalDate }, { $0.dismissalDate = $1 }),
            FieldRow(
                "inputPushToken", .flag, default: "false", "start: ask for a token to update it with",
                "start：是否申请用于后续更新的 token", unless: false, { $0.inputPushToken }, { $0.inputPushToken = $1 }),
        ])

    /// The members of `aps`, in Apple's spelling; times are seconds since 1970.
    package var apsFields: JSONObject {
        var fields: JSONObject = ["event": .string(event.rawValue)]
        fields["content-state"] = contentState
        fields["attributes-type"] = attributesType.map { .string($0) }
        fields["attributes"] = attributes
        fields["timestamp"] = timestamp.map { .integer($0.instant.seconds) }
        fields["stale-date"] = staleDate.map { .integer($0.instant.seconds) }
        fields["dismissal-date"] = dismissalDate.map { .integer($0.instant.seconds) }
        if inputPushToken { fields["input-push-token"] = 1 }
        return fields
    }
}

extension MessageContent {
    /// The `alert` of a Live Activity: an object that contains the sound, and in which localized text is an object too.
    package var liveActivityAlert: JSONValue? {
        var alert: JSONObject = [:]
        alert["title"] = title.map(Self.liveActivityText)
        alert["body"] = body.map(Self.liveActivityText)
        switch sound {
        case .name(let name), .detailed(let name, _, _): alert["sound"] = .string(name)
        case nil: break
        }
        return alert.isEmpty ? nil : .object(alert)
    }

    private static func liveActivityText(_ text: LocalizableText) -> JSONValue {
        switch text {
        case .text(let text): return .string(text)
        case .localized(let key, let arguments):
            var value: JSONValue = ["loc-key": .string(key)]
            if !arguments.isEmpty { value["loc-args"] = .array(arguments.map { .string($0) }) }
            return value
        }
    }
}
