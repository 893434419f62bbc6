/// A message to an audience, at a time.
package struct Campaign: Sendable {
    /// Its name.
    package var name: String
    /// Where it was declared.
    package var origin: Origin
    /// What it is for.
    package var description: String?
    /// Raised to deliver once more; from 1.
    package var revision: Int
    /// Names it had before, the oldest first; its deliveries bear the oldest.
    package var formerly: [String]
    /// Whether it waits.
    package var hold: Bool
    /// For targets and reports.
    package var labels: [String: String]
    /// The remotes it is meant for; nil: all.
    package var remotes: [String]?
    /// Apple's environment: its own, else the profile's, else production.
    package var environment: PushEnvironment
    /// Whom it reaches.
    package var audience: Audience
    /// What it shows.
    package var message: Message
    /// When; nil: as soon as it is applied.
    package var scheduledAt: OffsetInstant?
    /// How late it may still start; 1 hour by default.
    package var window: Duration
    /// How long the service keeps trying; nil: not said.
    package var expiration: Expiration?
    /// What happens to tokens whose answer was lost.
    package var inDoubt: InDoubt
    /// Devices a second, for steady sending.
    package var throttlePerSecond: Int?
    /// This campaign's own bound on its audience.
    package var maxAudience: Int?
    /// With fewer devices it is not sent; 1 by default.
    package var minAudience: Int

    /// What happens, straight to Apple, to tokens whose answer was lost.
    package enum InDoubt: String, Hashable, Sendable, CaseIterable {
        /// They are left and counted.
        case leave
        /// They are sent again under the same collapse id.
        case resend
    }

    /// Makes a campaign.
    package init(
        name: String, origin: Origin, description: String? = nil, revision: Int = 1, formerly: [String] = [],
        hold: Bool = false, labels: [String: String] = [:], remotes: [String]? = nil,
        environment: PushEnvironment = .production, audience: Audience, message: Message,
        scheduledAt: OffsetInstant? = nil, window: Duration = .seconds(3600), expiration: Expiration? = nil,
        inDoubt: InDoubt = .leave, throttlePerSecond: Int? = nil, maxAudience: Int? = nil,
        minAudience: Int = 1
    ) {
        self.name = name
        self.origin = origin
        self.description = description
        self.revision = revision
        self.formerly = formerly
        self.hold = hold
        self.labels = labels
        self.remotes = remotes
        self.environment = environment
        self.audience = audience
        self.message = message
        self.scheduledAt = scheduledAt
        self.window = window
        self.expiration = expiration
        self.inDoubt = inDoubt
        self.throttlePerSecond = throttlePerSecond
        self.maxAudience = maxAudience
        self.minAudience = minAudience
    }

    /// The name that its delivery ids are made of: the oldest it ever had.
    package var identityName: String { formerly.first ?? name }

    /// Every name under which the ledger may know it.
    package var names: [String] { [name] + formerly }

    /// Whether it is meant for this remote.
    package func isMeant(for remote: String) -> Bool { remotes?.contains(remote) ?? true }
}
