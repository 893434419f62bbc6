internal import Diagnostics
internal import JSONValue
internal import PushModel

/// Makes the calendar of a plan, with what there is to say of it.
struct CalendarPlanner {
    let input: PlanInput
    let occasions: [Occasion]
    /// What went out so shortly before that its devices should be left alone.
    private let delivered: [Occasion]

    /// - Parameters:
    ///   - steps: those of the plan, with their rules and what is known of their audiences.
    ///   - sendingResumes: the open deliveries that make a push.
    init(_ input: PlanInput, steps: [Step], sendingResumes: Set<DeliveryID>) {
        self.input = input
        let collector = OccasionCollector(input, sendingResumes: sendingResumes)
        occasions = collector.occasions(steps)
        delivered =
            occasions.isEmpty ? [] : collector.delivered(within: input.desired.policy.minimumGap, besides: occasions)
    }

    /// The calendar; the one without anything when nothing goes out.
    func calendar() -> (calendar: PlanCalendar, diagnostics: [Diagnostic]) {
        guard !occasions.isEmpty else { return (PlanCalendar(), []) }
        let policy = input.desired.policy
        var times = LocalTimePlanner(input)
        var entries: [PlanCalendar.Entry] = []
        entries.reserveCapacity(occasions.count)
        for occasion in occasions {
            var entry = occasion.entry
            entry.localTimes = times.localTimes(of: occasion)
            entries.append(entry)
        }
        let found = collisions(gap: policy.minimumGap)
        let calendar = PlanCalendar(
            entries: entries, collisions: found.collisions, otherCollisions: found.others,
            quietHours: policy.quietHours, minimumGap: policy.minimumGap)
        return (calendar, found.diagnostics + times.diagnostics)
    }

    /// The campaigns that the plan delivers, each with the profiles whose certificates may push it.
    func pushedCampaigns(_ drafting: Drafting) -> [(name: String, profiles: [DeviceProfile])] {
        guard !input.desired.deviceProfiles.isEmpty else { return [] }
        return occasions.compactMap { occasion in
            guard occasion.entry.action != nil, let campaign = occasion.campaign else { return nil }
            return (campaign.name, drafting.pushingProfiles(campaign))
        }
    }

    // MARK: Collisions

    /// So many deliveries are spoken of.
    private static let told = 20

    private func collisions(gap: Duration) -> (
        collisions: [PlanCalendar.Collision], others: Int, diagnostics: [Diagnostic]
    ) {
        let sending = delivered + occasions.filter { !$0.isHeld }
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
        var diagnostics: [Diagnostic] = []
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
                Diagnostic(
                    .note, .collision,
                    "\(grouped(untold)) more pair\(untold == 1 ? "" : "s") of deliveries may come to the same devices "
                        + "within \(gap.configurationText)"))
        }
        // A calendar shows what is ahead.
        let ahead = zip(pairs, collisions).filter { pair, _ in sending[pair.first].standing != .delivered }
        return (ahead.map { $1 }, others, diagnostics)
    }

    /// A pair with the number of devices that both reach when that was asked of the remote; nil: it is none.
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
    /// Where its time is written; where it begins when it has none.
    var timeRange: SourceRange { origin.range(of: scheduledAt == nil ? [] : ["schedule", "at"]) }
}
