internal import Base

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
