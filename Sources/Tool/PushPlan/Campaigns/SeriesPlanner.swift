internal import Diagnostics
internal import JSONValue
internal import PushModel

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
        for record in former { outcome.steps.append(planner.forgetting(record, reason: "it is \(campaign.name) now")) }
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
            reason: campaign.hold ? "on hold" : reason(ahead, isNew: known == nil, isSame: recorded == record),
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

    private func reason(_ ahead: PlannedOccurrences, isNew: Bool, isSame: Bool) -> String {
        guard isSame else { return isNew ? "not recorded yet" : "changed" }
        guard let span = ahead.mustRun else { return "the remote sends the last one" }
        return "an apply must run between \(span.from.displayText) and \(span.until.displayText)"
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
                Diagnostic(
                    .warning, .emptyAudience,
                    "\(grouped(audience.devices)) devices are in the audience of \(campaign.name) now: with fewer than "
                        + "minAudience \(grouped(campaign.minAudience)) a day of it is blocked",
                    at: campaign.origin.range(of: ["limits", "minAudience"]),
                    help: "more devices may come until then; otherwise lower 'limits.minAudience'"))
        }
        // A delivery in the same plan says it already.
        if !outcome.steps.contains(where: { $0.change.action.isSending }) {
            outcome.diagnostics += drafted.encoded.findings
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
        change.audience = PlannedAudience(audience, description: campaign.audience.description)
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
        let days = missed.count == 1 ? first.date.text : "\(first.date.text) to \(latest.date.text)"
        let reason =
            missed.count == 1
            ? "its window ended at \((first.at.instant + campaign.window).text)"
            : "the windows of \(grouped(missed.count)) occurrences ended, \(days)"
        outcome.steps.append(Step(planner.change(campaign.occurrence(latest), .missed, reason: reason), .nothing))
        outcome.diagnostics.append(
            Diagnostic(
                .warning, .missed, "\(campaign.name) was not sent on \(days): nothing ran in its window",
                at: campaign.origin.range(of: ["schedule", "window"]),
                help: "it is not caught up; 'bugle run' or a timer with 'apply --due --auto-approve' keeps the times"))
    }

    private func reportOver(_ outcome: inout CampaignPlanner.Outcome) {
        guard let last = timetable.lastDay.map(timetable.entry(on:)) else { return }
        planner.miss(
            campaign.occurrence(last), "its last day was \(last.date.text)", isNew: !occurrences.hasHistory,
            at: ["schedule", campaign.recurrence?.count == nil ? "until" : "count"], in: &outcome)
    }
}
