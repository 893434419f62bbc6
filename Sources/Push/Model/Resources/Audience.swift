package import Base

/// The devices a campaign reaches; every part narrows them further.
package struct Audience: Hashable, Sendable {
    /// True for everyone, or everyone of a platform or profile.
    package var everyone: Bool
    /// Channels, any of which a device must subscribe to.
    package var channels: [String]
    /// Segments, all of which a device must be in.
    package var segments: [String]
    /// The audience's own condition; always an object.
    package var condition: JSONValue?
    /// The platforms to reach; empty: no restriction.
    package var platforms: [Platform]
    /// The profile that installations must have.
    package var deviceProfile: String?
    /// The only devices to reach: device tokens (iOS) or installation ids (Android), at most 500.
    package var devices: [String]

    package init(
        everyone: Bool = false, channels: [String] = [], segments: [String] = [], condition: JSONValue? = nil,
        platforms: [Platform] = [], deviceProfile: String? = nil, devices: [String] = []
    ) {
        self.everyone = everyone
        self.channels = channels
        self.segments = segments
        self.condition = condition
        self.platforms = platforms
        self.deviceProfile = deviceProfile
        self.devices = devices
    }

    /// The platforms that the audience's conditions, including those of its segments, leave possible.
    package func possiblePlatforms(segments known: [String: Segment]) -> Set<Platform> {
        var possible = Set(platforms.isEmpty ? Platform.allCases : platforms)
        for condition in writtenConditions(segments: known) {
            if let type = condition["deviceType"]?.string {
                possible.formIntersection(Platform(rawValue: type).map { [$0] } ?? [])
            }
        }
        return possible
    }

    /// The number of different devices in ``devices``: Apple tokens are compared without regard to case.
    package var distinctDevices: Int {
        Set(platforms == [.ios] ? devices.map { $0.lowercased() } : devices).count
    }

    /// The field that knows its listed devices, and what it may say: the digits of an Apple token are case-insensitive, and
    /// stored as the app sent them or in lower case.
    package var listed: (field: String, names: [String]) {
        guard platforms == [.ios] else { return ("installationId", devices) }
        return ("deviceToken", Set(devices + devices.map { $0.lowercased() }).sorted())
    }

    /// The one condition that is counted and sent, byte for byte; nil for a list of devices.
    ///
    /// Parts with different keys are merged into one object; clashing ones go into `$and`.
    package func joinedCondition(
        segments known: [String: Segment], profiles: [String: DeviceProfile] = [:]
    ) -> JSONValue? {
        guard devices.isEmpty else { return nil }
        return Self.joined(conditions(segments: known, profiles: profiles))
    }

    /// The one condition that holds where all of these do.
    static func joined(_ conditions: [JSONValue]) -> JSONValue {
        var joined: JSONObject = [:]
        var clashing: [JSONValue] = []
        for condition in conditions {
            let members = condition.object ?? [:]
            if members.allSatisfy({ joined[$0.key] == nil || joined[$0.key] == $0.value }) {
                joined.merge(members) { first, _ in first }
            } else {
                clashing.append(condition)
            }
        }
        if !clashing.isEmpty { joined = ["$and": .array([.object(joined)] + clashing)] }
        return .object(joined)
    }

    /// The conditions that all hold for its devices, also for those of a list.
    func conditions(segments known: [String: Segment], profiles: [String: DeviceProfile]) -> [JSONValue] {
        var conditions: [JSONValue] = []
        conditions.reserveCapacity(4 + segments.count)
        if !channels.isEmpty {
            conditions.append(["channels": ["$in": .array(channels.map { .string($0) })]])
        }
        if platforms.count == 1, let platform = platforms.first {
            conditions.append(["deviceType": .string(platform.rawValue)])
        } else if platforms.count > 1 {
            conditions.append(["deviceType": ["$in": .array(platforms.sorted().map { .string($0.rawValue) })]])
        }
        if let deviceProfile {
            // Installations may have another word for the profile.
            conditions.append(["deviceProfile": .string(profiles[deviceProfile]?.installations ?? deviceProfile)])
        }
        conditions += writtenConditions(segments: known)
        if !devices.isEmpty {
            conditions.append([listed.field: ["$in": .array(listed.names.map { .string($0) })]])
        }
        return conditions
    }

    /// The conditions written in files: those of the segments, and the audience's own.
    private func writtenConditions(segments known: [String: Segment]) -> [JSONValue] {
        var conditions = segments.compactMap { known[$0]?.condition }
        if let condition { conditions.append(condition) }
        return conditions
    }
}

