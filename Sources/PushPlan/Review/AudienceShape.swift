internal import JSONValue
internal import PushModel

/// What can be told of an audience without asking a remote: enough to say that two audiences share no device.
struct AudienceShape: Hashable {
    /// The platforms that it leaves possible.
    var platforms: Set<Platform>
    /// The one profile that its devices bear; nil: any, or none.
    var deviceProfile: String?
    /// The only devices that it reaches; empty: no list.
    var devices: Set<String>

    /// Nothing is known.
    static let unknown = AudienceShape(platforms: Set(Platform.allCases), deviceProfile: nil, devices: [])

    init(platforms: Set<Platform>, deviceProfile: String?, devices: Set<String>) {
        self.platforms = platforms
        self.deviceProfile = deviceProfile
        self.devices = devices
    }

    /// The shape of a campaign's audience.
    init(_ audience: Audience, segments: [String: Segment]) {
        platforms = audience.possiblePlatforms(segments: segments)
        deviceProfile = audience.deviceProfile
        // The digits of an Apple token mean the same in both cases.
        devices = Set(audience.platforms == [.ios] ? audience.devices.map { $0.lowercased() } : audience.devices)
        guard let condition = audience.joinedCondition(segments: segments) else { return }
        narrow(by: condition)
    }

    /// The shape of what a recorded request reaches; nil: the ledger does not hold it.
    init(_ request: PushRequest?) {
        self = .unknown
        if let condition = request?.body["where"] { narrow(by: condition) }
        devices = Set((request?.body["device_ids"]?.array ?? []).compactMap(\.string))
    }

    /// Looks at what a condition demands of every device; what stands under other operators may hold of some only.
    private mutating func narrow(by condition: JSONValue) {
        if let type = condition["deviceType"] {
            let names = type.string.map { [$0] } ?? type["$in"]?.array?.compactMap(\.string)
            if let names { platforms.formIntersection(names.compactMap(Platform.init(rawValue:))) }
        }
        if let name = condition["deviceProfile"]?.string { deviceProfile = deviceProfile ?? name }
        for part in condition["$and"]?.array ?? [] { narrow(by: part) }
    }
}
