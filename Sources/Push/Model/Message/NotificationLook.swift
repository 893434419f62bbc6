package import Base

/// The look of a message on devices of one platform: everything a preview is drawn from.
package struct NotificationLook: Hashable, Sendable {
    package var platform: Platform
    /// The language of its words, by its BCP 47 tag; nil: that of the message itself.
    package var language: String?
    /// The variant that it shows; nil: all devices get the same.
    package var variant: String?
    /// The device that it is a sample of; nil: all show the same. It is not written.
    package var sample: LookSample?
    /// Apple's push type; on Android always ``PushType/alert`` or, when silent, ``PushType/background``.
    package var pushType: PushType
    /// The first line.
    package var title: LocalizableText?
    /// The second line, which Android does not have.
    package var subtitle: LocalizableText?
    package var body: LocalizableText?
    /// The number on the icon; no service sends one to Android.
    package var badge: Badge?
    /// The sound; on Android it belongs to the app's channel.
    package var sound: Sound?
    package var interruptionLevel: InterruptionLevel?
    /// The key that groups notifications.
    package var threadId: String?
    /// The category of actions.
    package var category: String?
    /// The id under which notifications replace each other.
    package var collapseId: String?
    /// The URL of a picture for the app's service extension: with `mutableContent`, the first custom key, in order,
    /// whose value is the web address of a picture.
    package var image: String?
    /// The event of a Live Activity; nil for everything else.
    package var activity: LiveActivity.Event?
    /// The content state of a Live Activity, which the app draws; always an object.
    package var contentState: JSONValue?
    /// The services that show it alike on Android devices; empty where one service decides for all.
    package var services: [ShownService] = []

    /// Creates the look of a message on a platform.
    package init(_ message: Message, on platform: Platform) {
        let content = message.content(for: platform)
        self.platform = platform
        switch platform {
        case .ios:
            pushType = content.effectivePushType
            subtitle = content.subtitle
            activity = content.liveActivity?.event
            contentState = content.liveActivity?.contentState
            badge = content.badge
            sound = content.sound
        case .android:
            pushType = content.silent == true ? .background : .alert
        }
        title = content.title
        body = content.body
        interruptionLevel = content.interruptionLevel
        threadId = content.threadId
        category = content.category
        collapseId = content.collapseId
        if content.mutableContent == true { image = Self.image(in: content) }
    }

    /// Creates a look with only a platform and a push type.
    package init(platform: Platform, pushType: PushType) {
        self.platform = platform
        self.pushType = pushType
    }

    /// The platform, the variant, and the language if the message has several: `iOS · emoji · zh-Hant`.
    package var caption: String {
        ([platform.displayName] + [variant, language].compactMap(\.self)).joined(separator: " · ")
    }

    /// True when a person sees nothing of the push.
    package var isSilent: Bool {
        switch pushType {
        case .alert, .liveactivity: title == nil && subtitle == nil && body == nil && pushType == .alert
        case .background, .voip, .complication, .fileprovider, .mdm, .location, .pushtotalk, .widgets, .controls: true
        }
    }

    private static let imageEndings = [".png", ".jpg", ".jpeg", ".gif", ".heic", ".webp"]

    private static func image(in content: MessageContent) -> String? {
        for (_, value) in (content.data ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let text = value.string, text.hasPrefix("https://") || text.hasPrefix("http://") else { continue }
            let path = text.prefix { $0 != "?" && $0 != "#" }.lowercased()
            if imageEndings.contains(where: path.hasSuffix) { return text }
        }
        return nil
    }
}

/// A service of Android devices, with what of a message is its own: the rest looks the same with all of them.
package struct ShownService: Hashable, Sendable {
    /// The service.
    package var vendor: PushVendor
    /// What the message bears for it, by the names of the profile's fields: `category WORK`.
    package var settings: [String] = []
    /// The most characters of a title; nil: only the message's bytes are limited.
    package var mostTitle: Int?
    /// The most characters of a text.
    package var mostBody: Int?
    /// The messages of this kind that it shows a device in a day, by its documents; nil: they name no number.
    package var mostPerDay: Int?
    /// The hours in which it delivers this kind of message, in China's time: `07:00-23:00`; nil: all.
    package var hours: String?
    /// True if it takes no such message, so that its devices are left out.
    package var isLeftOut = false

    package init(_ vendor: PushVendor) { self.vendor = vendor }
}

