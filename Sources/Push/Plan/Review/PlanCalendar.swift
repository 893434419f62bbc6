package import Base

/// The calendar of pushes: those of a plan and those already pending on the remote.
package struct PlanCalendar: Hashable, Sendable {
    /// The entries, sorted by time.
    package var entries: [Entry] = []
    /// Pairs of deliveries to the same devices that are too close to each other: first those with counted devices, the
    /// most devices first; then those that may share devices. At most 100.
    package var collisions: [Collision] = []
    /// The number of further such pairs.
    package var otherCollisions: Int = 0
    /// The hours in which no send starts.
    package var quietHours: QuietHours?
    /// The minimum gap between two deliveries to one device.
    package var minimumGap: Duration = Policy.defaultMinimumGap

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
        package var isBlocked = false
        /// The local times in its largest time zones, the largest first.
        package var localTimes: [LocalTime] = []
    }

    /// The local time of a push in a time zone.
    package struct LocalTime: Hashable, Sendable {
        /// The IANA name of the zone.
        package var timeZone: String
        /// The number of the audience's devices there; nil for the zone of the quiet hours.
        package var devices: Int?
        /// The time of sending; if it is an estimate, the earliest one.
        package var at: OffsetInstant
        /// The oddity, if any: clocks change within a day of it, or the time is in quiet hours.
        package var remark: Reason?
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
    }
}

/// Creates a plan's calendar and the diagnostics about it.
struct CalendarPlanner {
    let input: PlanInput
    let occasions: [Occasion]
    /// Recent deliveries, whose devices should be left alone.
    private let delivered: [Occasion]

    /// Collects the deliveries of a plan from its steps, with their rules and audience details; `sendingResumes` are
    /// the open deliveries that make a push.
    init(_ input: PlanInput, steps: [Step], sendingResumes: Set<DeliveryID>) {
        self.input = input
        let collector = OccasionCollector(input, sendingResumes: sendingResumes)
        occasions = collector.occasions(steps)
        delivered =
            occasions.isEmpty ? [] : collector.delivered(within: input.desired.policy.minimumGap, besides: occasions)
    }

    /// Returns the calendar; an empty one when nothing is sent.
    func calendar() -> (calendar: PlanCalendar, diagnostics: [PlanDiagnostic]) {
        guard !occasions.isEmpty else { return (PlanCalendar(), []) }
        let policy = input.desired.policy
        var times = LocalTimePlanner(input)
        var entries: [PlanCalendar.Entry] = []
        entries.reserveCapacity(occasions.count)
        for occasion in occasions {
            var parts = occasion.parts
            if occasion.campaign?.localSchedule == nil || parts.isEmpty {
                if parts.isEmpty { parts = [occasion.entry] }
                // Those of a later stage would be estimates, too.
                parts[0].localTimes = times.localTimes(of: occasion)
            }
            entries += parts
        }
        // Parts go on between other deliveries; what has one time keeps its order.
        if entries.contains(where: { $0.part != nil }) {
            entries = entries.enumerated().sorted {
                ($0.element.at.instant, $0.offset) < ($1.element.at.instant, $1.offset)
            }.map(\.element)
        }
        let found = collisions(gap: policy.minimumGap)
        let calendar = PlanCalendar(
            entries: entries, collisions: found.collisions, otherCollisions: found.others,
            quietHours: policy.quietHours, minimumGap: policy.minimumGap)
        return (calendar, found.diagnostics + times.diagnostics)
    }

    /// Returns the campaigns that the plan delivers, each with the profiles whose certificates may push it.
    func pushedCampaigns(_ drafting: CampaignDrafter) -> [(name: String, profiles: [DeviceProfile])] {
        guard !input.desired.deviceProfiles.isEmpty else { return [] }
        return occasions.compactMap { occasion in
            guard occasion.entry.action != nil, let campaign = occasion.campaign else { return nil }
            return (campaign.name, drafting.pushingProfiles(campaign))
        }
    }

    // MARK: Collisions

    /// The maximum number of deliveries with a diagnostic.
    private static let told = 20

