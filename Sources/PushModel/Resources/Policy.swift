/// The limits of a workspace, as `policy` declares them; <doc:/PushPlan/Safety#Rules> says what each means.
package struct Policy: Hashable, Sendable {
    /// More sends, schedules, reschedules and sending resumes than this in one apply are all blocked.
    package var maxSendsPerApply = 5
    /// More cancels than this in one apply are all blocked.
    package var maxCancelsPerApply = 5
    /// Devices a campaign may reach; nil: no limit.
    package var maxAudience: Int?
    /// Growth of an audience between a saved plan and its apply that makes the plan stale, as a fraction.
    package var maxAudienceGrowth = 0.2
    /// Whether a campaign must say how long it is worth delivering.
    package var requireExpiration = true
    /// Whether `audience.everyone` may be sent.
    package var allowEveryone = false
    /// Hours in which no send starts.
    package var quietHours: QuietHours?
    /// How far apart two deliveries to the same devices should be; zero: they may be as near as they like.
    package var minimumGap = Policy.defaultMinimumGap
    /// How long before its expiry a certificate is mentioned.
    package var certificateExpiryWarning = Duration.seconds(30 * 86_400)
    /// Devices that a push to the development environment may reach.
    package var developmentAudience = 20_000
    /// Pending pushes the service keeps, for a warning.
    package var pendingQuota = 1_000
    /// Devices a day, for a warning.
    package var dailyQuota = 1_000_000

    /// An hour.
    package static let defaultMinimumGap = Duration.seconds(3600)

    /// The defaults.
    package init() {}
}
