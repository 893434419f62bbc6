internal import PushModel

/// What an apply finds different from the plan that was reviewed.
package enum PlanDifference {
    /// The differences, one sentence each; empty: the reviewed plan still holds.
    ///
    /// Compared are kind, name, action, delivery, time, request, rules, before and after, and the audience within
    /// `growth`; not when or where things were said.
    package static func between(reviewed: Plan, now: Plan, growth: Double) -> [String] {
        var differences: [String] = []
        if reviewed.workspace != now.workspace {
            differences.append("the plan is for workspace \(reviewed.workspace), not \(now.workspace)")
        }
        if reviewed.remote.name != now.remote.name || reviewed.remote.fingerprint != now.remote.fingerprint {
            differences.append("the plan is for another remote (\(reviewed.remote.name), \(reviewed.remote.title))")
        }
        if reviewed.desired != now.desired { differences.append("the workspace's files are not those of the plan") }
        let before = Dictionary(reviewed.changes.map { (Key($0), $0) }) { first, _ in first }
        let after = Dictionary(now.changes.map { (Key($0), $0) }) { first, _ in first }
        for change in reviewed.changes {
            guard let other = after[Key(change)] else {
                differences.append("\(label(change)): \(change.action.rawValue) is no longer planned")
                continue
            }
            differences += between(change, other, growth: growth).map { "\(label(change)): \($0)" }
        }
        for change in now.changes where before[Key(change)] == nil {
            differences.append("\(label(change)): \(change.action.rawValue) is new")
        }
        return differences
    }

    private static func between(_ old: Change, _ new: Change, growth: Double) -> [String] {
        var differences: [String] = []
        if old.action != new.action {
            differences.append("\(old.action.rawValue) became \(new.action.rawValue)")
        }
        if old.delivery?.id != new.delivery?.id || old.delivery?.generation != new.delivery?.generation {
            differences.append("it is another delivery")
        }
        if old.delivery?.at?.instant != new.delivery?.at?.instant { differences.append("its time changed") }
        if old.request != new.request { differences.append("its request changed") }
        if old.before != new.before || old.after != new.after { differences.append("its fields changed") }
        let rules = (Set(old.blocked.map(\.rule)), Set(new.blocked.map(\.rule)))
        for rule in rules.1.subtracting(rules.0).sorted(by: { $0.rawValue < $1.rawValue }) {
            differences.append("\(rule.rawValue) blocks it now")
        }
        for rule in rules.0.subtracting(rules.1).sorted(by: { $0.rawValue < $1.rawValue }) {
            differences.append("\(rule.rawValue) no longer blocks it")
        }
        if let grown = audienceGrowth(old, new, growth: growth) { differences.append(grown) }
        return differences
    }

    /// Growth counts above the fraction and above 100 devices; an audience that shrank does not.
    private static func audienceGrowth(_ old: Change, _ new: Change, growth: Double) -> String? {
        guard let before = old.audience?.devices, let after = new.audience?.devices,
            after > AudienceLimits.most(before, growth: growth)
        else { return nil }
        return "its audience grew from \(grouped(before)) to \(grouped(after)) devices"
    }

    private static func label(_ change: Change) -> String { "\(change.kind.word) \(change.name)" }

    private struct Key: Hashable {
        let kind: ResourceKind
        let name: String
        let revision: Int?

        init(_ change: Change) {
            kind = change.kind
            name = change.name
            revision = change.delivery?.revision
        }
    }
}