    private func collisions(gap: Duration) -> (
        collisions: [PlanCalendar.Collision], others: Int, diagnostics: [PlanDiagnostic]
    ) {
        let sending = delivered + occasions.filter { !$0.isHeld && !$0.isLater }
        let deliveries = sending.map { occasion in
            CollisionFinder.Delivery(
                at: occasion.entry.at.instant, name: occasion.entry.campaign, id: occasion.delivery,
                isPending: occasion.standing != .planned, shape: occasion.shape, overlaps: occasion.review.overlaps)
        }
        let (found, others) = CollisionFinder(gap: gap).pairs(among: deliveries)
        let known = found.compactMap { counted($0, among: sending) }
        let pairs = known.filter { $0.devices != nil } + known.filter { $0.devices == nil }
        let collisions = pairs.map { pair in
            let (first, second) = (sending[pair.first].entry, sending[pair.second].entry)
            return PlanCalendar.Collision(
                first: first.campaign ?? "", second: second.campaign ?? "",
                apart: .seconds((second.at.instant - first.at.instant).wholeSeconds), devices: pair.devices)
        }
        var diagnostics: [PlanDiagnostic] = []
        var told = 0
        let groups = Dictionary(grouping: zip(pairs, collisions)) { pair, _ in pair.second }
        for (place, group) in groups.sorted(by: { $0.key < $1.key }) where diagnostics.count < Self.told {
            told += group.count
            let others = group.map { pair, collision in
                CollisionRemark.Other(
                    name: collision.first, standing: sending[pair.first].standing, apart: collision.apart,
                    devices: collision.devices)
            }
            let later = sending[place].campaign ?? sending[group[0].0.first].campaign
            let remark = CollisionRemark(
                name: sending[place].entry.campaign ?? "", standing: sending[place].standing, others: others, gap: gap)
            diagnostics.append(remark.diagnostic(at: later?.timeRange))
        }
        let untold = pairs.count + others - told
        if untold > 0 {
            diagnostics.append(
                PlanDiagnostic(
                    .note, .collision,
                    Reason(untold == 1 ? .onePairMore : .morePairs, .count(untold), .duration(gap))))
        }
        // A calendar only shows the future.
        let ahead = zip(pairs, collisions).filter { pair, _ in sending[pair.first].standing != .delivered }
        return (ahead.map { $1 }, others, diagnostics)
    }

    /// Adds the number of shared devices to a pair, if it was queried; nil when there are none.
    private func counted(_ pair: CollisionFinder.Pair, among sending: [Occasion]) -> CollisionFinder.Pair? {
        guard pair.devices == nil, let first = audience(of: sending[pair.first]),
            let second = audience(of: sending[pair.second])
        else { return pair }
        let shared = first.shared(with: second, input.encoder)?.digest
        guard let devices = shared.flatMap({ input.state.audiences[$0]?.devices }) else { return pair }
        return devices > 0 ? CollisionFinder.Pair(first: pair.first, second: pair.second, devices: devices) : nil
    }

    private func audience(of occasion: Occasion) -> CountedAudience? {
        occasion.request.flatMap { CountedAudience(of: $0, input.encoder) }
    }
}

extension Campaign {
    /// The range of the campaign's time, or of the campaign when it has none.
    var timeRange: SourceRange {
        origin.range(of: scheduledAt == nil && recurrence == nil ? [] : ["schedule", "at"])
    }
}

// MARK: - Record

extension PlanCalendar {
    /// The record of the member `calendar` of a plan file.
    package static let record = Record<PlanCalendar>(
        PlanCalendar(),
        [
            Field(
                "quietHours", orNull: WrittenQuietHours.form, "Hours in which no send starts.", { $0.quietHours },
                { $0.quietHours = $1 }),
            Field(
                "minimumGap", .duration, "The least time between two deliveries to the same devices.",
                { $0.minimumGap }, { $0.minimumGap = $1 }),
            Field(
                "entries", .list(of: .record(Entry.record, definedAs: "calendarEntry"), minimum: 1),
                "The deliveries, by time.",
                { $0.entries }, { $0.entries = $1 }),
            Field(
                "collisions", .list(of: .record(Collision.record, definedAs: "collision")),
                "Pairs of deliveries that are closer.", { $0.collisions }, { $0.collisions = $1 }),
            Field(
                "otherCollisions", .count, "The number of further ones.", { $0.otherCollisions },
                { $0.otherCollisions = $1 }),
        ])
}

extension WrittenQuietHours {
    fileprivate static let form = JSONForm<WrittenQuietHours>.record(record).standing(
        for: { (hours: QuietHours) in WrittenQuietHours(hours) }
    ) { written throws(RecordError) in
        guard let hours = written.hours else { throw RecordError(.unknown(written.timeZone)).under("timeZone") }
        return hours
    }

    private static let record = Record<WrittenQuietHours>(
        WrittenQuietHours(),
        [
            Field("from", .timeOfDay, "The time of day when they begin.", { $0.from }, { $0.from = $1 }),
            Field("to", .timeOfDay, "The time of day when they end.", { $0.to }, { $0.to = $1 }),
            Field("timeZone", .text, "The time zone.", { $0.timeZone }, { $0.timeZone = $1 }),
        ])
}

extension JSONForm<Int> {
    /// A time of day such as `08:05`, as minutes after midnight.
    fileprivate static var timeOfDay: Self {
        text(
            schema: { SchemaPart.text($0, orNull: $1, pattern: "^[0-2][0-9]:[0-5][0-9]$") },
            write: { QuietHours.timeOfDay($0) }
        ) { text in
            let parts = text.split(separator: ":").compactMap { Int($0) }
            guard text.utf8.count == 5, parts.count == 2, (0..<24).contains(parts[0]), (0..<60).contains(parts[1])
            else { return nil }
            return parts[0] * 60 + parts[1]
        }
    }
}

