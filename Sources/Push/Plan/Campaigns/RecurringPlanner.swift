package import Base

/// Decides on the occurrences of one recurring campaign.
///
/// Each is a campaign that is sent once, and has its row of the campaign table. What is known of a day counts whatever
/// its revision or name: docs/features/recurring.md#what-is-sent.
struct RecurringPlanner {
    private let planner: CampaignPlanner
    private let campaign: Campaign
    private let timetable: Timetable
    private let entries: [LedgerEntry]
    private let days: [CivilDate: [LedgerEntry]]

    init(_ planner: CampaignPlanner, _ campaign: Campaign, _ timetable: Timetable) {
        self.planner = planner
        self.campaign = campaign
        self.timetable = timetable
        entries = planner.history.entries(named: campaign.name)
        var days: [CivilDate: [LedgerEntry]] = [:]
        for entry in entries { if let date = entry.occurrence.date { days[date, default: []].append(entry) } }
        self.days = days
    }

    private var now: Instant { planner.input.now }

    /// The moment from which an occurrence is ahead: what is before it is due.
    ///
    /// A service that is asked to keep a push for less than a minute sends it at once; nobody else sends before its time.
    private var ahead: Instant { now + (keepsNext ? CampaignTable.dueSoon : .milliseconds(1)) }

    /// True when the remote keeps the next occurrence until its time, and this plan may give it one.
    private var keepsNext: Bool {
        planner.input.capabilities.canSchedule && campaign.audience.devices.isEmpty
            && !planner.input.selection.onlyDue
    }

    /// Returns what is done about the occurrences, and the line of the campaign itself.
    func outcome() -> CampaignPlanner.Outcome {
        var outcome = CampaignPlanner.Outcome()
        for entry in entries where entry.occurrence.date == nil {
            outcome.steps += planner.steps(entry, planner.goneRow(entry, reason: Reason(.recurringNow)), of: campaign)
        }
        let due = timetable.occurrences(from: now - campaign.window, until: ahead)
        for date in Set(days.keys).union(due.map(\.date)).sorted() {
            decide(on: date, days[date] ?? [], &outcome)
        }
        scheduleNext(&outcome)
        addSeries(to: &outcome)
        return outcome
    }

    /// The delivery that counts for a day, whatever its revision or name: one that happened or may have, first.
    private static func strongest(_ group: [LedgerEntry]) -> LedgerEntry? {
        group.max { one, other in
            func rank(_ entry: LedgerEntry) -> (Int, Int, Int) {
                (entry.mayHaveBeenDelivered ? 1 : 0, entry.state.strength, entry.generation)
            }
            return rank(one) < rank(other)
        }
    }

    /// True when the day needs no further delivery: one happened, may have happened, or is pending.
    private func isServed(_ date: CivilDate) -> Bool {
        Self.strongest(days[date] ?? []).map { $0.mayHaveBeenDelivered || $0.isMissedForGood } ?? false
    }

    /// True when nothing of the campaign was ever sent or is: the ledger has at most that its time had passed.
    private var isUnsent: Bool { entries.allSatisfy(\.isMissedForGood) }

    // MARK: One day

    private func decide(on date: CivilDate, _ group: [LedgerEntry], _ outcome: inout CampaignPlanner.Outcome) {
        // The days of a long history are over: nothing is computed for them.
        if !group.isEmpty, group.allSatisfy(isOver) { return }
        guard timetable.occurs(on: date) else {
            let reason = Reason(.notOnDay, .day(date))
            for entry in group {
                outcome.steps += planner.steps(entry, planner.goneRow(entry, reason: reason), of: campaign)
            }
            return
        }
        let current = Self.strongest(group)
        for entry in group where entry.delivery != current?.delivery {
            let reason = Reason(.otherCounts, .day(date))
            outcome.steps += planner.steps(entry, planner.goneRow(entry, reason: reason), of: campaign)
        }
        var occurrence = campaign.occurrence(timetable.entry(on: date))
        // What was begun keeps its identity: a raised revision repeats nothing.
        if let current { occurrence.revision = current.revision }
        planner.decide(on: occurrence, current, to: &outcome) { kept($0, of: occurrence, current) }
    }

