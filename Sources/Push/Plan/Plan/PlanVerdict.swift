internal import Base

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
    /// The number of deliveries, and of stops of everything, that a person must decide about.
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

        mutating func add(_ other: Reach) {
            pushes += other.pushes
            devices += other.devices
            uncounted += other.uncounted
        }
    }

    /// The changes that a rule blocks.
    package struct Blocked: Hashable, Sendable {
        package var rule: Block.Rule
        /// The number of pushes.
        package var pushes = 0
        /// The number of changes of something else.
        package var others = 0
        /// The time of day when it blocks no more, such as `08:00`; nil when time alone does not change that.
        package var until: String?
    }

    init() {}

    /// Counts the changes of a plan.
    package init(of plan: Plan) {
        for change in plan.changes where !change.isBlocked { count(change) }
        // That everything is stopped is for a person to end, whatever else there is; what is stopped at the server has
        // no change.
        undecided += plan.stops.count { $0.isForAll || $0.isAtServer }
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

    /// Adds up the verdicts of several plans; the most important thing of all counts.
    package init(of verdicts: [PlanVerdict]) {
        for verdict in verdicts { add(verdict) }
        blocked = Self.sorted(blocked)
        code = Code.allCases.first { code in verdicts.contains { $0.code == code } } ?? .noChanges
    }

    private mutating func add(_ other: PlanVerdict) {
        for reach in [\Self.sends, \.schedules, \.reschedules, \.resumes] {
            self[keyPath: reach].add(other[keyPath: reach])
        }
        let counts = [
            \Self.cancels, \.starts, \.creates, \.updates, \.deletes, \.onHold, \.inParts, \.waits, \.missed,
            \.undecided,
        ]
        for count in counts { self[keyPath: count] += other[keyPath: count] }
        for entry in other.blocked {
            guard let index = blocked.firstIndex(where: { $0.rule == entry.rule }) else {
                blocked.append(entry)
                continue
            }
            blocked[index].pushes += entry.pushes
            blocked[index].others += entry.others
            if blocked[index].until != entry.until { blocked[index].until = nil }
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
        return sorted(Array(found.values))
    }

    /// The rule that blocks most first.
    private static func sorted(_ blocked: [Blocked]) -> [Blocked] {
        blocked.sorted { one, other in
            let (left, right) = (one.pushes + one.others, other.pushes + other.others)
            return left == right ? one.rule.rawValue < other.rule.rawValue : left > right
        }
    }
}

// MARK: - Record

extension JSONForm<PlanVerdict> {
    /// What carrying out the plan does, which is written for programs and not read back.
    static var verdict: Self {
        JSONForm(
            schema: { sentence, _ in PlanVerdict.record.schema(sentence) },
            write: { PlanVerdict.record.json(of: $0) }, read: { _ in PlanVerdict() })
    }
}

extension PlanVerdict {
    fileprivate static let record = Record<PlanVerdict>(
        written: [
            Field("code", .choice(Code.self), "The most important thing about it.", { $0.code }),
            reach("sends", "Pushes that are sent at once.") { $0.sends },
            reach("schedules", "Pushes that are scheduled.") { $0.schedules },
            reach("reschedules", "Pending pushes that are replaced.") { $0.reschedules },
            reach("resumes", "Open deliveries that go on or are settled.") { $0.resumes },
            count("cancels", "Pending pushes that are cancelled.") { $0.cancels },
            count("starts", "Recurring campaigns that begin.") { $0.starts },
            count("creates", "Resources that are created.") { $0.creates },
            count("updates", "Resources that are updated.") { $0.updates },
            count("deletes", "Resources that are deleted.") { $0.deletes },
            Field(optional: "blocked", .list(of: .record(Blocked.record)), "What is blocked, by rule.") {
                $0.blocked.isEmpty ? nil : $0.blocked
            },
            count("onHold", "Deliveries on hold.") { $0.onHold },
            count("inParts", "Deliveries that go on in parts, when their time comes.") { $0.inParts },
            count("waits", "Other deliveries that wait for their time.") { $0.waits },
            count("missed", "Deliveries whose time has passed.") { $0.missed },
            count("undecided", "Deliveries that a person must decide about.") { $0.undecided },
        ])

    /// A number that is left out where it is zero.
    private static func count(
        _ name: String, _ sentence: String, _ get: @escaping @Sendable (PlanVerdict) -> Int
    ) -> Field<PlanVerdict> {
        Field(optional: name, .integer(), sentence) { get($0) == 0 ? nil : get($0) }
    }

    private static func reach(
        _ name: String, _ sentence: String, _ get: @escaping @Sendable (PlanVerdict) -> Reach
    ) -> Field<PlanVerdict> {
        Field(optional: name, .record(Reach.record), sentence) { get($0).pushes == 0 ? nil : get($0) }
    }
}

extension PlanVerdict.Reach {
    fileprivate static let record = Record<Self>(
        written: [
            Field("pushes", .integer(), "The number of pushes.", { $0.pushes }),
            Field("devices", .integer(), "The devices that they reach, as far as they were counted.", { $0.devices }),
            Field("uncounted", .integer(), "The number of pushes whose devices were not counted.", { $0.uncounted }),
        ])
}

extension PlanVerdict.Blocked {
    fileprivate static let record = Record<Self>(
        written: [
            Field("rule", .choice(Block.Rule.self), "The rule.", { $0.rule }),
            Field("pushes", .integer(), "The number of pushes that it blocks.", { $0.pushes }),
            Field("others", .integer(), "The number of other changes that it blocks.", { $0.others }),
            Field(optional: "until", .text, "The time of day when it blocks no more.", { $0.until }),
        ])
}
