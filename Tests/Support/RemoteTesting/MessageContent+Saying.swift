internal import Base
package import Push

extension MessageContent {
    /// A content that says one thing.
    package static func saying(_ field: ContentField) -> MessageContent {
        var content = MessageContent()
        switch field {
        case .title: content.title = .localized(key: "TITLE", arguments: ["2", "2"])
        case .subtitle: content.subtitle = .text("subtitle")
        case .body: content.body = .text("It's now 2-2.")
        case .badge: content.badge = .number(3)
        case .sound: content.sound = .detailed(name: "horn", critical: true, volume: 0.5)
        case .category: content.category = "category"
        case .threadId: content.threadId = "thread"
        case .targetContentId: content.targetContentId = "window"
        case .launchImage: content.launchImage = "image"
        case .filterCriteria: content.filterCriteria = "filter"
        case .interruptionLevel: content.interruptionLevel = .timeSensitive
        case .relevanceScore: content.relevanceScore = 0.5
        case .mutableContent: content.mutableContent = true
        case .contentAvailable: content.contentAvailable = true
        case .collapseId: content.collapseId = "collapse"
        case .priority: content.priority = 5
        case .pushType: content.pushType = .voip
        case .liveActivity: content.liveActivity = LiveActivity(event: .update, contentState: ["score": 2])
        case .data: content.data = ["game": 1]
        case .deliveryKey: content.deliveryKey = "delivery"
        case .silent: content.silent = true
        case .action: content.action = "action"
        case .channel: content.channel = "channel"
        }
        return content
    }
}
