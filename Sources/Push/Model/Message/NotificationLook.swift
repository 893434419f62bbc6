package import Base

/// The look of a message on devices of one platform: everything a preview is drawn from.
package struct NotificationLook: Hashable, Sendable {
    /// The platform.
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
    /// The text.
    package var body: LocalizableText?
    /// The number on the icon; no service sends one to Android.
    package var badge: Badge?
    /// The sound; on Android it belongs to the app's channel.
    package var sound: Sound?
    /// The interruption level.
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

extension Platform {
    /// The name of its devices in text.
    package var displayName: String {
        switch self {
        case .ios: "iPhone"
        case .android: "Android"
        }
    }
}
