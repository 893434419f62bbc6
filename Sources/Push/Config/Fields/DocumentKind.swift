/// The kinds of documents; the roots of the schema and the reference.
package enum DocumentKind: String, Sendable, CaseIterable {
    /// The workspace itself.
    case workspace = "Workspace"
    /// A certificate or key.
    case deviceProfile = "DeviceProfile"
    /// A channel.
    case channel = "Channel"
    /// A named condition.
    case segment = "Segment"
    /// A message to an audience.
    case campaign = "Campaign"

    /// The fields of a document of this kind; the fields inside lead to all other mappings.
    package var description: MapDescription {
        switch self {
        case .workspace: .workspace
        case .deviceProfile: .deviceProfile
        case .channel: Channel.fields.description
        case .segment: Segment.fields.description
        case .campaign: Campaign.fields.description
        }
    }

    /// The word for the kind in the middle of a sentence.
    var word: String {
        switch self {
        case .workspace: "workspace"
        case .deviceProfile: "device profile"
        case .channel: "channel"
        case .segment: "segment"
        case .campaign: "campaign"
        }
    }
}
