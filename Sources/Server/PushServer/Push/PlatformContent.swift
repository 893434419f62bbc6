internal import DeviceRegistry
internal import JSONValue

/// The content that a device of one platform gets from a push's `data`.
///
/// Source: docs/background/leancloud/push.md#content: a platform's object overrides the defaults beside it.
enum PlatformContent {
    private static let platforms: Set<String> = [
        "ios", "android", "mi", "hms", "mz", "vivo", "oppo", "fcm", "honor", "wp",
    ]

    /// The content for a platform and a vendor's channel on it.
    static func content(of data: JSONValue, platform: String, vendor: String? = nil) -> JSONValue {
        let members = data.object ?? [:]
        var content = members.filter { !platforms.contains($0.key) }
        for key in [isApple(platform) ? "ios" : platform, vendor?.lowercased() ?? ""] {
            for (name, value) in members[key]?.object ?? [:] where platforms.contains(key) { content[name] = value }
        }
        return .object(content)
    }

    /// True if the push increments an Apple device's badge.
    static func incrementsBadge(_ data: JSONValue) -> Bool {
        let content = content(of: data, platform: "ios")
        return content["badge"] == "Increment" || content["aps"]?["badge"] == "Increment"
    }

    /// The content of a received message as its device sees it.
    static func content(of push: ReceivedPush) -> JSONValue {
        var content = content(of: push.data, platform: push.platform, vendor: push.vendor)
        guard let badge = push.badge else { return content }
        if content["badge"] == "Increment" { content["badge"] = .integer(badge) }
        if var aps = content["aps"], aps["badge"] == "Increment" {
            aps["badge"] = .integer(badge)
            content["aps"] = aps
        }
        return content
    }

    private static func isApple(_ platform: String) -> Bool {
        switch platform {
        case "ios", "macos", "tvos", "watchos": true
        default: false
        }
    }
}
