extension Reason {
    /// How reasons and somebody's words are put together, and the kinds of resources.
    package enum Shape: String, ReasonCode {
        case verbatim, both, also, says, remarked, andMore
        case deviceProfileKind, channelKind, segmentKind, campaignKind

        package var words: (english: String, chinese: String) {
            switch self {
            case .verbatim: ("{}", "{}")
            case .both: ("{}, {}", "{}，{}")
            case .also: ("{}; {}", "{}；{}")
            case .says: ("{}: {}", "{}：{}")
            case .remarked: ("{} ({})", "{}（{}）")
            case .andMore: ("{} and {} more", "{}，另有 {} 个")
            case .deviceProfileKind: ("deviceProfile", "deviceProfile")
            case .channelKind: ("channel", "频道")
            case .segmentKind: ("segment", "分群")
            case .campaignKind: ("campaign", "推送活动")
            }
        }
    }
}

extension ResourceKind {
    /// The kind within other words.
    package var reason: Reason {
        switch self {
        case .deviceProfile: Reason(.deviceProfileKind)
        case .channel: Reason(.channelKind)
        case .segment: Reason(.segmentKind)
        case .campaign: Reason(.campaignKind)
        }
    }
}
