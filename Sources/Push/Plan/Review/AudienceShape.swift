internal import Base

/// The facts about an audience that are known without asking a remote: enough to tell that two audiences share no
/// device.
struct AudienceShape: Hashable {
    /// The possible platforms.
    var platforms: Set<Platform>
    /// The profile that all its devices have; nil for any, or none.
    var deviceProfile: String?
    /// The listed devices; empty without a list.
    var devices: Set<String>

    /// The shape of an audience about which nothing is known.
    static let unknown = AudienceShape(platforms: Set(Platform.allCases), deviceProfile: nil, devices: [])

    init(platforms: Set<Platform>, deviceProfile: String?, devices: Set<String>) {
        self.platforms = platforms
        self.deviceProfile = deviceProfile
        self.devices = devices
    }

    /// Creates the shape of a campaign's audience.
    init(_ audience: Audience, segments: [String: Segment]) {
        platforms = audience.possiblePlatforms(segments: segments)
        deviceProfile = audience.deviceProfile
        // The digits of an Apple token are case-insensitive.
        devices = Set(audience.platforms == [.ios] ? audience.devices.map { $0.lowercased() } : audience.devices)
        guard let condition = audience.joinedCondition(segments: segments) else { return }
        narrow(by: condition)
    }

    /// Creates the shape of a recorded request's audience; with nil, when the ledger does not hold the request, nothing
    /// is known.
    init(_ request: PushRequest?) {
        self = .unknown
        if let condition = request?.body["where"] { narrow(by: condition) }
        devices = Set((request?.body["device_ids"]?.array ?? []).compactMap(\.string))
    }

    /// Narrows the shape by the parts of a condition that all devices must satisfy; parts under other operators may
    /// hold for some devices only.
    private mutating func narrow(by condition: JSONValue) {
        if let type = condition["deviceType"] {
            let names = type.string.map { [$0] } ?? type["$in"]?.array?.compactMap(\.string)
            if let names { platforms.formIntersection(names.compactMap(Platform.init(rawValue:))) }
        }
        if let name = condition["deviceProfile"]?.string { deviceProfile = deviceProfile ?? name }
        for part in condition["$and"]?.array ?? [] { narrow(by: part) }
    }
}
