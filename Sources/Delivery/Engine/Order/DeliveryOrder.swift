package import Base
package import Push

/// The full instructions of a delivery straight to Apple, also used to resume it after a crash: the body of its
/// request.
///
/// It contains nothing that depends on the start time. ``body`` writes it and ``init(_:)`` reads it.
package struct DeliveryOrder: Hashable, Sendable {
    /// The payload: an object with `aps`; without a badge if ``countsBadge``.
    package var payload: JSONValue
    /// The payloads in other languages; empty: everybody gets ``payload``.
    package var languages: Languages
    /// The payloads of each variant, in the order of the test's arms: its own, then those in other languages; empty:
    /// everybody gets ``payload`` and ``languages``.
    package var variants: [[JSONValue]] = []
    /// True when texts of the payloads have places for values of the device.
    package var isPersonal: Bool
    /// True when the payload carries each device's own badge, raised by one.
    package var countsBadge: Bool
    /// `apns-push-type`.
    package var pushType: PushType
    /// `apns-priority`: 10, 5 or 1.
    package var priority: Int
    /// `apns-collapse-id`, 1 to 64 bytes.
    package var collapseID: String?
    /// The time that Apple keeps trying, in whole seconds.
    package var expiration: Expiration
    /// Apple's environment.
    package var environment: PushEnvironment
    /// The profiles to push with, at least one; exactly one for a broadcast.
    package var routes: [Route]
    /// The recipients.
    package var target: Target
    /// The limit in devices a second, from 1; nil: unlimited.
    package var throttle: Int?
    /// True when devices whose answer was lost are sent the notification again; only with a collapse id.
    package var resendsDoubtful: Bool
    /// The time at which each device is sent to.
    package var timing: Timing
    /// The share of devices that is held out; nil: none.
    package var holdout: Holdout?
    /// The limits on the deliveries to one device.
    package var frequency: [FrequencyRule] = []
    /// The time after its end for which single events are kept; nil: it counts none.
    package var eventsKept: Duration?

    /// The payloads of a delivery in several languages.
    package struct Languages: Hashable, Sendable {
        /// The field of an installation that names its language.
        package var field: String
        /// The languages with their payloads, in the order of their numbers from 1.
        package var payloads: [LanguagePayload]

        package init(field: String = "", payloads: [LanguagePayload] = []) {
            self.field = field
            self.payloads = payloads
        }
    }

    /// The payload for devices in one language.
    package struct LanguagePayload: Hashable, Sendable {
        /// The language's BCP 47 tag.
        package var name: String
        /// The payload, as for everybody.
        package var payload: JSONValue

        package init(name: String, payload: JSONValue) {
            self.name = name
            self.payload = payload
        }
    }

    /// The time at which the devices of a delivery are sent to.
    package enum Timing: Hashable, Sendable {
        /// All as soon as it starts.
        case together
        /// Each when its own clock shows the time.
        case localTime(LocalSchedule)
        /// In stages, each of which is judged before the next one starts.
        case stages(Rollout)
        /// Some test variants; the others follow when one is chosen.
        case variants(VariantTest)

        /// The delay within which a part may go on; nil when the audience is undivided.
        package var window: Duration? {
            switch self {
            case .together: nil
            case .localTime(let schedule): schedule.window
            case .stages(let rollout): rollout.window
            case .variants(let test): test.window
            }
        }
    }

    /// The test of its variants; nil when everybody gets the same.
    package var test: VariantTest? { if case .variants(let test) = timing { test } else { nil } }

    /// A profile and the topic it pushes to.
    package struct Route: Hashable, Sendable {
        /// The profile's name, as stored in installations.
        package var profile: String
        /// The topic as stored in installations: the bundle id.
        package var topic: String
        /// The topic as sent, with the push type's suffix; a broadcast's has none.
        package var apnsTopic: String
        /// True when the route also serves installations that name no profile.
        package var isDefault: Bool

        package init(profile: String, topic: String, apnsTopic: String, isDefault: Bool) {
            self.profile = profile
            self.topic = topic
            self.apnsTopic = apnsTopic
            self.isDefault = isDefault
        }
    }

    /// The recipients of a delivery.
    package enum Target: Hashable, Sendable {
        /// The installations that match a condition; always an object.
        case condition(JSONValue)
        /// These device tokens, at least one.
        case devices([String])
        /// The subscribers of an Apple broadcast channel, by the channel's declared name and the app's bundle id.
        case broadcast(channel: String, topic: String)
    }

    /// The largest badge that a payload is measured with; a counted badge never exceeds it.
    package static let largestBadge = 99_999

    /// The most time that Apple keeps a broadcast channel's latest message
    /// (docs/background/apple/broadcasts.md#channels).
    package static let broadcastStorage = Duration.seconds(8 * 3600)

    package init(
        payload: JSONValue, countsBadge: Bool = false, pushType: PushType, priority: Int, collapseID: String? = nil,
        expiration: Expiration = .never, environment: PushEnvironment, routes: [Route], target: Target,
        throttle: Int? = nil, resendsDoubtful: Bool = false, timing: Timing = .together,
        languages: Languages = Languages(),
        isPersonal: Bool = false, eventsKept: Duration? = nil
    ) {
        self.eventsKept = eventsKept
        self.languages = languages
        self.isPersonal = isPersonal
        self.payload = payload
        self.countsBadge = countsBadge
        self.pushType = pushType
        self.priority = priority
        self.collapseID = collapseID
        self.expiration = expiration
        self.environment = environment
        self.routes = routes
        self.target = target
        self.throttle = throttle
        self.resendsDoubtful = resendsDoubtful
        self.timing = timing
    }
}
