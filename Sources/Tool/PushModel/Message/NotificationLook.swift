package import JSONValue

/// What a device of one platform shows of a message: all that a preview is drawn from.
package struct NotificationLook: Hashable, Sendable {
    /// The platform.
    package var platform: Platform
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
    /// The sound; on Android the app's channel has it.
    package var sound: Sound?
    /// How it interrupts.
    package var interruptionLevel: InterruptionLevel?
    /// What groups notifications.
    package var threadId: String?
    /// The category of actions.
    package var category: String?
    /// Notifications of one id replace each other.
    package var collapseId: String?
    /// The address of a picture that the app's service extension is told of: with `mutableContent`, the first of the
    /// custom keys, in order, whose value is the web address of one.
    package var image: String?
    /// What happens to a Live Activity; nil for everything else.
    package var activity: LiveActivity.Event?
    /// What the Live Activity is told; the app draws it. Always an object.
    package var contentState: JSONValue?

    /// What a message looks like on a platform.
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

    /// Nothing but a platform and a push type.
    package init(platform: Platform, pushType: PushType) {
        self.platform = platform
        self.pushType = pushType
    }

    /// Whether a person sees nothing of it.
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
