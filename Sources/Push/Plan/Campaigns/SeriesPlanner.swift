internal import Base

/// The line of a recurring campaign itself: what changed of it, and what is ahead.
struct SeriesPlanner {
    private let occurrences: RecurringPlanner
    private let planner: CampaignPlanner
    private let campaign: Campaign
    private let timetable: Timetable

    init(_ occurrences: RecurringPlanner) {
        self.occurrences = occurrences
        planner = occurrences.planner
        campaign = occurrences.campaign
        timetable = occurrences.timetable
    }

    private var input: PlanInput { planner.input }

    /// Adds the line, the removal of a former name's record, and what was missed.
    func add(to outcome: inout CampaignPlanner.Outcome) {
        let fields = planner.recurringFields(campaign)
        let record = ResourceRecord(kind: .campaign, name: campaign.name, fields: fields)
        let recorded = planner.records[campaign.name]
        let former = campaign.formerly.compactMap { planner.records[$0] }
        for record in former {
            outcome.steps.append(planner.forgetting(record, reason: Reason(.nowNamed, .text(campaign.name))))
        }
        let known = recorded ?? former.last
        if known != nil { reportMissed(&outcome) }
        let ahead = ahead(outcome)
        if known == nil, ahead.next.isEmpty, !outcome.steps.contains(where: { $0.change.action.isSending }) {
            // Whether it ended elsewhere or before it was merged, nothing is left to do.
            if occurrences.isUnsent, !campaign.hold { reportOver(&outcome) }
            return
        }
        if recorded == record, ahead.next.isEmpty { return }
        var change = Change(
            kind: .campaign, name: campaign.name, action: known == nil ? .create : recorded == record ? .wait : .update,
            reason: campaign.hold ? Reason(.onHold) : reason(ahead, isNew: known == nil, isSame: recorded == record),
            file: campaign.origin.file,
            line: campaign.origin.line, preview: campaign.message.previewText)
        change.occurrences = ahead
        change.after = fields
        guard change.action != .wait else {
            if input.explainsAudiences { count(ahead, &change, &outcome) }
            outcome.steps.append(Step(change, .nothing))
            return
        }
        change.before = known?.fields
        review(ahead, &change, &outcome)
        outcome.steps.append(Step(change, .save(record)))
    }

    private func reason(_ ahead: PlannedOccurrences, isNew: Bool, isSame: Bool) -> Reason {
        guard isSame else { return Reason(isNew ? .notRecorded : .changed) }
        guard let span = ahead.mustRun else { return Reason(.remoteSendsLast) }
        return Reason(.mustRun, .time(span.from), .time(span.until))
    }

    // MARK: What is ahead

    private func ahead(_ outcome: CampaignPlanner.Outcome) -> PlannedOccurrences {
        let entries = timetable.next(PlannedOccurrences.listed, from: occurrences.ahead)
        let next = entries.map { entry in
            PlannedOccurrences.Next(
                date: entry.date, delivery: planner.delivery(of: campaign.occurrence(entry)), at: entry.at,
                latestStart: timetable.reading(at: entry.at.instant + campaign.window))
        }
        guard let first = entries.first, let last = entries.last else {
            return PlannedOccurrences(next: [], following: 0)
        }
        return PlannedOccurrences(
            next: next, following: timetable.count(after: last.date), last: timetable.lastDay,
            absent: timetable.absentDays(from: first.date, through: last.date), mustRun: mustRun(next, outcome))
    }

    /// The time in which something must run: that of the next occurrence, or, when the remote has that one or gets it,
    /// the time between it and the end of the one after it.
    private func mustRun(
        _ next: [PlannedOccurrences.Next], _ outcome: CampaignPlanner.Outcome
    ) -> PlannedOccurrences.Span? {
        guard !campaign.hold, let first = next.first else { return nil }
        let isScheduled =
            occurrences.isServed(first.date)
            || outcome.steps.contains {
                $0.change.delivery?.occurrence == .on(first.date) && $0.change.action.isSending
            }
        guard isScheduled else { return PlannedOccurrences.Span(from: first.at, until: first.latestStart) }
        return next.dropFirst().first.map { PlannedOccurrences.Span(from: first.at, until: $0.latestStart) }
    }

    // MARK: For reviewers

