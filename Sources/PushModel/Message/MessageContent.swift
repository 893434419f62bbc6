package import JSONValue

/// The fields of a message; those that are not set are nil.
package struct MessageContent: Hashable, Sendable {
    /// The first line.
    package var title: LocalizableText?
    /// The second line.
    package var subtitle: LocalizableText?
    /// The text.
    package var body: LocalizableText?
    /// The number on the icon.
    package var badge: Badge?
    /// The sound.
    package var sound: Sound?
    /// The category of actions.
    package var category: String?
    /// What groups notifications.
    package var threadId: String?
    /// The window brought forward.
    package var targetContentId: String?
    /// The launch image.
    package var launchImage: String?
    /// The criterion of a Focus filter.
    package var filterCriteria: String?
    /// How it interrupts.
    package var interruptionLevel: InterruptionLevel?
    /// From 0 to 1.
    package var relevanceScore: Double?
    /// Whether the app's service extension may change it.
    package var mutableContent: Bool?
    /// Whether the app is woken in the background.
    package var contentAvailable: Bool?
    /// Notifications of one id replace each other; at most 64 bytes.
    package var collapseId: String?
    /// 10, 5 or 1.
    package var priority: Int?
    /// Apple's push type, when written.
    package var pushType: PushType?
    /// What happens to a Live Activity.
    package var liveActivity: LiveActivity?
    /// Custom keys beside `aps`.
    package var data: JSONObject?
    /// The custom key that bears the delivery id.
    package var deliveryKey: String?
    /// Android: passed to the app without a notification.
    package var silent: Bool?
    /// Android: the intent's action.
    package var action: String?
    /// Android: the notification channel.
    package var channel: String?

    /// An empty content.
    package init() {}

    /// This content with the fields that `other` sets put over it; `data` is merged key by key.
    package func overridden(by other: MessageContent) -> MessageContent {
        Self.android.overridden(self, by: other)
    }

    /// Whether there is anything that a device would show, play or count.
    package var isVisible: Bool {
        title != nil || subtitle != nil || body != nil || badge != nil || sound != nil
    }

    /// The push type: the one written; else `liveactivity` for a Live Activity, `background` when only
    /// `contentAvailable` and `data` are given, and `alert` for everything else.
    package var effectivePushType: PushType {
        if let pushType { return pushType }
        if liveActivity != nil { return .liveactivity }
        return contentAvailable == true && !isVisible && isOnlyBackground ? .background : .alert
    }

    /// The priority: the one written; else 5 for `background`, 10 for everything else.
    package var effectivePriority: Int { priority ?? (effectivePushType == .background ? 5 : 10) }

    private var isOnlyBackground: Bool {
        category == nil && threadId == nil && targetContentId == nil && launchImage == nil && filterCriteria == nil
            && interruptionLevel == nil && relevanceScore == nil && mutableContent != true
    }
}