    /// True when nothing can come of a delivery any more, and nothing need be said of it.
    private func isOver(_ entry: LedgerEntry) -> Bool {
        guard entry.generation == 0, planner.pending[entry.notificationID.text] == nil else { return false }
        switch entry.state {
        case .sent: return (entry.figures?.inDoubt ?? 0) == 0
        case .scheduled: return !entry.mayBePending(at: now) && entry.stopped == nil
        case .sending, .refused, .cancelling, .cancelled, .unsent, .unknown, .halted, .holding: return false
        }
    }

    /// The row of an occurrence; nothing where a campaign that is sent once would be sent late, or remarked on.
    private func kept(_ row: CampaignRow, of occurrence: Campaign, _ current: LedgerEntry?) -> CampaignRow {
        let at = occurrence.scheduledAt?.instant ?? now
        return switch row {
        case .send, .schedule: current?.isMissedForGood == true || at >= ahead || isPassed(at) ? .nothing : row
        case .wait, .missed: .nothing
        case .remark(.editedAfterDelivery), .remark(.revisionLowered): .nothing
        case .nothing, .remark, .reschedule, .cancel, .resume, .unknown: row
        }
    }

    /// True when a delivery of the campaign began at this time or later: after a change of zone or hour, this time was
    /// before it.
    private func isPassed(_ at: Instant) -> Bool {
        entries.contains { entry in
            guard entry.mayHaveBeenDelivered, entry.occurrence.date != nil else { return false }
            // It begins within its window: a later attempt goes on with its rest, and is of its own day.
            let began = min(
                max(entry.attemptedAt, entry.scheduledAt ?? entry.attemptedAt), entry.windowStart + entry.window)
            return began >= at && began <= now
        }
    }

    // MARK: The next one

    /// Schedules the next occurrence with a remote that keeps the clock, unless something else of the campaign is on
    /// its way: the next apply then does it.
    private func scheduleNext(_ outcome: inout CampaignPlanner.Outcome) {
        guard keepsNext, !campaign.hold, let next = timetable.first(from: ahead), !isServed(next.date),
            !outcome.steps.contains(where: { $0.isUnderWay(before: next.at.instant) })
        else { return }
        var occurrence = campaign.occurrence(next)
        let replaced = Self.strongest(days[next.date] ?? [])
        if let replaced { occurrence.revision = replaced.revision }
        planner.deliver(
            occurrence, .schedule, generation: replaced.map { $0.generation + 1 } ?? 0, replaced: replaced, to: &outcome
        )
    }

    // MARK: What was missed

    /// The occurrences whose windows ended since the last apply without a delivery.
    private func missed(since last: Instant) -> [Timetable.Entry] {
        guard last < now, !campaign.hold else { return [] }
        // One whose window ended with the very moment of the last apply was still due then.
        return timetable.occurrences(from: last - campaign.window, until: now - campaign.window)
            .filter { !isServed($0.date) }
    }
}

extension Step {
    /// True when it sends or schedules something of its campaign, or cancels what is not sent before this time: that may
    /// fire all the same.
    fileprivate func isUnderWay(before next: Instant) -> Bool {
        switch operation {
        case .deliver, .cancel(_, .some), .resume: true
        case .cancel(let entry, nil): entry.scheduledAt.map { $0 >= next } ?? true
        case .withdraw(_, let pushes): pushes.contains { $0.at >= next }
        case .nothing, .save, .forget, .rename, .miss: false
        }
    }
}

// MARK: - Series

