package import Base

/// The `data` of LeanCloud's pushes: content for every device, and beside it objects that override it on one platform or
/// in one vendor's channel.
///
/// Source: docs/background/leancloud/push.md#content.
package struct PushData: Hashable, Sendable {
    /// The members of `data`.
    package let members: JSONObject

    package init(_ members: JSONObject) { self.members = members }

    /// A value that is not an object has no content.
    package init(_ data: JSONValue) { self.init(data.object ?? [:]) }

    /// The keys of objects for one vendor's channel.
    package static let vendors = ["mi", "hms", "mz", "honor", "vivo", "oppo", "fcm"]
    private static let overriding = Set(["ios", "android", "wp"] + vendors)
    /// The keys beside `alert` and `title` that become members of `aps`.
    package static let appleKeys: Set<String> = [
        "badge", "sound", "category", "thread-id", "content-available", "mutable-content", "target-content-id",
        "url-args",
    ]
    /// The keys that become headers of Apple's request.
    package static let headerKeys: Set<String> = ["collapse-id", "apns-priority", "apns-push-type"]
    /// The key of an Android notification channel, besides the request's own parameter.
    package static let notificationChannel = "_notificationChannel"

    /// The content for a platform, or a kind of Apple device, and a vendor's channel on it.
    package func content(for platform: String, vendor: String? = nil) -> JSONObject {
        var content = members.filter { !Self.overriding.contains($0.key) }
        let isApple = ["macos", "tvos", "watchos"].contains(platform)
        for key in [isApple ? "ios" : platform, vendor?.lowercased() ?? ""] where Self.overriding.contains(key) {
            for (name, value) in members[key]?.object ?? [:] { content[name] = value }
        }
        return content
    }

    /// True if the push increments an Apple device's badge.
    package var incrementsBadge: Bool {
        let content = content(for: "ios")
        return content["badge"] == "Increment" || content["aps"]?["badge"] == "Increment"
    }
}