extension PlanCalendar.Entry {
    package static let record = Record<Self>(
        Self(campaign: nil, action: nil, at: OffsetInstant(.distantPast)),
        [
            Field(
                "campaign", orNull: .text, "The campaign; null: a push that is not in the ledger.", { $0.campaign },
                { $0.campaign = $1 }),
            Field(
                optional: "part", .text,
                "The wave of a campaign that is sent by the devices' own clocks, or the share after a stage of a rollout.",
                { $0.part }, { $0.part = $1 }),
            Field(
                "action", orNull: .choice(Action.self),
                "The plan's action; null: it is pending on the remote, and the plan leaves it.", { $0.action },
                { $0.action = $1 }),
            Field(
                "at", .time, "The time of sending; if it is an estimate, the earliest one.", { $0.at }, { $0.at = $1 }),
            Field(
                optional: "estimate", .flag,
                "True for a later stage of a rollout, which opens after the bake of the one before, by its verdict.",
                unless: false, { $0.isEstimate }, { $0.isEstimate = $1 }),
            Field(
                "latestStart", orNull: .time, "The time until which it may still start.", { $0.latestStart },
                { $0.latestStart = $1 }),
            Field(
                "expiresAt", orNull: .time, "The time of expiration.", { $0.expiresAt },
                { $0.expiresAt = $1 }),
            Field("blocked", .flag, "True when rules block it.", { $0.isBlocked }, { $0.isBlocked = $1 }),
            Field(
                "localTimes", .list(of: .record(PlanCalendar.LocalTime.record, definedAs: "localTime")),
                "In the largest time zones of its audience, and in that of the quiet hours.", { $0.localTimes },
                { $0.localTimes = $1 }),
        ])
}

extension PlanCalendar.LocalTime {
    package static let record = Record<Self>(
        Self(timeZone: "", devices: nil, at: OffsetInstant(.distantPast)),
        [
            Field("timeZone", .text, "The IANA name.", { $0.timeZone }, { $0.timeZone = $1 }),
            Field(
                "devices", orNull: .count, "Devices of the audience in this zone; null: the zone of the quiet hours.",
                { $0.devices }, { $0.devices = $1 }),
            Field("at", .time, "The time there.", { $0.at }, { $0.at = $1 }),
            .reason("remark", orNull: "A remark about this time.", { $0.remark }, { $0.remark = $1 }),
        ])
}

extension PlanCalendar.Collision {
    package static let record = Record<Self>(
        Self(first: "", second: "", apart: .zero, devices: nil),
        [
            Field(
                "first", .text, "The earlier campaign; empty: a push that is not in the ledger.", { $0.first },
                { $0.first = $1 }),
            Field("second", .text, "The later one.", { $0.second }, { $0.second = $1 }),
            Field("apart", .duration, "The time between them.", { $0.apart }, { $0.apart = $1 }),
            Field(
                "devices", orNull: .count, "Devices that get both; null: not counted.", { $0.devices },
                { $0.devices = $1 }),
        ])
}

extension PlannedCertificate {
    /// The record of an element of the member `certificates` of a plan file.
    package static let record = Record<PlannedCertificate>(
        PlannedCertificate(name: "", environment: .production, topic: ""),
        [
            Field("name", .text, "The DeviceProfile.", { $0.name }, { $0.name = $1 }),
            Field(
                optional: "vendor", .choice(PushVendor.self), "The service; absent: apns.", unless: .apns,
                { $0.vendor }, { $0.vendor = $1 }),
            Field(
                "environment", .choice(PushEnvironment.self), "The environment.", { $0.environment },
                { $0.environment = $1 }),
            Field(
                "topic", .text, "The bundle id that it pushes to, or FCM's project.", { $0.topic }, { $0.topic = $1 }),
            Field(
                "topics", .list(of: .text, "A topic."), "The topics that the certificate names.", { $0.topics },
                { $0.topics = $1 }),
            Field("keyId", orNull: .text, "The key's id; null: a certificate.", { $0.keyId }, { $0.keyId = $1 }),
            Field(
                "fingerprint", orNull: .text(pattern: "^[0-9a-f]+$"),
                "SHA-256 in hexadecimal; null: it could not be read.", { $0.fingerprint }, { $0.fingerprint = $1 }),
            Field(
                "expiresAt", orNull: .time, "The time when a certificate expires.", { $0.expiresAt },
                { $0.expiresAt = $1 }),
            Field(
                "daysLeft", orNull: .integer(minimum: nil), "Whole days until then; negative: it has expired.",
                { $0.daysLeft }, { $0.daysLeft = $1 }),
            Field(
                "campaigns", .list(of: .text, "A campaign."), "The campaigns of the plan that it pushes.",
                { $0.campaigns }, { $0.campaigns = $1 }),
        ])
}
