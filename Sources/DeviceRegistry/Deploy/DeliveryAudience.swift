package import JSONValue

/// Whom a delivery reaches, and by which topic.
///
/// Reached are Apple devices that are selected, `valid`, and were seen within 90 days, whose profile has a route, and
/// whose `apnsTopic` is empty or the route's.
package struct DeliveryAudience: Hashable, Sendable {
    /// Which devices.
    package var selection: Selection
    /// The topics that it goes out under, with the profiles that they serve; at least one.
    package var routes: [DeliveryRoute]

    /// Which devices.
    package enum Selection: Hashable, Sendable {
        /// Those that a condition of LeanCloud's query language fits.
        case condition(JSONValue)
        /// Those of these tokens, whether the registry knows them or not.
        case tokens([String])
    }

    /// Joins the two.
    package init(selection: Selection, routes: [DeliveryRoute]) {
        self.selection = selection
        self.routes = routes
    }
}

/// One topic of a delivery.
package struct DeliveryRoute: Hashable, Sendable {
    /// The `deviceProfile` of the installations that it serves.
    package var profile: String
    /// The topic as installations bear it in `apnsTopic`: the bundle id.
    package var topic: String
    /// Whether it serves installations that name no profile, too.
    package var isDefault: Bool

    /// Joins them.
    package init(profile: String, topic: String, isDefault: Bool) {
        self.profile = profile
        self.topic = topic
        self.isDefault = isDefault
    }
}

/// How many devices an audience has.
package struct AudienceFigures: Hashable, Sendable {
    /// Devices that a delivery would reach.
    package var devices: Int
    /// Devices that fit the selection and are left out, by reason.
    package var leftOut: [LeftOut: Int]

    /// Why a selected device is left out; of several reasons the first counts.
    package enum LeftOut: String, Hashable, Sendable, CaseIterable {
        /// It is no Apple device, or has no token.
        case notApple
        /// Apple has declared its token dead, or the app has.
        case invalid
        /// It was not seen for more than 90 days.
        case stale
        /// Its profile has no route.
        case otherProfile
        /// Its `apnsTopic` is another.
        case otherTopic
    }

    /// Joins the two.
    package init(devices: Int, leftOut: [LeftOut: Int] = [:]) {
        self.devices = devices
        self.leftOut = leftOut
    }
}

/// What an audience is made of.
package struct AudienceBreakdown: Hashable, Sendable {
    /// How many devices it has, and how many are left out.
    package var figures: AudienceFigures
    /// Of its devices, how many each kind has.
    package var platforms: [String: Int]
    /// Of its devices, how many bear each profile; the empty name: none.
    package var profiles: [String: Int]
    /// Of its devices, how many are in each time zone, for the most frequent ones; the empty name: none is known.
    package var timeZones: [String: Int]

    /// Joins them.
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

/// What conditions on installations may name in a registry.
package struct RegistryNames: Hashable, Sendable {
    /// The fields of the newest installations.
    package var fields: Set<String>
    /// The classes that queries within a condition may ask.
    package var classes: Set<String>

    /// Joins the two.
    package init(fields: Set<String>, classes: Set<String>) {
        self.fields = fields
        self.classes = classes
    }
}

/// What the installations say of channels and profiles.
package struct DeviceSurvey: Hashable, Sendable {
    /// So many installations are looked at.
    static let mostSurveyed = 1000

    /// How many installations were looked at for the next two: the newest, at most 1,000.
    package var size: Int
    /// Channels, with the number of those devices that subscribe to each.
    package var channels: [String: Int]
    /// Profiles, with the number of those devices that bear each.
    package var profiles: [String: Int]
    /// Devices, of all, that subscribe to a channel that was asked for.
    package var subscribers: [String: Int]
    /// Devices, of all, that bear a profile that was asked for.
    package var bearers: [String: Int]

    /// Joins them.
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
