internal import Base

/// A delivery in the calendar, with its details.
///
/// A class, because plans of thousands of deliveries sort and filter them, and each is large.
final class Occasion {
    let entry: PlanCalendar.Entry
    let delivery: DeliveryID?
    /// The campaign as declared.
    let campaign: Campaign?
    let shape: AudienceShape
    /// The request that makes or made the push; nil when not known here.
    let request: PushRequest?
    /// The details of its audience, as far as they were queried.
    let review: AudienceReview
    let standing: CollisionRemark.Standing

    /// True if nothing is sent whatever the time.
    var isHeld: Bool { entry.action == .wait && campaign?.hold == true }

    /// True for an occurrence after the campaign's next one: what is close to it was said of that one.
    let isLater: Bool
    /// The stage of a rollout that starts at the time: those before it are over.
    let stage: Int

    init(
        entry: PlanCalendar.Entry, delivery: DeliveryID?, campaign: Campaign?, shape: AudienceShape,
        request: PushRequest?, review: AudienceReview, isDelivered: Bool = false, isLater: Bool = false, stage: Int = 1
    ) {
        self.isLater = isLater
        self.stage = stage
        standing = isDelivered ? .delivered : entry.action == nil ? .pending : .planned
        self.entry = entry
        self.delivery = delivery
        self.campaign = campaign
        self.shape = shape
        self.request = request
        self.review = review
    }
}

extension Occasion {
    /// The waves or stages of a divided campaign that are not over; empty when it is undivided, or they are not known.
    var parts: [PlanCalendar.Entry] {
        guard let campaign else { return [] }
        guard let rollout = campaign.rollout else {
            guard campaign.localSchedule != nil else { return [] }
            return review.parts.compactMap { wave in
                wave.opensAt.map { part(wave.label.text, at: $0, of: campaign) }
            }
        }
        guard (1...rollout.stages.count).contains(stage) else { return [] }
        return rollout.openings(from: stage, at: entry.at).map { opening in
            var part = part(opening.share.text, at: opening.at, of: campaign)
            part.isEstimate = opening.isEstimate
            return part
        }
    }

    private func part(_ label: String, at time: OffsetInstant, of campaign: Campaign) -> PlanCalendar.Entry {
        var part = entry
        (part.part, part.at) = (label, time)
        part.latestStart = time.instant + campaign.window
        part.expiresAt = campaign.expiration?.end(startingAt: time.instant)
        return part
    }
}

/// Collects the deliveries that a plan makes and those that it leaves on the remote.
struct OccasionCollector {
    let input: PlanInput
    let sendingResumes: Set<DeliveryID>
    /// The indices of the campaigns, by name.
    private let campaigns: [String: Int]
    private let segments: [String: Segment]

    init(_ input: PlanInput, sendingResumes: Set<DeliveryID>) {
        self.input = input
        self.sendingResumes = sendingResumes
        campaigns = input.desired.campaignPlaces
        segments = input.desired.segmentsByName
    }

    /// Returns all deliveries, sorted by time.
    func occasions(_ steps: [Step]) -> [Occasion] {
        (steps.compactMap(occasion) + pending(besides: steps) + ahead(steps)).sorted { one, other in
            if one.entry.at.instant != other.entry.at.instant { return one.entry.at.instant < other.entry.at.instant }
            let names = (one.entry.campaign ?? "", other.entry.campaign ?? "")
            if names.0 != names.1 { return names.0 < names.1 }
            return (one.entry.action?.rank ?? -1) < (other.entry.action?.rank ?? -1)
        }
    }

    private func campaign(_ name: String) -> Campaign? { campaigns[name].map { input.desired.campaigns[$0] } }

    private func occasion(_ step: Step) -> Occasion? {
        let change = step.change
        guard change.kind == .campaign else { return nil }
        let campaign = campaign(change.name)
        switch step.operation {
        case .deliver(let entry, _), .cancel(_, then: let entry?):
            return occasion(step, entry, campaign, at: entry.scheduledAt ?? input.now, windowFrom: entry.windowStart)
        case .resume(let entry, _):
            let journal = journal(of: entry)
            let isNow = change.action == .resume && sendingResumes.contains(entry.delivery)
            // What waits for its next part goes on by itself.
            guard isNow || change.action == .wait, let at = isNow ? entry.scheduledAt ?? input.now : journal?.opensAt
            else { return nil }
            let start = max(input.now, at)
            return occasion(
                step, entry, campaign, at: start, windowFrom: max(entry.windowStart, start),
                stage: journal?.stage ?? 1)
        case .nothing:
            guard change.action == .wait, change.occurrences == nil, let campaign, let at = campaign.scheduledAt,
                input.now <= at.instant + campaign.startWindow
            else { return nil }
            return occasion(
                step, campaign, at: at, latestStart: at.instant + campaign.startWindow,
                expiresAt: campaign.end(startingAt: at.instant))
        case .save, .forget, .rename, .miss, .cancel(_, then: nil), .withdraw: return nil
        }
    }

    /// Returns the next occurrences of recurring campaigns that nothing else in the plan or on the remote stands for.
    private func ahead(_ steps: [Step]) -> [Occasion] {
        let known = Set(steps.compactMap { $0.change.delivery?.id })
            .union(input.state.scheduled.compactMap(\.notification))
        return steps.flatMap { step -> [Occasion] in
            guard let series = step.change.occurrences, let campaign = campaign(step.change.name) else { return [] }
            return series.next.enumerated().filter { !known.contains($0.element.delivery) }.map { place, next in
                var entry = entry(
                    step.change, at: next.at, latestStart: next.latestStart.instant,
                    expiresAt: campaign.expiration?.end(startingAt: next.at.instant))
                entry.action = .wait
                return Occasion(
                    entry: entry, delivery: next.delivery, campaign: campaign, shape: shape(campaign, nil),
                    request: nil, review: step.change.audience?.review ?? AudienceReview(), isLater: place > 0)
            }
        }
    }

