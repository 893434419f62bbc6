package import Base

/// The content of a campaign, with overrides per platform.
///
/// An immutable object: it is most of a campaign, and campaigns are copied by the tens of thousands.
package final class Message: Sendable {
    /// The content for every platform.
    package let common: MessageContent
    /// The overrides for platforms; a table, because most messages have none and a content is large.
    private let overrides: [Platform: MessageContent]
    /// Passed through to LeanCloud's per-vendor content: `mi hms mz honor vivo oppo fcm`.
    package let vendors: JSONObject
    /// The words in other languages, by the names of these; the message itself is for everybody else.
    package let languages: [MessageLanguage]

    package init(
        common: MessageContent, ios: MessageContent? = nil, android: MessageContent? = nil,
        vendors: JSONObject = [:], languages: [MessageLanguage] = []
    ) {
        self.common = common
        self.languages = languages.sorted { $0.name < $1.name }
        overrides = ios == nil && android == nil ? [:] : [Platform.ios: ios, .android: android].compactMapValues { $0 }
        self.vendors = vendors
    }

    /// The overrides for iOS.
    package var ios: MessageContent? { overrides[.ios] }
    /// The overrides for Android.
    package var android: MessageContent? { overrides[.android] }

    /// The content as one platform sees it.
    package func content(for platform: Platform) -> MessageContent {
        overrides[platform].map(common.overridden(by:)) ?? common
    }

    /// The contents as one platform sees them: the message itself, and one for each language, in the order of their
    /// numbers.
    package func forms(for platform: Platform) -> [MessageContent] {
        let own = content(for: platform)
        return [own] + languages.map { own.overridden(by: $0.content) }
    }

    /// The message as devices of one of its languages get it.
    package func speaking(_ language: MessageLanguage) -> Message {
        Message(
            common: common.overridden(by: language.content), ios: ios?.overridden(by: language.content),
            android: android?.overridden(by: language.content), vendors: vendors)
    }

    /// The choice of a language for a device.
    package var lookup: LanguageLookup { LanguageLookup(languages.map(\.name)) }

    /// The names of the first two languages that are the same one; nil when all differ.
    package var twins: (String, String)? { lookup.twins }
}

/// A message's words in another language.
package struct MessageLanguage: Hashable, Sendable {
    /// The language, as files write it.
    package let name: String
    /// The fields that differ.
    package let content: MessageContent
}

extension Message: Equatable {
    /// True when two messages have the same content.
    package static func == (left: Message, right: Message) -> Bool {
        left === right
            || left.common == right.common && left.overrides == right.overrides && left.vendors == right.vendors
                && left.languages == right.languages
    }
}

/// Text, or the key of a text that the app has localized.
package enum LocalizableText: Hashable, Sendable {
    /// The text itself.
    case text(String)
    /// A key of the app's `Localizable.strings`, with the arguments for its placeholders.
    case localized(key: String, arguments: [String])

    /// The text, or the key with its arguments: `SCORE(Giants, 2)`.
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
    /// This number; 0 removes the badge.
    case number(Int)
    /// One more than the installation's badge.
    case increment
}

/// The sound of a notification.
package enum Sound: Hashable, Sendable {
    /// A file in the app's bundle, or `default`.
    case name(String)
    /// A sound with the options of a critical alert; `volume` is from 0 to 1.
    case detailed(name: String, critical: Bool, volume: Double?)
}

/// The degree to which a notification interrupts.
package enum InterruptionLevel: String, Hashable, Sendable, CaseIterable {
    /// Goes to the list without lighting the screen.
    case passive
    /// The default.
    case active
    /// Breaks through a Focus if the app is allowed to.
    case timeSensitive
    /// Breaks through everything if the app is allowed to.
    case critical

    /// Apple's spelling.
    package var apnsValue: String { self == .timeSensitive ? "time-sensitive" : rawValue }
}

/// Apple's push types, with their requirements for topic, priority and size.
///
/// Source: "Sending notification requests to APNs".
package enum PushType: String, Hashable, Sendable, CaseIterable {
    /// A visible notification.
    case alert
    /// A silent notification.
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

    /// The suffix that is appended to the bundle id.
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

    /// The most payload bytes that Apple accepts.
    package var payloadLimit: Int { self == .voip ? 5120 : 4096 }
}