extension Audience {
    package static let fields = FieldTable<Self>(
        "Campaign.audience", "The devices to reach; each field narrows them further",
        "推送给谁；每个字段都会缩小范围，写多个则须同时满足", blank: Audience(), rules: rules,
        [
            FieldRow(
                "everyone", .flag(.onlyTrue), "Everyone; beside it only platforms and deviceProfile may stand",
                "全部设备；只能与 platforms 和 deviceProfile 同时写", unless: false, { $0.everyone }, { $0.everyone = $1 }),
            FieldRow(
                "channels", .list(.list(of: .name(.channel))), "Devices subscribed to any of them", "订阅了其中任意一个频道的设备",
                unless: [], { $0.channels }, { $0.channels = $1 }),
            FieldRow(
                "segments", .list(.list(of: .name(.resource))), "Devices in all of them", "同时属于这些分群的设备", unless: [],
                { $0.segments }, { $0.segments = $1 }),
            FieldRow(
                "where", .condition, "Devices that meet a condition", "满足查询条件的设备", { $0.condition },
                { $0.condition = $1 }),
            FieldRow(
                "platforms", .choices(Platform.self), "Devices of these platforms", "这些平台的设备", unless: [],
                { $0.platforms }, { $0.platforms = $1 }),
            FieldRow(
                "deviceProfile", .name(.deviceProfile), "Devices with this declared profile",
                "deviceProfile 为这一项的设备，须已声明", { $0.deviceProfile }, { $0.deviceProfile = $1 }),
            FieldRow(
                "devices", .list(.list(of: .text, ListRule(maximum: 500))),
                "These devices: tokens in hexadecimal (ios) or installation ids (android); needs one platform",
                "指定的设备：iOS 写十六进制的 device token，Android 写 installationId；须写明一个平台", unless: [],
                { $0.devices }, { $0.devices = $1 }),
        ])

    /// The fields that `everyone` and `devices` exclude.
    package static let narrowing = ["everyone", "channels", "segments", "where", "devices"]

    /// The constraints between an audience's fields.
    private static var rules: [FieldRule] {
        let others = { (leader: String) in narrowing.filter { $0 != leader } }
        return [
            .notEmpty,
            .when(.has(["everyone"]), .lacks(others("everyone"))),
            .when(.has(["devices"]), .allOf([.lacks(others("devices")), .count(["platforms"], 1...1)])),
            // On iOS, devices are listed by token.
            .when(
                .equals(["platforms"], .array([.string(Platform.ios.rawValue)])),
                .elements(["devices"], pattern: "^([0-9A-Fa-f]{2}){1,100}$")),
            .when(
                .count(["platforms"], Platform.allCases.count...Int.max),
                .hasAny(["everyone", "channels", "segments", "where", "deviceProfile", "devices"])),
        ]
    }
}

// MARK: - Words

extension Audience {
    /// The audience in words: `channel Giants, where scores = true`; never a device token.
    package var reason: Reason {
        guard devices.isEmpty else {
            let digest = Digest(of: .array(devices.map { .string($0) }))
            return Reason(
                devices.count == 1 ? .listedDevice : .listedDevices, .number(devices.count),
                .text(platforms.first?.rawValue ?? ""), .text(digest.shortText))
        }
        let parts = [
            everyone ? Reason(.everyone) : nil, Self.listed(channels, .channel, .channels),
            Self.listed(segments, .segment, .segments),
            condition.map { Reason(.condition, .text(Self.describe($0))) },
            Self.listed(platforms.sorted().map(\.rawValue), .platform, .platforms),
            deviceProfile.map { Reason(.deviceProfile, .text($0)) },
        ]
        return .joined(parts.compactMap(\.self), by: .both) ?? .verbatim("")
    }

    private static func listed(_ names: [String], _ one: Reason.Setting, _ many: Reason.Setting) -> Reason? {
        guard names.count > 1, let last = names.last else { return names.first.map { Reason(one, .text($0)) } }
        return Reason(many, .text(names.dropLast().joined(separator: ", ")), .text(last))
    }

    /// A simple condition in words, any other as JSON.
    package static func describe(_ condition: JSONValue) -> String {
        let members = (condition.object ?? [:]).sorted { $0.key < $1.key }
        return members.map { key, value in
            if key == "$or" || key == "$and", let parts = value.array, parts.allSatisfy({ !($0.object ?? [:]).isEmpty })
            {
                return "(" + parts.map(describe).joined(separator: key == "$or" ? " or " : " and ") + ")"
            }
            guard let operators = value.object, operators.keys.contains(where: { $0.hasPrefix("$") }) else {
                return "\(key) = \(value.canonicalText)"
            }
            let words = operators.sorted { $0.key < $1.key }.map { name, operand in
                sign(of: name).map { "\(key) \($0) \(operand.canonicalText)" }
            }
            let known = words.compactMap { $0 }
            return known.count == words.count
                ? known.joined(separator: " and ") : "\(key) \(value.canonicalText)"
        }
        .joined(separator: " and ")
    }

    private static func sign(of name: String) -> String? {
        switch name {
        case "$ne": "≠"
        case "$gt": ">"
        case "$gte": "≥"
        case "$lt": "<"
        case "$lte": "≤"
        case "$in": "in"
        case "$nin": "not in"
        default: nil
        }
    }
}