    private func journal(of entry: LedgerEntry) -> JournalState? {
        guard case .journal(let state)? = input.state.evidence[entry.notificationID] else { return nil }
        return state
    }

    private func occasion(
        _ step: Step, _ entry: LedgerEntry, _ campaign: Campaign?, at: Instant, windowFrom start: Instant,
        stage: Int = 1
    ) -> Occasion {
        occasion(
            step, campaign, request: entry.request,
            at: campaign?.reading(at: at) ?? OffsetInstant(at),
            latestStart: start + entry.window, expiresAt: entry.expiresAt, stage: stage)
    }

    private func occasion(
        _ step: Step, _ campaign: Campaign?, request: PushRequest? = nil, at: OffsetInstant, latestStart: Instant,
        expiresAt: Instant?, stage: Int = 1
    ) -> Occasion {
        let change = step.change
        return Occasion(
            entry: entry(change, at: at, latestStart: latestStart, expiresAt: expiresAt), delivery: change.delivery?.id,
            campaign: campaign, shape: shape(campaign, request),
            request: request, review: explained(change.audience?.review ?? AudienceReview(), request), stage: stage)
    }

    private func entry(
        _ change: Change, at: OffsetInstant, latestStart: Instant, expiresAt: Instant?
    ) -> PlanCalendar.Entry {
        PlanCalendar.Entry(
            campaign: change.name, action: change.action, at: at, latestStart: latestStart, expiresAt: expiresAt,
            isBlocked: change.isBlocked)
    }

    /// Returns the shape of an audience; the request is enough, except for the platform of listed devices.
    private func shape(_ campaign: Campaign?, _ request: PushRequest?) -> AudienceShape {
        guard let campaign, !campaign.audience.devices.isEmpty || request?.body["where"] == nil else {
            return AudienceShape(request)
        }
        return AudienceShape(campaign.audience, segments: segments)
    }

    /// Returns the pending pushes that the plan does not touch.
    private func pending(besides steps: [Step]) -> [Occasion] {
        guard !input.state.scheduled.isEmpty else { return [] }
        let touched = Set(steps.flatMap(touched))
        let ids = Set(input.state.scheduled.compactMap(\.notification))
        let known = Dictionary(
            input.state.ledger.lazy.flatMap { entry in
                entry.notificationIDs().intersection(ids).map { ($0, entry) }
            }
        ) { first, other in other.outranks(first) ? other : first }
        return input.state.scheduled.compactMap { push in
            let id = push.notification
            if let id, touched.contains(id) { return nil }
            let entry = id.flatMap { known[$0] }
            let campaign = entry.flatMap { self.campaign($0.campaign) }
            return Occasion(
                entry: PlanCalendar.Entry(
                    campaign: entry?.campaign, action: nil,
                    at: campaign?.reading(at: push.at) ?? OffsetInstant(push.at),
                    latestStart: entry.map { push.at + $0.window }, expiresAt: entry?.expiresAt),
                delivery: entry?.delivery, campaign: campaign, shape: AudienceShape(entry?.request),
                request: entry?.request, review: explained(AudienceReview(), entry?.request))
        }
    }

    /// Returns the deliveries in the ledger within a time before now, by time, without those that the plan continues.
    func delivered(within gap: Duration, besides occasions: [Occasion]) -> [Occasion] {
        let known = Set(occasions.compactMap(\.delivery))
        return input.state.ledger.compactMap { entry in
            let at = max(entry.attemptedAt, entry.scheduledAt ?? entry.attemptedAt)
            guard at <= input.now, input.now - at < gap, entry.mayHaveBeenDelivered, entry.state != .cancelling,
                entry.figures?.audience != 0, !known.contains(entry.delivery)
            else { return nil }
            return Occasion(
                entry: PlanCalendar.Entry(
                    campaign: entry.campaign, action: nil, at: OffsetInstant(at, offset: 0), latestStart: nil,
                    expiresAt: entry.expiresAt),
                delivery: entry.delivery, campaign: nil, shape: AudienceShape(entry.request), request: entry.request,
                review: AudienceReview(), isDelivered: true)
        }
        .sorted { $0.entry.at.instant < $1.entry.at.instant }
    }

    /// Returns the pushes on the remote that a change replaces, cancels or represents itself.
    private func touched(_ step: Step) -> Set<DeliveryID> {
        switch step.operation {
        case .cancel(let entry, _): step.change.isBlocked ? [] : entry.notificationIDs()
        case .withdraw(_, let pushes):
            step.change.isBlocked ? [] : Set(pushes.compactMap(\.notification))
        case .resume(let entry, _): sendingResumes.contains(entry.delivery) ? [entry.notificationID] : []
        case .nothing, .save, .forget, .rename, .miss, .deliver: []
        }
    }

    /// Adds the breakdown of a request's audience, if another delivery queried it.
    private func explained(_ review: AudienceReview, _ request: PushRequest?) -> AudienceReview {
        guard review.explanation == nil, !input.state.explanations.isEmpty, let request else { return review }
        var review = review
        review.explanation = CountedAudience(of: request, input.encoder).flatMap { input.state.explanations[$0.digest] }
        return review
    }
}
