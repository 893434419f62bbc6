/// The calendar of pushes: those of a plan and those already pending on the remote.
package struct PlanCalendar: Hashable, Sendable {
    /// The entries, sorted by time.
    package var entries: [Entry]
    /// Pairs of deliveries to the same devices that are too close to each other: first those with counted devices, the
    /// most devices first; then those that may share devices. At most 100.
    package var collisions: [Collision]
    /// The number of further such pairs.
    package var otherCollisions: Int
    /// The hours in which no send starts.
    package var quietHours: QuietHours?
    /// The minimum gap between two deliveries to one device.
    package var minimumGap: Duration

    package init(
        entries: [Entry] = [], collisions: [Collision] = [], otherCollisions: Int = 0, quietHours: QuietHours? = nil,
        minimumGap: Duration = Policy.defaultMinimumGap
    ) {
        self.entries = entries
        self.collisions = collisions
        self.otherCollisions = otherCollisions
        self.quietHours = quietHours
        self.minimumGap = minimumGap
    }

    /// One delivery, or one push made by others.
    package struct Entry: Hashable, Sendable {
        /// The campaign; nil for a push without a ledger entry.
        package var campaign: String?
        /// The wave of a campaign that is sent by the devices' own clocks, such as `UTC+09:00`, or the share after a stage
        /// of a rollout, such as `10%`; nil for a whole delivery.
        package var part: String?
        /// The plan's action; nil when the push is pending on the remote and left alone.
        package var action: Action?
        /// The time of sending; if it is an estimate, the earliest one.
        package var at: OffsetInstant
        /// True for a later stage of a rollout, which opens after the bake of the one before, by its verdict.
        package var isEstimate = false
        /// The latest time at which it may still start.
        package var latestStart: Instant?
        /// The expiration.
        package var expiresAt: Instant?
        /// True if rules block it.
        package var isBlocked: Bool
        /// The local times in its largest time zones, the largest first.
        package var localTimes: [LocalTime]

        package init(
            campaign: String?, action: Action?, at: OffsetInstant, latestStart: Instant? = nil,
            expiresAt: Instant? = nil, isBlocked: Bool = false, localTimes: [LocalTime] = []
        ) {
            self.campaign = campaign
            self.action = action
            self.at = at
            self.latestStart = latestStart
            self.expiresAt = expiresAt
            self.isBlocked = isBlocked
            self.localTimes = localTimes
        }
    }

    /// The local time of a push in a time zone.
    package struct LocalTime: Hashable, Sendable {
        /// The IANA name of the zone.
        package var timeZone: String
        /// The number of the audience's devices there; nil for the zone of the quiet hours.
        package var devices: Int?
        /// The local time.
        package var at: OffsetInstant
        /// The oddity, if any: clocks change within a day of it, or the time is in quiet hours.
        package var remark: Reason?

        package init(timeZone: String, devices: Int?, at: OffsetInstant, remark: Reason? = nil) {
            self.timeZone = timeZone
            self.devices = devices
            self.at = at
            self.remark = remark
        }
    }

    /// Two deliveries that are close to each other.
    package struct Collision: Hashable, Sendable {
        /// The earlier campaign; empty for a push without a ledger entry.
        package var first: String
        /// The later campaign; empty likewise.
        package var second: String
        /// The time between them, in whole seconds.
        package var apart: Duration
        /// The number of devices that get both; nil when not counted.
        package var devices: Int?

        package init(first: String, second: String, apart: Duration, devices: Int?) {
            self.first = first
            self.second = second
            self.apart = apart
            self.devices = devices
        }
    }
}
