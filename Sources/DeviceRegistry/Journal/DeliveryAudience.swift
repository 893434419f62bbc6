package import Base
package import Push

/// The audience of a delivery and its routes.
///
/// It reaches the selected Apple devices that are `valid` and were seen recently enough, whose profile has a route, and
/// whose `apnsTopic` is empty or the route's.
package struct DeliveryAudience: Hashable, Sendable {
    /// The selected devices.
    package var selection: Selection
    /// The topics of the delivery, with the profiles that they serve; at least one.
    package var routes: [DeliveryRoute]
    /// The forms of its message, if it has several, or values of devices in its texts.
    package var words: AudienceWords?
    /// The share of devices that is held out; nil: none.
    package var holdout: Holdout?
    /// The limits on the deliveries to one device.
    package var frequency: [FrequencyRule]
    /// The time after which a device that was not seen gets nothing; nil: it always gets it.
    package var staleAfter: Duration?

    /// True when some devices may be held back by rules.
    package var isRestrained: Bool { holdout != nil || !frequency.isEmpty }

    /// The properties of devices that its rules depend on.
    package var traits: DeviceTraits.Kinds { isRestrained ? .objectID : [] }

    /// A selection of devices.
    package enum Selection: Hashable, Sendable {
        /// Devices that match a condition in LeanCloud's query language.
        case condition(JSONValue)
        /// Devices with these tokens, registered or not.
        case tokens([String])
    }

    package init(
        selection: Selection, routes: [DeliveryRoute], words: AudienceWords? = nil, holdout: Holdout? = nil,
        frequency: [FrequencyRule] = [], staleAfter: Duration? = AudienceCount.threeMonths
    ) {
        self.staleAfter = staleAfter
        self.holdout = holdout
        self.frequency = frequency
        self.selection = selection
        self.routes = routes
        self.words = words
    }
}

/// One topic of a delivery.
package struct DeliveryRoute: Hashable, Sendable {
    /// The `deviceProfile` of the installations that it serves.
    package var profile: String
    /// The topic as in the `apnsTopic` of installations: the bundle id.
    package var topic: String
    /// True if it also serves installations without a profile.
    package var isDefault: Bool

    package init(profile: String, topic: String, isDefault: Bool) {
        self.profile = profile
        self.topic = topic
        self.isDefault = isDefault
    }
}

/// The size of an audience.
package struct AudienceFigures: Hashable, Sendable {
    /// The number of devices that a delivery would reach.
    package var devices: Int
    /// The number of devices that match the selection but are left out, by reason.
    package var leftOut: [LeftOut: Int]
    /// The time up to which it is forgotten who was reached, although a rule looks back further: everybody is left out.
    package var forgotten: Instant?

    /// The reasons to leave out a selected device; the first of several counts.
    package enum LeftOut: String, Hashable, Sendable, CaseIterable {
        /// The device is an Android device.
        case android
        /// The device is another that is not Apple's, or has no token.
        case notApple
        /// The token is dead, as reported by Apple or the app.
        case invalid
        /// The device was not seen for longer than ``DeliveryAudience/staleAfter``.
        case stale
        /// The device's profile has no route.
        case otherProfile
        /// The device has another `apnsTopic`.
        case otherTopic
        /// The payload with the device's values is larger than Apple takes.
        case tooLarge
        /// The device is in the share that gets nothing.
        case heldOut
        /// As many deliveries as a rule allows reached the device, or may yet.
        case capped
    }

    package init(devices: Int, leftOut: [LeftOut: Int] = [:], forgotten: Instant? = nil) {
        self.devices = devices
        self.leftOut = leftOut
        self.forgotten = forgotten
    }

    /// Counts devices by their fate.
    package mutating func add(_ fate: AudienceFate, _ number: Int = 1) {
        switch fate {
        case .reached: devices += number
        case .leftOut(let reason): leftOut[reason, default: 0] += number
        }
    }
}

/// The breakdown of an audience.
package struct AudienceBreakdown: Hashable, Sendable {
    /// The number of devices reached, and of those left out.
    package var figures: AudienceFigures
    /// The number of its devices by platform.
    package var platforms: [String: Int]
    /// The number of its devices by profile; the empty name stands for none.
    package var profiles: [String: Int]
    /// The number of its devices by time zone, for the most frequent ones; the empty name stands for an unknown zone.
    package var timeZones: [String: Int]
    /// The forms that its devices get; nil when all get the same.
    package var words: WordFigures?

    package init(
        figures: AudienceFigures, platforms: [String: Int] = [:], profiles: [String: Int] = [:],
        timeZones: [String: Int] = [:]
    ) {
        self.figures = figures
        self.platforms = platforms
        self.profiles = profiles
        self.timeZones = timeZones
    }
}

extension AudienceBreakdown {
    /// Counts devices of a kind by their fate; `routes` are the audience's.
    package mutating func add(
        _ fate: AudienceFate, platform: String, isUnnamed: Bool, _ routes: [DeliveryRoute], _ devices: Int = 1
    ) {
        figures.add(fate, devices)
        guard case .reached(let route) = fate else { return }
        platforms[platform, default: 0] += devices
        profiles[isUnnamed ? "" : routes[route].profile, default: 0] += devices
    }
}

/// The names that conditions on installations may use in a registry.
package struct RegistryNames: Hashable, Sendable {
    /// The fields of the newest installations.
    package var fields: Set<String>
    /// The classes that subqueries within a condition may query.
    package var classes: Set<String>

    package init(fields: Set<String>, classes: Set<String>) {
        self.fields = fields
        self.classes = classes
    }
}

/// The channels and profiles of the installations.
package struct DeviceSurvey: Hashable, Sendable {
    /// The number of sampled installations.
    static let mostSurveyed = 1000

    /// The number of installations sampled for the next two: the newest, at most 1,000.
    package var size: Int
    /// The number of sampled subscribers by channel.
    package var channels: [String: Int]
    /// The number of sampled devices by profile.
    package var profiles: [String: Int]
    /// The number of all subscribers, for the requested channels.
    package var subscribers: [String: Int]
    /// The number of all devices with a profile, for the requested profiles.
    package var bearers: [String: Int]

    package init(
        size: Int, channels: [String: Int] = [:], profiles: [String: Int] = [:], subscribers: [String: Int] = [:],
        bearers: [String: Int] = [:]
    ) {
        self.size = size
        self.channels = channels
        self.profiles = profiles
        self.subscribers = subscribers
        self.bearers = bearers
    }
}
