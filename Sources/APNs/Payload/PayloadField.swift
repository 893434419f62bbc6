package import PushModel

/// A field of a message that becomes a member of `aps`.
package enum PayloadField: String, Hashable, Sendable, CaseIterable {
    /// `message.title`.
    case title
    /// `message.subtitle`.
    case subtitle
    /// `message.body`.
    case body
    /// `message.badge`.
    case badge
    /// `message.sound`.
    case sound
    /// `message.category`.
    case category
    /// `message.threadId`.
    case threadId
    /// `message.targetContentId`.
    case targetContentId
    /// `message.launchImage`.
    case launchImage
    /// `message.filterCriteria`.
    case filterCriteria
    /// `message.interruptionLevel`.
    case interruptionLevel
    /// `message.relevanceScore`.
    case relevanceScore
    /// `message.mutableContent`.
    case mutableContent
    /// `message.contentAvailable`.
    case contentAvailable

    /// True when people see, hear or count the field: without it the message would mean something else.
    package var isPerceived: Bool {
        switch self {
        case .title, .subtitle, .body, .badge, .sound: true
        case .category, .threadId, .targetContentId, .launchImage, .filterCriteria, .interruptionLevel,
            .relevanceScore, .mutableContent, .contentAvailable:
            false
        }
    }

    /// True when the message sets the field.
    package func isSet(in content: MessageContent) -> Bool {
        switch self {
        case .title: content.title != nil
        case .subtitle: content.subtitle != nil
        case .body: content.body != nil
        case .badge: content.badge != nil
        case .sound: content.sound != nil
        case .category: content.category != nil
        case .threadId: content.threadId != nil
        case .targetContentId: content.targetContentId != nil
        case .launchImage: content.launchImage != nil
        case .filterCriteria: content.filterCriteria != nil
        case .interruptionLevel: content.interruptionLevel != nil
        case .relevanceScore: content.relevanceScore != nil
        case .mutableContent: content.mutableContent == true
        case .contentAvailable: content.contentAvailable == true
        }
    }
}

extension PushType {
    /// True when a payload of this type supports the message's field; `data` and headers are always supported.
    package func carries(_ field: PayloadField) -> Bool {
        switch self {
        case .alert, .voip, .complication, .fileprovider, .location, .pushtotalk: true
        case .background: field == .contentAvailable
        case .liveactivity: field == .title || field == .body || field == .sound || field == .relevanceScore
        case .widgets, .controls, .mdm: false
        }
    }

    /// The maximum size of a broadcast's payload in bytes, for any push type: 5,120 (<doc:ApplePayloads#Push-types>).
    package static let broadcastLimit = 5120
}
