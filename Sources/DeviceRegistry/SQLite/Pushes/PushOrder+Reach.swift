internal import Base

/// The routes by which pushes reach devices.
package enum PushWay: Hashable, Sendable {
    /// Simulated inboxes for all devices: nothing leaves the server.
    case inboxes
    /// Apple's service; there is no route to devices of other vendors.
    case apple

    /// True if a push remains to be sent to Apple.
    func leavesApple(of order: PushOrder) -> Bool {
        self == .apple && order.mayReach(Set(InstallationRules.applePlatforms))
    }
}

extension PushOrder {
    /// True if it may reach an iPhone or iPad, judged by `deviceType`.
    ///
    /// The certificate matters then. Source: docs/background/leancloud/push.md#refusals.
    package var mayReachIOS: Bool { mayReach(["ios"]) }

    /// True if it may reach a device of these platforms, judged by `deviceType`.
    func mayReach(_ platforms: Set<String>) -> Bool {
        switch audience {
        case .devices(let platform, _, _): platforms.contains(platform)
        case .query(let condition): platforms.contains { Self.allows(condition, $0) }
        }
    }

    /// The profile of all its devices; nil when the condition names none, or several.
    package var onlyProfile: String? {
        guard case .query(let condition) = audience else { return nil }
        return Self.profile(condition)
    }

    private static func allows(_ condition: JSONValue, _ platform: String) -> Bool {
        if let conditions = condition.array { return conditions.allSatisfy { allows($0, platform) } }
        guard let members = condition.object else { return true }
        return members.allSatisfy { name, value in
            switch name {
            case "deviceType": isKind(value, platform)
            case "$and": (value.array ?? []).allSatisfy { allows($0, platform) }
            case "$or": (value.array ?? [[:]]).contains { allows($0, platform) }
            default: true
            }
        }
    }

    private static func isKind(_ test: JSONValue, _ platform: String) -> Bool {
        let name = JSONValue.string(platform)
        if test.string != nil { return test == name }
        return (test.object ?? [:]).allSatisfy { operation, value in
            switch operation {
            case "$in": value.array?.contains(name) ?? true
            case "$nin": !(value.array?.contains(name) ?? false)
            case "$ne": value != name
            default: true
            }
        }
    }

    private static func profile(_ condition: JSONValue) -> String? {
        if let conditions = condition.array { return conditions.lazy.compactMap(profile).first }
        return condition["deviceProfile"]?.string ?? condition["$and"]?.array?.lazy.compactMap(profile).first
    }
}