/// The line of a recurring campaign itself: what changed of it, and what is ahead.
extension RecurringPlanner {
    /// Adds the line, the removal of a former name's record, and what was missed.
    private func addSeries(to outcome: inout CampaignPlanner.Outcome) {
        let fields = planner.recurringFields(campaign)
        let record = ResourceRecord(kind: .campaign, name: campaign.name, fields: fields)
        let recorded = planner.records[campaign.name]
        let former = campaign.formerly.compactMap { planner.records[$0] }
        for record in former {
            outcome.steps.append(planner.forgetting(record, reason: Reason(.nowNamed, .text(campaign.name))))
        }
        let known = recorded ?? former.last
        if known != nil { reportMissed(&outcome) }
        let ahead = occurrencesAhead(outcome)
        if known == nil, ahead.next.isEmpty, !outcome.steps.contains(where: { $0.change.action.isSending }) {
            // Whether it ended elsewhere or before it was merged, nothing is left to do.
            if isUnsent, !campaign.hold { reportOver(&outcome) }
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
            if planner.input.explainsAudiences { count(&change, &outcome) }
            outcome.steps.append(Step(change, .nothing))
            return
        }
        change.before = known?.fields
        review(&change, &outcome)
        outcome.steps.append(Step(change, .save(record)))
    }

    private func reason(_ ahead: PlannedOccurrences, isNew: Bool, isSame: Bool) -> Reason {
        guard isSame else { return Reason(isNew ? .notRecorded : .changed) }
        guard let span = ahead.mustRun else { return Reason(.remoteSendsLast) }
        return Reason(.mustRun, .time(span.from), .time(span.until))
    }

    // MARK: What is ahead

    private func occurrencesAhead(_ outcome: CampaignPlanner.Outcome) -> PlannedOccurrences {
        let entries = timetable.next(PlannedOccurrences.listed, from: ahead)
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
            isServed(first.date)
            || outcome.steps.contains {
                // What a rule blocks is not given to the remote, but a push that it blocks the change of stays there.
                $0.change.delivery?.occurrence == .on(first.date) && $0.change.action.isSending
                    && (!$0.change.isBlocked || $0.change.action == .reschedule)
            }
        guard isScheduled else { return PlannedOccurrences.Span(from: first.at, until: first.latestStart) }
        return next.dropFirst().first.map { PlannedOccurrences.Span(from: first.at, until: $0.latestStart) }
    }

    // MARK: For reviewers

