package import JSONValue

/// What a campaign shows, with what differs on a platform.
///
/// An immutable object: it is most of a campaign, and campaigns are copied by the ten thousand.
package final class Message: Sendable {
    /// What every platform shows.
    package let common: MessageContent
    /// What differs on iOS.
    package let ios: MessageContent?
    /// What differs on Android.
    package let android: MessageContent?
    /// Passed through to LeanCloud's per-vendor content: `mi hms mz honor vivo oppo fcm`.
    package let vendors: JSONObject

    /// Makes a message.
    package init(
        common: MessageContent, ios: MessageContent? = nil, android: MessageContent? = nil,
        vendors: JSONObject = [:]
    ) {
        self.common = common
        self.ios = ios
        self.android = android
        self.vendors = vendors
    }

    /// The content as one platform sees it.
    package func content(for platform: Platform) -> MessageContent {
        let override: MessageContent?
        switch platform {
        case .ios: override = ios
        case .android: override = android
        }
        return override.map(common.overridden(by:)) ?? common
    }
}

extension Message: Equatable {
    /// Whether two messages show the same.
    package static func == (left: Message, right: Message) -> Bool {
        left === right
            || left.common == right.common && left.ios == right.ios && left.android == right.android
                && left.vendors == right.vendors
    }
}

/// Text, or the key of a text that the app has localized.
package enum LocalizableText: Hashable, Sendable {
    /// The text itself.
    case text(String)
    /// A key of the app's `Localizable.strings`, with what fills its places.
    case localized(key: String, arguments: [String])

    /// The text, or the key with what fills its places: `SCORE(Giants, 2)`.
    package var shownText: String {
        switch self {
        case .text(let text): text
        case .localized(let key, let arguments):
            arguments.isEmpty ? key : "\(key)(\(arguments.joined(separator: ", ")))"
        }
    }
}

/// The number on the app's icon.
package enum Badge: Hashable, Sendable {
    /// Exactly this; 0 removes it.
    case number(Int)
    /// One more than the installation's.
    case increment
}

/// The sound of a notification.
package enum Sound: Hashable, Sendable {
    /// A file in the app's bundle, or `default`.
    case name(String)
    /// A critical alert's: `volume` from 0 to 1.
    case detailed(name: String, critical: Bool, volume: Double?)
}

/// How a notification interrupts.
package enum InterruptionLevel: String, Hashable, Sendable, CaseIterable {
    /// Goes to the list without lighting the screen.
    case passive
    /// The default.
    case active
    /// Breaks through a Focus where the app may.
    case timeSensitive
    /// Breaks through everything where the app may.
    case critical

    /// Apple's spelling.
    package var apnsValue: String { self == .timeSensitive ? "time-sensitive" : rawValue }
}

/// Apple's push types, with what each asks of topic, priority and size.
///
/// Source: "Sending notification requests to APNs".
package enum PushType: String, Hashable, Sendable, CaseIterable {
    /// A notification that is shown.
    case alert
    /// A silent one.
    case background
    /// VoIP calls.
    case voip
    /// Watch complications.
    case complication
    /// File Provider extensions.
    case fileprovider
    /// Device management.
    case mdm
    /// Location queries.
    case location
    /// Live Activities.
    case liveactivity
    /// Push to talk.
    case pushtotalk
    /// Widgets.
    case widgets
    /// Controls.
    case controls

    /// What is appended to the bundle id.
    package var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    /// The bytes that Apple takes.
    package var payloadLimit: Int { self == .voip ? 5120 : 4096 }
}
