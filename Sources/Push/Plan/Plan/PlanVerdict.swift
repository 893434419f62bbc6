/// What carrying out a plan does, counted once for every format and language.
package struct PlanVerdict: Hashable, Sendable {
    /// The most important thing about it.
    package var code: Code = .noChanges
    /// The pushes that are sent at once.
    package var sends = Reach()
    /// The pushes that are scheduled.
    package var schedules = Reach()
    /// The pending pushes that get another time or content.
    package var reschedules = Reach()
    /// The open deliveries that go on or are settled.
    package var resumes = Reach()
    /// The number of pending pushes that are cancelled.
    package var cancels = 0
    /// The number of recurring campaigns that begin.
    package var starts = 0
    /// The number of resources that are created.
    package var creates = 0
    /// The number of resources, and of campaigns that recur, that are updated.
    package var updates = 0
    /// The number of resources, and of campaigns that recurred, whose records are deleted.
    package var deletes = 0
    /// What is blocked, by rule; a change that several block counts under one that most share.
    package var blocked: [Blocked] = []
    /// The number of deliveries on hold.
    package var onHold = 0
    /// The number of deliveries that go on by design: a stage bakes, or a wave or a winner is not due.
    package var inParts = 0
    /// The number of other deliveries that wait for their time.
    package var waits = 0
    /// The number of deliveries whose time has passed.
    package var missed = 0
    /// The number of deliveries that a person must decide about.
    package var undecided = 0

    /// The most important thing about a plan.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Pushes are sent, scheduled, or go on.
        case sends
        /// A person must decide, and nothing is sent.
        case undecided
        /// Rules block what there is to do, and nothing is sent.
        case blocked
        /// Nothing is sent; something else is changed.
        case changes
        /// Nothing is done: deliveries wait.
        case waits
        /// There is nothing to do.
        case noChanges
    }

    /// Pushes and their devices.
    package struct Reach: Hashable, Sendable {
        /// The number of pushes.
        package var pushes = 0
        /// The devices that they reach, each counted as often as it is reached.
        package var devices = 0
        /// The number of pushes whose devices were not counted.
        package var uncounted = 0

        mutating func add(_ change: Change) {
            pushes += 1
            devices += change.audience?.devices ?? 0
            if change.audience?.devices == nil { uncounted += 1 }
        }
    }

    /// The changes that a rule blocks.
    package struct Blocked: Hashable, Sendable {
        /// The rule.
        package var rule: Block.Rule
        /// The number of pushes.
        package var pushes = 0
        /// The number of changes of something else.
        package var others = 0
        /// The time of day when it blocks no more, such as `08:00`; nil when time alone does not change that.
        package var until: String?
    }

    /// Nothing at all.
    init() {}

    /// Counts the changes of a plan.
    package init(of plan: Plan) {
        for change in plan.changes where !change.isBlocked { count(change) }
        blocked = Self.blocked(plan.changes.filter(\.isBlocked), plan.calendar.quietHours)
        code =
            if sends.pushes + schedules.pushes + reschedules.pushes + resumes.pushes > 0 {
                .sends
            } else if undecided > 0 {
                .undecided
            } else if !blocked.isEmpty {
                .blocked
            } else if plan.hasChanges {
                .changes
            } else {
                plan.isWaiting ? .waits : .noChanges
            }
    }

    private mutating func count(_ change: Change) {
        switch change.action {
        case .send: sends.add(change)
        case .schedule: schedules.add(change)
        case .reschedule: reschedules.add(change)
        case .resume: resumes.add(change)
        case .cancel: cancels += 1
        case .create where change.occurrences != nil: starts += 1
        case .create: creates += 1
        case .update: updates += 1
        case .delete: deletes += 1
        case .missed: missed += 1
        case .none: undecided += 1
        case .wait where !change.isHeldUp: break
        case .wait where change.reason.isOnHold: onHold += 1
        case .wait where change.reason.isInParts: inParts += 1
        case .wait: waits += 1
        }
    }

    private static func blocked(_ changes: [Change], _ quietHours: QuietHours?) -> [Blocked] {
        var shares: [Block.Rule: Int] = [:]
        for change in changes { for rule in Set(change.blocked.map(\.rule)) { shares[rule, default: 0] += 1 } }
        var found: [Block.Rule: Blocked] = [:]
        for change in changes {
            // The first of those that most changes share.
            guard let most = change.blocked.map({ shares[$0.rule] ?? 0 }).max(),
                let rule = change.blocked.first(where: { shares[$0.rule] == most })?.rule
            else { continue }
            var entry = found[rule] ?? Blocked(rule: rule)
            if change.delivery != nil { entry.pushes += 1 } else { entry.others += 1 }
            if rule == .quietHours, let quietHours { entry.until = QuietHours.timeOfDay(quietHours.to) }
            found[rule] = entry
        }
        return found.values.sorted { one, other in
            let (left, right) = (one.pushes + one.others, other.pushes + other.others)
            return left == right ? one.rule.rawValue < other.rule.rawValue : left > right
        }
    }
}