    /// Shows what would be sent next, and the rules that block it.
    private func review(_ change: inout Change, _ outcome: inout CampaignPlanner.Outcome) {
        guard let (next, drafted, audience) = count(&change, &outcome) else { return }
        change.payload = PlannedPayload(bytes: drafted.encoded.bytes, limit: drafted.encoded.limit)
        change.looks = planner.looks(of: campaign)
        let isCountable = planner.input.encoder.audience(of: drafted.encoded.request) != nil
        if !campaign.hold {
            change.blocked = planner.policy.online(
                campaign.occurrence(next), start: next.at.instant, audience: audience,
                profiles: planner.drafting.pushingProfiles(campaign), capabilities: planner.input.capabilities,
                mustBeCounted: isCountable && !planner.input.isSimulated)
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

    /// Drafts the next occurrence, and counts its audience; nil when there is none.
    @discardableResult
    private func count(
        _ change: inout Change, _ outcome: inout CampaignPlanner.Outcome
    ) -> (next: Timetable.Entry, drafted: CampaignDrafter.Drafted, audience: AudienceCount?)? {
        guard let next = timetable.first(from: ahead) else { return nil }
        let drafted = planner.drafting.draft(
            campaign.occurrence(next), scheduledAt: next.at.instant, generation: 0, replaced: nil, now: now)
        let request = drafted.encoded.request
        let audience = planner.audience(of: campaign, request: request)
        change.audience = PlannedAudience(audience, of: campaign)
        if let counted = CountedAudience(of: request, planner.input.encoder) {
            outcome.counts[counted.digest] = counted.condition
        }
        return (next, drafted, audience)
    }

    // MARK: What is over

    private func reportMissed(_ outcome: inout CampaignPlanner.Outcome) {
        guard let last = planner.input.state.lock?.lastApplied else { return }
        let missed = missed(since: last.wholeAt ?? last.at)
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
            campaign.occurrence(last), Reason(.lastDay, .day(last.date)), isNew: entries.isEmpty,
            at: ["schedule", campaign.recurrence?.count == nil ? "until" : "count"], in: &outcome)
    }
}

/// The occurrences of a recurring campaign that are ahead.
package struct PlannedOccurrences: Hashable, Sendable {
    /// The next ones, by time; at most ``listed``.
    package var next: [Next]
    /// The number of further ones.
    package var following: Int
    /// The day of the last one.
    package var last: CivilDate?
    /// The days between the listed ones that the rule names but a month does not have, such as `2027-02-30`.
    package var absent: [String] = []
    /// The time in which something must run for the next one that is not in the remote's hands; nil: nothing must.
    package var mustRun: Span?

    /// The most occurrences that a plan lists.
    package static let listed = 5

    /// One occurrence ahead.
    package struct Next: Hashable, Sendable {
        /// The day: its identity.
        package var date: CivilDate
        package var delivery: DeliveryID
        /// The time of sending.
        package var at: OffsetInstant
        /// The latest time at which it may still start.
        package var latestStart: OffsetInstant
    }

    /// A time with both its ends.
    package struct Span: Hashable, Sendable {
        /// The beginning.
        package var from: OffsetInstant
        /// The end.
        package var until: OffsetInstant
    }

    /// The number of occurrences ahead.
    package var ahead: Int { next.count + following }
}

// MARK: - Record

extension PlannedOccurrences {
    package static let record = Record<PlannedOccurrences>(
        PlannedOccurrences(next: [], following: 0),
        [
            Field(
                "next", .list(of: .record(Next.record, definedAs: "occurrence")), "The next ones, by time.",
                { $0.next }, { $0.next = $1 }),
            Field(
                "following", .count, "The number of further ones until the last.", { $0.following },
                { $0.following = $1 }),
            Field("last", orNull: .date, "The day of the last one.", { $0.last }, { $0.last = $1 }),
            Field(
                optional: "absent", .list(of: .text, "A day such as 2027-02-30.", minimum: 1),
                "Days that the rule names but a month does not have.", unless: [], { $0.absent }, { $0.absent = $1 }),
            Field(
                "mustRun", orNull: .record(Span.record, definedAs: "span"),
                "The time in which something must run for the next one; null: nothing must.", { $0.mustRun },
                { $0.mustRun = $1 }),
        ])
}

extension PlannedOccurrences.Next {
    package static let record = Record<Self>(
        Self(
            date: CivilDate(daysSince1970: 0), delivery: DeliveryID(workspace: "", campaign: "", revision: 0),
            at: OffsetInstant(.distantPast), latestStart: OffsetInstant(.distantPast)),
        [
            Field("date", .date, "The day, which identifies it.", { $0.date }, { $0.date = $1 }),
            Field("delivery", .delivery, "The id of its delivery.", { $0.delivery }, { $0.delivery = $1 }),
            Field("at", .time, "The time of sending.", { $0.at }, { $0.at = $1 }),
            Field(
                "latestStart", .time, "The time until which it may still start.", { $0.latestStart },
                { $0.latestStart = $1 }),
        ])
}

extension PlannedOccurrences.Span {
    package static let record = Record<Self>(
        Self(from: OffsetInstant(.distantPast), until: OffsetInstant(.distantPast)),
        [
            Field("from", .time, "The beginning.", { $0.from }, { $0.from = $1 }),
            Field("until", .time, "The end.", { $0.until }, { $0.until = $1 }),
        ])
}

extension JSONForm<CivilDate> {
    fileprivate static var date: JSONForm<CivilDate> {
        text(
            schema: { SchemaPart.text($0, orNull: $1, pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$") },
            write: { $0.text }, read: { CivilDate($0) })
    }
}
