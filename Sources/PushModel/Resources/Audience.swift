package import JSONValue

/// Whom a campaign reaches; every part narrows.
package struct Audience: Hashable, Sendable {
    /// Everyone, or everyone of a platform or profile.
    package var everyone: Bool
    /// Subscribed to any of them.
    package var channels: [String]
    /// In all of them.
    package var segments: [String]
    /// A condition of its own; always an object.
    package var condition: JSONValue?
    /// Only these; empty: no condition.
    package var platforms: [Platform]
    /// Only installations that bear this profile.
    package var deviceProfile: String?
    /// These devices and no others: device tokens (iOS) or installation ids (Android), at most 500.
    package var devices: [String]

    /// Makes an audience.
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

    /// The platforms that the whole condition, and that of its segments, leaves possible.
    package func possiblePlatforms(segments known: [String: Segment]) -> Set<Platform> {
        var possible = Set(platforms.isEmpty ? Platform.allCases : platforms)
        for condition in writtenConditions(segments: known) {
            if let type = condition["deviceType"]?.string {
                possible.formIntersection(Platform(rawValue: type).map { [$0] } ?? [])
            }
        }
        return possible
    }

    /// How many devices ``devices`` names: the digits of an Apple token mean the same in both cases.
    package var distinctDevices: Int {
        Set(platforms == [.ios] ? devices.map { $0.lowercased() } : devices).count
    }

    /// The one condition that is counted and sent, byte for byte; nil for a list of devices.
    ///
    /// Parts that speak of different keys are joined into one object; clashing ones go into `$and`.
    package func joinedCondition(segments known: [String: Segment]) -> JSONValue? {
        guard devices.isEmpty else { return nil }
        var joined: JSONObject = [:]
        var clashing: [JSONValue] = []
        for condition in conditions(segments: known) {
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

    private func conditions(segments known: [String: Segment]) -> [JSONValue] {
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
        if let deviceProfile { conditions.append(["deviceProfile": .string(deviceProfile)]) }
        conditions += writtenConditions(segments: known)
        return conditions
    }

    /// The conditions that people wrote: those of the segments, and its own.
    private func writtenConditions(segments known: [String: Segment]) -> [JSONValue] {
        var conditions = segments.compactMap { known[$0]?.condition }
        if let condition { conditions.append(condition) }
        return conditions
    }
}
