import Base
import RemoteTesting

@testable import Push

/// A remote's state and a clock, on which plans are carried out as an apply would.
struct RecurringWorld {
    var now: Instant
    var state: RemoteState
    var canSchedule: Bool
    var campaign: Campaign
    /// Each push that left, with the time.
    private(set) var sent: [(entry: LedgerEntry, at: Instant)] = []

    /// A world at a time, with a campaign that is sent daily at 09:00 in Shanghai, with 1 h to start.
    init(_ now: String, canSchedule: Bool = false, rule change: (inout Recurrence) -> Void = { _ in }) {
        guard let now = Instant(now) else { fatalError("no instant") }
        self.now = now
        self.canSchedule = canSchedule
        state = RemoteState(now: now, ledgerStarted: true)
        var rule = Recurrence()
        (rule.minute, rule.timeZone) = (540, "Asia/Shanghai")
        rule.from = CivilDate("2026-12-01")
        rule.until = CivilDate("2026-12-20")
        change(&rule)
        campaign = Sample.campaign("daily") { $0.recurrence = rule }
    }

    /// Changes the rule.
    mutating func change(_ body: (inout Recurrence) -> Void) {
        guard var rule = campaign.recurrence else { return }
        body(&rule)
        campaign.recurrence = rule
    }

    /// Gives the campaign another text.
    mutating func say(_ text: String) {
        var content = campaign.message.common
        content.body = .text(text)
        campaign.message = Message(common: content)
    }

    /// The plan now; `files` replace the one campaign.
    func result(onlyDue: Bool = false, explains: Bool = false, files: [Campaign]? = nil) -> Planner.Result {
        var state = state
        state.now = now
        var input = Sample.input(
            Sample.workspace(files ?? [campaign]), state, canSchedule: canSchedule,
            selection: Selection(onlyDue: onlyDue))
        input.explainsAudiences = explains
        return Planner.plan(Ledger.answered(input))
    }

    /// What is planned now, one line each: `send 2026-12-07`, `create`.
    func lines(onlyDue: Bool = false, files: [Campaign]? = nil) -> [String] {
        result(onlyDue: onlyDue, files: files).plan.changes.map { change in
            let day = change.delivery?.occurrence.date.map { " " + $0.text } ?? ""
            return (change.isBlocked ? "blocked " : "") + change.action.rawValue + day
        }
    }

    /// Carries the plan out at a time; returns its lines.
    @discardableResult mutating func apply(
        _ time: String? = nil, onlyDue: Bool = false, files: [Campaign]? = nil
    ) -> [String] {
        if let time {
            guard let instant = Instant(time) else { fatalError("no instant") }
            pass(to: instant)
        }
        let planned = lines(onlyDue: onlyDue, files: files)
        for step in result(onlyDue: onlyDue, files: files).steps {
            if case .miss = step.operation { carryOut(step.operation) }
            if !step.change.isBlocked { carryOut(step.operation) }
        }
        let last = LastApplied(commit: nil, committedAt: nil, at: now, run: nil)
        state.lock = LockRecord(holder: "", run: "", fence: 1, expiresAt: now, lastApplied: last)
        return planned
    }

    /// Lets the time pass: what is pending fires.
    mutating func pass(to time: Instant) {
        for push in state.scheduled.filter({ $0.at <= time }).sorted(by: { $0.at < $1.at }) {
            guard let entry = state.ledger.first(where: { $0.notificationID.text == push.notificationID }) else {
                continue
            }
            sent.append((entry, push.at))
        }
        state.scheduled.removeAll { $0.at <= time }
        now = time
    }

    private mutating func carryOut(_ operation: Operation) {
        switch operation {
        case .nothing: break
        case .save(let record):
            state.resources.removeAll { $0.kind == record.kind && $0.name == record.name }
            state.resources.append(record)
        case .forget(let record): state.resources.removeAll { $0.kind == record.kind && $0.name == record.name }
        case .rename(let entries, let record):
            for entry in entries { self.record(entry, entry.state) }
            if let record { carryOut(.save(record)) }
        case .miss(let entry): record(entry, entry.state)
        case .deliver(let entry, _): deliver(entry)
        case .cancel(let entry, let next):
            state.scheduled.removeAll { $0.notificationID == entry.notificationID.text }
            record(entry, .cancelled)
            if let next { deliver(next) }
        case .withdraw(_, let pushes): state.scheduled.removeAll { pushes.contains($0) }
        case .resume(let entry, _): record(entry, .sent)
        }
    }

    private mutating func deliver(_ entry: LedgerEntry) {
        if let at = entry.scheduledAt {
            state.scheduled.append(
                ScheduledPush(id: Int64(state.ledger.count), notificationID: entry.notificationID.text, at: at))
            record(entry, .scheduled)
        } else {
            sent.append((entry, now))
            record(entry, .sent)
        }
    }

    /// Writes the state of a delivery into the ledger.
    mutating func record(_ entry: LedgerEntry, _ newState: DeliveryState) {
        var entry = entry
        entry.state = newState
        state.ledger.removeAll { $0.delivery == entry.delivery }
        state.ledger.append(entry)
    }

    /// The days that were sent, in their order.
    var days: [String] { sent.map { $0.entry.occurrence.text } }
}
