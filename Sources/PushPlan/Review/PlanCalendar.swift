package import PushModel

/// When pushes go out: those of a plan and those that the remote already keeps.
package struct PlanCalendar: Hashable, Sendable {
    /// In the order of their times.
    package var entries: [Entry]
    /// Pairs of deliveries that come too close to each other to the same devices: those whose devices are counted
    /// first, the most devices first; then those that may reach the same ones. At most 100.
    package var collisions: [Collision]
    /// How many more such pairs there are.
    package var otherCollisions: Int
    /// Hours in which no send starts.
    package var quietHours: QuietHours?
    /// How far apart two deliveries to one device should be.
    package var minimumGap: Duration

    /// Joins them.
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

    /// One delivery, or one push of others.
    package struct Entry: Hashable, Sendable {
        /// The campaign; nil: a push that no ledger entry speaks of.
        package var campaign: String?
        /// What the plan does; nil: it is pending on the remote, and the plan leaves it.
        package var action: Action?
        /// When it is sent.
        package var at: OffsetInstant
        /// Until when it may still start.
        package var latestStart: Instant?
        /// When it stops being worth delivering.
        package var expiresAt: Instant?
        /// Whether rules hold it back.
        package var isBlocked: Bool
        /// What the clocks of its largest time zones show then, the largest first.
        package var localTimes: [LocalTime]

        /// Joins them.
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

    /// What the clocks of a time zone show when a push is sent.
    package struct LocalTime: Hashable, Sendable {
        /// The IANA name.
        package var timeZone: String
        /// Devices of the audience that are there; nil: the zone is that of the quiet hours.
        package var devices: Int?
        /// The time there.
        package var at: OffsetInstant
        /// What is odd about it: clocks change that day, or did since the plan was made, or it falls into quiet hours.
        package var remark: String?

        /// Joins them.
        package init(timeZone: String, devices: Int?, at: OffsetInstant, remark: String? = nil) {
            self.timeZone = timeZone
            self.devices = devices
            self.at = at
            self.remark = remark
        }
    }

    /// Two deliveries that come close to each other.
    package struct Collision: Hashable, Sendable {
        /// The earlier campaign; empty: a push that no ledger entry speaks of.
        package var first: String
        /// The later one; empty likewise.
        package var second: String
        /// How far apart they are, in whole seconds.
        package var apart: Duration
        /// Devices that get both; nil: not counted.
        package var devices: Int?

        /// Joins them.
        package init(first: String, second: String, apart: Duration, devices: Int?) {
            self.first = first
            self.second = second
            self.apart = apart
            self.devices = devices
        }
    }
}
