package import JSONValue

/// What a push does to a Live Activity; what it shows then is the message's title, body and sound.
///
/// Source: "Starting and updating Live Activities with ActivityKit push notifications".
package struct LiveActivity: Hashable, Sendable {
    /// What happens to it.
    package var event: Event
    /// The dynamic part, as the app's type decodes it; always an object.
    package var contentState: JSONValue?
    /// The name of the app's type of fixed values; only to start.
    package var attributesType: String?
    /// The fixed values; always an object, only to start.
    package var attributes: JSONValue?
    /// Of several updates the one with the latest time counts; nil: when the delivery starts.
    package var timestamp: OffsetInstant?
    /// From when on it is shown as out of date.
    package var staleDate: OffsetInstant?
    /// When an ended one leaves the screen, at once if it is past; only to end.
    package var dismissalDate: OffsetInstant?
    /// Whether a started one asks for a token to be updated by (iOS 18); only to start.
    package var inputPushToken: Bool

    /// What happens to a Live Activity.
    package enum Event: String, Hashable, Sendable, CaseIterable {
        /// It appears.
        case start
        /// It changes.
        case update
        /// It ends.
        case end
    }

    /// Joins them.
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
    /// The `alert` of a Live Activity: an object, in which a localized text is one too, and the sound stands inside.
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
