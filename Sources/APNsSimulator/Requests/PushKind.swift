/// The push types of docs/background/apple/payloads.md#push-types.
enum PushKind: String, CaseIterable {
    case alert
    case background
    case complication
    case controls
    case fileprovider
    case liveactivity
    case location
    case mdm
    case pushtotalk
    case voip
    case widgets

    /// The suffix after the bundle id in a topic.
    var suffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// The largest payload, in bytes.
    var payloadLimit: Int { self == .voip ? 5120 : 4096 }

    /// True if a topic can belong to this push type.
    func allows(topic: String) -> Bool {
        switch self {
        case .alert, .background: Self.bundle(of: topic) == topic
        case .mdm: topic.hasPrefix("com.apple.mgmt.")
        case .complication, .controls, .fileprovider, .liveactivity, .location, .pushtotalk, .voip, .widgets:
            topic.hasSuffix(suffix) && topic.utf8.count > suffix.utf8.count
        }
    }

    /// A topic without the suffix of a push type.
    static func bundle(of topic: String) -> String {
        for suffix in suffixes where topic.hasSuffix(suffix) { return String(topic.dropLast(suffix.utf8.count)) }
        return topic
    }

    private static let suffixes = allCases.map(\.suffix).filter { !$0.isEmpty }
}