extension Platform {
    /// The name of its devices in text.
    package var displayName: String {
        switch self {
        case .ios: "iPhone"
        case .android: "Android"
        }
    }
}

// MARK: - Looks

extension Campaign {
    /// The looks of the message, or of its variants, and of its languages, on each platform that its audience and a
    /// remote can reach by these profiles, the platforms in order; the conditions of the workspace's segments may leave a
    /// platform out.
    package func looks(
        on remote: RemoteType, by encoder: any RequestEncoding, segments: [String: Segment],
        profiles: some Collection<DeviceProfile>
    ) -> [NotificationLook] {
        let possible = audience.possiblePlatforms(segments: segments)
        let reached = remote.platforms.union(profiles.contains { $0.vendor != .apns } ? [.android] : [])
        let services = encoder.services(
            showing: self,
            by: profiles.filter { profile in
                audience.deviceProfile.map { $0 == profile.name } ?? (profile.environment == environment)
            })
        return Platform.allCases.filter { reached.contains($0) && possible.contains($0) }.flatMap { platform in
            zip(messages, variants.isEmpty ? [nil] : variants.map(\.name)).flatMap { message, variant in
                let inLanguages = message.languages.map { (message.speaking($0), Optional($0.name)) }
                return ([(message, nil)] + inLanguages).map { words, language in
                    var look = encoder.look(of: words, on: platform, among: possible)
                    (look.language, look.variant) = (language, variant)
                    if platform == .android { look.services = services }
                    return look
                }
            }
        }
    }
}

// MARK: - Sample

/// Which of two samples of a text with places for a device's values is shown.
package enum LookSample: Hashable, Sendable {
    /// What a device without these fields shows.
    case without([String])
    /// What a device with a made-up value of each field shows: `firstName: Ada`.
    case with([String])
}

extension NotificationLook {
    /// The look on a device without values of its own, and that with made-up ones; only itself if it has no places.
    package var samples: [NotificationLook] {
        let fields = personalFields
        guard !fields.isEmpty else { return [self] }
        let values = fields.map { "\($0): \(Self.value(of: $0))" }
        return [filled(.without(fields)) { $0.default }, filled(.with(values)) { Self.value(of: $0.field) }]
    }

    /// The look on a device without values of its own.
    package var byDefault: NotificationLook { samples[0] }

    private var personalFields: [String] {
        var fields: [String] = []
        for case .text(let text)? in [title, subtitle, body] {
            for value in JSONValue.string(text).personalValues where !fields.contains(value.field) {
                fields.append(value.field)
            }
        }
        return fields
    }

    private func filled(_ sample: LookSample, by word: (PersonalValue) -> String) -> NotificationLook {
        func filled(_ text: LocalizableText?) -> LocalizableText? {
            guard case .text(let text) = text, let personal = try? PersonalText(text) else { return text }
            return .text(
                personal.pieces.map { piece in
                    switch piece {
                    case .words(let words): words
                    case .value(let value): word(value)
                    }
                }.joined())
        }
        var look = self
        (look.title, look.subtitle, look.body) = (filled(title), filled(subtitle), filled(body))
        look.sample = sample
        return look
    }

    /// A made-up value: a name where the field seems to be one.
    private static func value(of field: String) -> String { field.lowercased().contains("name") ? "Ada" : "7" }
}

/// The app as pictures of its notifications show it.
package struct ShownApp: Hashable, Sendable {
    /// The name under its icon.
    package var name: String
    /// The icon, a PNG in base64; nil: the first letter of the name.
    package var icon: String?

    package init(name: String, icon: String? = nil) {
        self.name = name
        self.icon = icon
    }

    /// The problem with the bytes of an icon, in words that follow its name; nil when pictures can show it.
    package static func problem(withIcon bytes: [UInt8]) -> String? {
        guard bytes.count >= 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            return "is no PNG"
        }
        guard bytes.count <= mostIconBytes else {
            return "has \(bytes.count.grouped) bytes; pages take up to \(mostIconBytes.grouped)"
        }
        // The header's width and height, after its length and name.
        func number(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        let (width, height) = (number(at: 16), number(at: 20))
        guard width == height, width > 0 else { return "is \(width) × \(height) pixels; it must be square" }
        return nil
    }

    /// The most bytes of an icon: every page with pictures contains it.
    package static let mostIconBytes = 65_536
}
