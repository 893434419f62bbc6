internal import Base

/// Decides on the occurrences of one recurring campaign.
///
/// Each is a campaign that is sent once, and has its row of the campaign table. What is known of a day counts whatever
/// its revision or name: docs/features/recurring.md#what-is-sent.
struct RecurringPlanner {
    let planner: CampaignPlanner
    let campaign: Campaign
    let timetable: Timetable
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
    var ahead: Instant { now + (keepsNext ? CampaignTable.dueSoon : .milliseconds(1)) }

    /// True when the remote keeps the next occurrence until its time, and this plan may give it one.
    private var keepsNext: Bool {
        planner.input.capabilities.canSchedule && campaign.audience.devices.isEmpty
            && !planner.input.selection.onlyDue
    }

    /// Returns what is done about the occurrences, and the line of the campaign itself.
    func outcome() -> CampaignPlanner.Outcome {
        var outcome = CampaignPlanner.Outcome()
        for entry in entries where entry.occurrence.date == nil {
            outcome.steps += planner.steps(
                entry, planner.goneRow(entry, reason: Reason(.recurringNow)), of: campaign)
        }
        let due = timetable.occurrences(from: now - campaign.window, until: ahead)
        for date in Set(days.keys).union(due.map(\.date)).sorted() {
            decide(on: date, days[date] ?? [], &outcome)
        }
        scheduleNext(&outcome)
        SeriesPlanner(self).add(to: &outcome)
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
    func isServed(_ date: CivilDate) -> Bool {
        Self.strongest(days[date] ?? []).map { $0.mayHaveBeenDelivered || $0.isMissedForGood } ?? false
    }

    /// True when the ledger knows any delivery of the campaign.
    var hasHistory: Bool { !entries.isEmpty }

    /// True when nothing of the campaign was ever sent or is: the ledger has at most that its time had passed.
    var isUnsent: Bool { entries.allSatisfy(\.isMissedForGood) }

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
        case .scheduled: return !entry.mayBePending(at: now)
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
            let began = max(entry.attemptedAt, entry.scheduledAt ?? entry.attemptedAt)
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
    func missed(since last: Instant) -> [Timetable.Entry] {
        guard last < now, !campaign.hold else { return [] }
        let moment = Duration.milliseconds(1)
        return timetable.occurrences(from: last - campaign.window + moment, until: now - campaign.window)
            .filter { !isServed($0.date) }
    }
}

extension LedgerEntry {
    /// True when its time passed while it was open: it is never sent later.
    fileprivate var isMissedForGood: Bool { state == .unsent && isMissed }
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
