/// Compares a reviewed plan with the plan at apply time.
package enum PlanDifference {
    /// Compares a reviewed plan with the one made now.
    ///
    /// Compared are kind, name, action, delivery, time, request, rules, before and after, and the audience within
    /// `growth`, but not times or places of messages. A plan is valid for a day at most, whatever it says itself.
    /// `isTrusted` is true if nobody can have altered the reviewed plan; otherwise its counts must be plausible.
    ///
    /// - Returns: the differences, one sentence each; empty when the reviewed plan is still valid.
    package static func between(reviewed: Plan, now: Plan, growth: Double, isTrusted: Bool) -> [String] {
        var differences: [String] = []
        let end = min(reviewed.expiresAt, reviewed.createdAt + Plan.lifetime)
        if now.createdAt > end { differences.append("the plan expired at \(end.text)") }
        if reviewed.createdAt > now.createdAt + clockSkew {
            differences.append("the plan says that it was made at \(reviewed.createdAt.text), which is in the future")
        }
        if reviewed.workspace != now.workspace {
            differences.append("the plan is for workspace \(reviewed.workspace), not \(now.workspace)")
        }
        if reviewed.remote.name != now.remote.name || reviewed.remote.fingerprint != now.remote.fingerprint {
            differences.append("the plan is for another remote (\(reviewed.remote.name), \(reviewed.remote.title))")
        }
        if reviewed.desired != now.desired {
            differences.append("the workspace's files differ from those that the plan was made from")
        }
        let before = Set(keyed(reviewed).map { $0.0 })
        let after = Dictionary(uniqueKeysWithValues: keyed(now))
        for (key, change) in keyed(reviewed) {
            guard let other = after[key] else {
                if change.mayPass { continue }
                differences.append("\(label(change)): \(change.action.rawValue) is no longer planned")
                continue
            }
            differences += between(change, other).map { "\(label(change)): \($0)" }
            let audience = Growth(of: change, to: other, by: growth)
            if let grown = audience.objection ?? (isTrusted ? nil : audience.doubt) {
                differences.append("\(label(change)): \(grown)")
            }
        }
        let foreseen = reviewed.changes.filter { $0.occurrences != nil }
        for (key, change) in keyed(now) where !before.contains(key) && !change.mayCome {
            if let series = foreseen.first(where: { $0.foresees(change) }) {
                guard let grown = Growth(of: series, to: change, by: growth).objection else { continue }
                differences.append("\(label(change)): \(grown)")
                continue
            }
            differences.append("\(label(change)): \(change.action.rawValue) is new")
        }
        return differences
    }

    /// The tolerated difference between two machines' clocks.
    private static let clockSkew = Duration.seconds(300)

    private static func between(_ old: Change, _ new: Change) -> [String] {
        var differences: [String] = []
        if old.occurrences != nil, new.occurrences != nil {
            // Another apply recorded the same files, or the days go by.
            if new.action == .wait { return [] }
            return fieldsAndRules(
                old, new, old.action == new.action ? [] : ["\(old.action.rawValue) became \(new.action.rawValue)"])
        }
        if old.mayCome, new.mayCome { return [] }
        if old.action != new.action {
            differences.append("\(old.action.rawValue) became \(new.action.rawValue)")
        }
        if old.delivery?.id != new.delivery?.id || old.delivery?.generation != new.delivery?.generation {
            differences.append("it is another delivery")
        }
        if old.delivery?.at?.instant != new.delivery?.at?.instant { differences.append("its time changed") }
        if old.request != new.request { differences.append("its request changed") }
        return fieldsAndRules(old, new, differences)
    }

    private static func fieldsAndRules(_ old: Change, _ new: Change, _ found: [String]) -> [String] {
        var differences = found
        if old.before != new.before || old.after != new.after { differences.append("its fields changed") }
        // A plan for reviewers says which approvals are needed; only the apply knows which there are.
        let rules = (
            Set(old.blocked.map(\.rule)).subtracting([.approvals]),
            Set(new.blocked.map(\.rule)).subtracting([.approvals])
        )
        for rule in rules.1.subtracting(rules.0).sorted(by: { $0.rawValue < $1.rawValue }) {
            differences.append("\(rule.rawValue) blocks it now")
        }
        for rule in rules.0.subtracting(rules.1).sorted(by: { $0.rawValue < $1.rawValue }) {
            differences.append("\(rule.rawValue) no longer blocks it")
        }
        return differences
    }

    /// The checks on the growth of an audience since it was counted.
    private struct Growth {
        let before: Int?
        let after: Int?
        let last: Int?
        let growth: Double

        init(of old: Change, to new: Change, by growth: Double) {
            (before, after) = (old.audience?.devices, new.audience?.devices)
            last = new.audience?.review.lastDelivery?.devices
            self.growth = growth
        }

        /// An objection to growth above both the fraction and 100 devices; shrinking is fine.
        var objection: String? {
            guard let before, let after, after > AudienceLimits.most(before, growth: growth) else { return nil }
            return "its audience grew from \(grouped(before)) to \(grouped(after)) devices"
        }

        /// An objection to a count that is missing or far above the current one, and so may hide growth: in that case
        /// the last delivery is the reference.
        var doubt: String? {
            guard let after, before.map({ $0 > 2 * after + 1000 }) ?? (last != nil) else { return nil }
            if let last, after <= AudienceLimits.most(last, growth: growth) { return nil }
            let claim = before.map { "the plan counts \(grouped($0)) devices" } ?? "the plan does not count its devices"
            let past = last.map { ", and its last delivery reached \(grouped($0))" } ?? ""
            return "\(claim), there are \(grouped(after))\(past)"
        }
    }

    private static func label(_ change: Change) -> String { "\(change.kind.word) \(change.name)" }

    /// The changes of a plan with their keys.
    private static func keyed(_ plan: Plan) -> [(Key, Change)] {
        var numbers: [Key: Int] = [:]
        return plan.changes.map { change in
            var key = Key(change)
            let number = numbers[key, default: 0]
            numbers[key] = number + 1
            key.number = number
            return (key, change)
        }
    }

    private struct Key: Hashable {
        let kind: ResourceKind
        let name: String
        let revision: Int?
        let occurrence: Occurrence?
        /// The number of earlier lines about the same: a delivery that goes on may have an earlier push to cancel.
        var number = 0

        init(_ change: Change) {
            kind = change.kind
            name = change.name
            revision = change.delivery?.revision
            occurrence = change.delivery?.occurrence
        }
    }
}

extension Change {
    /// True for a line about a recurring campaign that sends and changes nothing.
    fileprivate var mayCome: Bool {
        switch action {
        case .wait: occurrences != nil
        case .missed: delivery?.occurrence.date != nil
        case .create, .update, .delete, .send, .schedule, .reschedule, .cancel, .resume, .none: false
        }
    }

    /// True for a line about a recurring campaign that another apply may have made needless in the meantime: a day that
    /// was sent, or files that were recorded.
    fileprivate var mayPass: Bool {
        switch action {
        case .send, .schedule, .resume: delivery?.occurrence.date != nil
        case .create, .update: occurrences != nil
        case .wait, .missed: mayCome
        case .delete, .reschedule, .cancel, .none: false
        }
    }

    /// True when this line of a recurring campaign listed the day that a change sends, at its time.
    fileprivate func foresees(_ change: Change) -> Bool {
        guard change.action.isSending, change.action != .reschedule, name == change.name, let delivery = change.delivery
        else { return false }
        return occurrences?.next.contains { next in
            next.delivery == delivery.id && (delivery.at.map { $0.instant == next.at.instant } ?? true)
        } ?? false
    }
}