    /// Shows what would be sent next, and the rules that block it.
    private func review(
        _ ahead: PlannedOccurrences, _ change: inout Change, _ outcome: inout CampaignPlanner.Outcome
    ) {
        guard let next = timetable.first(from: occurrences.ahead) else { return }
        let occurrence = campaign.occurrence(next)
        let drafted = planner.drafting.draft(
            occurrence, scheduledAt: next.at.instant, generation: 0, replaced: nil, now: input.now)
        let audience = count(drafted.encoded.request, &change, &outcome)
        change.payload = PlannedPayload(bytes: drafted.encoded.bytes, limit: drafted.encoded.limit)
        change.looks = planner.looks(of: campaign)
        let isCountable = input.encoder.audience(of: drafted.encoded.request) != nil
        if !campaign.hold {
            change.blocked = planner.policy.online(
                occurrence, start: next.at.instant, audience: audience,
                profiles: planner.drafting.pushingProfiles(campaign), capabilities: input.capabilities,
                mustBeCounted: isCountable && !input.isSimulated)
            // Devices may still come: each delivery has the rule itself.
            change.blocked.removeAll { $0.rule == .minAudience }
            let rules = Set(change.blocked.map(\.rule))
            change.blocked += planner.policy.offline(campaign).map(\.block).filter { !rules.contains($0.rule) }
            if let block = planner.renaming(campaign) { change.blocked.append(block) }
        }
        if let audience, audience.devices > 0, audience.devices < campaign.minAudience, !campaign.hold {
            outcome.diagnostics.append(
                PlanDiagnostic(
                    .warning, .emptyAudience,
                    Reason(.fewNow, .count(audience.devices), .text(campaign.name), .count(campaign.minAudience)),
                    at: campaign.origin.range(of: ["limits", "minAudience"]), help: Reason(.mayComeYet)))
        }
        // A delivery in the same plan says it already.
        if !outcome.steps.contains(where: { $0.change.action.isSending }) {
            outcome.diagnostics += drafted.encoded.findings.map(\.planned)
            outcome.diagnostics += planner.remarks(campaign, audience, isCountable: isCountable)
        }
    }

    private func count(
        _ ahead: PlannedOccurrences, _ change: inout Change, _ outcome: inout CampaignPlanner.Outcome
    ) {
        guard let next = timetable.first(from: occurrences.ahead) else { return }
        let drafted = planner.drafting.draft(
            campaign.occurrence(next), scheduledAt: next.at.instant, generation: 0, replaced: nil, now: input.now)
        _ = count(drafted.encoded.request, &change, &outcome)
    }

    private func count(
        _ request: PushRequest, _ change: inout Change, _ outcome: inout CampaignPlanner.Outcome
    ) -> AudienceCount? {
        let audience = planner.audience(of: campaign, request: request)
        change.audience = PlannedAudience(audience, campaign.audience.reason)
        if let counted = CountedAudience(of: request, input.encoder) {
            outcome.counts[counted.digest] = counted.condition
        }
        return audience
    }

    // MARK: What is over

    private func reportMissed(_ outcome: inout CampaignPlanner.Outcome) {
        guard let last = input.state.lock?.lastApplied?.at else { return }
        let missed = occurrences.missed(since: last)
        guard let first = missed.first, let latest = missed.last else { return }
        let (name, from, to) = (
            Reason.Value.text(campaign.name), Reason.Value.day(first.date), Reason.Value.day(latest.date)
        )
        let isOne = missed.count == 1
        let reason =
            isOne
            ? Reason(.windowEnded, .instant(first.at.instant + campaign.window))
            : Reason(.windowsEnded, .count(missed.count), from, to)
        outcome.steps.append(Step(planner.change(campaign.occurrence(latest), .missed, reason: reason), .nothing))
        outcome.diagnostics.append(
            PlanDiagnostic(
                .warning, .missed, isOne ? Reason(.dayMissed, name, from) : Reason(.daysMissed, name, from, to),
                at: campaign.origin.range(of: ["schedule", "window"]), help: Reason(.notCaughtUp)))
    }

    private func reportOver(_ outcome: inout CampaignPlanner.Outcome) {
        guard let last = timetable.lastDay.map(timetable.entry(on:)) else { return }
        planner.miss(
            campaign.occurrence(last), Reason(.lastDay, .day(last.date)), isNew: !occurrences.hasHistory,
            at: ["schedule", campaign.recurrence?.count == nil ? "until" : "count"], in: &outcome)
    }
}
