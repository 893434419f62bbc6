extension Reason {
    /// What files set, and what follows from it: audiences, expirations, the parts of deliveries, local clocks.
    package enum Setting: String, ReasonCode {
        // Audiences, and who is left out of them.
        case everyone, asRecorded, listedDevice, listedDevices, channel, channels, segment, segments, condition
        case platform, platforms, deviceProfile
        case androidOut, otherPlatform, deadToken, deadTokens, staleDays, stale, otherProfile, tooLarge, heldOut, capped
        // Expirations.
        case expiresAfter, expiresAt, neverExpires
        // Parts.
        case stages, localTime, variants, holdout, rest
        // Local clocks.
        case clocksBack, clocksForward, inQuietHours, atNight

        package var words: (english: String, chinese: String) {
            switch self {
            case .everyone: ("everyone", "全部设备")
            case .asRecorded: ("as recorded", "以记录为准")
            case .listedDevice: ("{} listed device ({}), {}", "指定的 {} 台设备（{}），{}")
            case .listedDevices: ("{} listed devices ({}), {}", "指定的 {} 台设备（{}），{}")
            case .channel: ("channel {}", "频道 {}")
            case .channels: ("channels {} or {}", "频道 {} 或 {}")
            case .segment: ("segment {}", "分群 {}")
            case .segments: ("segments {} and {}", "分群 {} 且 {}")
            case .condition: ("where {}", "条件 {}")
            case .platform: ("on {}", "平台 {}")
            case .platforms: ("on {} or {}", "平台 {} 或 {}")
            case .deviceProfile: ("deviceProfile {}", "deviceProfile {}")
            case .androidOut: ("{} Android: no way to them here", "{} 台 Android：这里没有通道")
            case .otherPlatform: ("{} of another platform or without a token", "{} 台属于其他平台或没有 token")
            case .deadToken: ("{} dead token", "{} 个失效 token")
            case .deadTokens: ("{} dead tokens", "{} 个失效 token")
            case .staleDays: ("{} not seen for {} days", "{} 台已 {} 天没有出现")
            case .stale: ("{} not seen for {}", "{} 台已 {}没有出现")
            case .otherProfile: ("{} of another deviceProfile or topic", "{} 台的 deviceProfile 或 Topic 不同")
            case .tooLarge: ("{} too large with values of their own", "{} 台代入字段值后过大")
            case .heldOut: ("{} held out", "对照组 {} 台")
            case .capped: ("{} capped", "频次已满 {} 台")
            case .expiresAfter: ("after {}", "发送后 {}")
            case .expiresAt: ("at {}", "{} 为止")
            case .neverExpires: ("never", "不限")
            case .stages: ("{}; {} between stages", "{}；各阶段间隔 {}")
            case .localTime: ("{} by each device's clock, otherwise {}", "以每台设备的时钟 {} 为准，否则以 {} 为准")
            case .variants: ("{}; the rest within {}, otherwise {}", "{}；其余设备在 {} 之内选定，否则 {}")
            case .holdout: ("{} by {}", "{}（{}）")
            case .rest: ("rest", "其余")
            case .clocksBack: ("clocks there go back {} at {}", "当地时钟于 {1} 拨慢 {0}")
            case .clocksForward: ("clocks there go forward {} at {}", "当地时钟于 {1} 拨快 {0}")
            case .inQuietHours: ("in quiet hours", "处于免打扰时段")
            case .atNight: ("at night there", "当地为夜间")
            }
        }
    }
}
