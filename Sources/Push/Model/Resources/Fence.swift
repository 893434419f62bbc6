package import Base

/// The policy of a remote: the workspace's with fields of its own.
package struct RemotePolicy: Hashable, Sendable {
    /// All limits that hold on the remote.
    package var limits: Policy
    /// The fields that the remote sets itself.
    package var own: [String]

    /// True when the remote itself sets a field, to what passes the test.
    func says(_ field: String, _ test: (Policy) -> Bool = { _ in true }) -> Bool { own.contains(field) && test(limits) }
}

extension RemotePolicy {
    /// The word that ends a rule of the workspace.
    static let off = "off"

    /// The fields of the workspace's policy; a rule that a workspace need not have can be ended.
    package static let description = MapDescription(
        "Workspace.remotes.<name>.policy",
        "Limits of this remote in place of the workspace's: single fields of its policy; off ends a rule",
        "该远端的上限，逐项代替工作区的 policy；off 表示取消这条规则",
        Policy.fields.description.fields.map { field in
            FieldSpec(
                field.name, canEnd(field) ? .either([field.type, .constant(off)]) : field.type, field.documentation,
                field.chinese)
        })

    /// True for a rule that holds only where it is written.
    static func canEnd(_ field: FieldSpec) -> Bool {
        guard field.presence == .optional else { return false }
        // These group fields that have defaults.
        return !["quotas", "reached"].contains(field.name)
    }
}

// MARK: - Binding

extension Workspace {
    /// The workspace as it is deployed to a remote: each campaign within the remote's fence, under the remote's policy.
    ///
    /// Whoever plans, checks, counts or sends has campaigns of such a workspace; binding it once more changes nothing.
    package func bound(to name: String) -> Workspace {
        guard let remote = remotes[name], remote.fence != nil || remote.policy != nil else { return self }
        var bound = self
        if let policy = remote.policy { bound.policy = policy.limits }
        let fence = remote.fence.flatMap { fenceCondition($0) == [:] ? nil : $0 }
        for place in bound.campaigns.indices {
            bound.campaigns[place].fence = fence
            if remote.policy != nil { bound.campaigns[place].obey(bound.policy) }
        }
        return bound
    }

    /// The condition of the fence that holds on a remote; nil: there is none.
    package func fenceCondition(of name: String) -> JSONValue? { remotes[name]?.fence.map(fenceCondition) }

    private func fenceCondition(_ fence: Audience) -> JSONValue {
        Audience.joined(fence.conditions(segments: segmentsByName, profiles: profilesByName))
    }
}

extension Campaign {
    /// Takes from a policy what holds for it.
    package mutating func obey(_ policy: Policy?) {
        languageField = policy?.languageField
        holdout = policy?.holdout.flatMap { $0.exempts(labels) ? nil : $0 }
        frequency = policy?.frequency.filter { !$0.exempts(labels) } ?? []
        events = policy?.events
    }

    /// The one condition of its audience and the fence, which is counted and sent byte for byte; nil for a list of devices
    /// that no fence narrows.
    package func joinedCondition(segments: [String: Segment], profiles: [String: DeviceProfile] = [:]) -> JSONValue? {
        guard let fence else { return audience.joinedCondition(segments: segments, profiles: profiles) }
        return Audience.joined(
            audience.conditions(segments: segments, profiles: profiles)
                + fence.conditions(segments: segments, profiles: profiles))
    }

    /// Whom it reaches, in words: `channel Giants, fenced to segment testers`.
    package var audienceReason: Reason {
        fence.map { Reason(.fenced, .reason(audience.reason), .reason($0.reason)) } ?? audience.reason
    }
}

// MARK: - Proof

extension PushRequest {
    /// True when its own condition keeps every device inside a fence, whoever wrote it and when.
    ///
    /// Each part of the fence must be a part of the condition, word for word: a condition that happens to mean less is
    /// not recognised, one that means more never is.
    package func isWithin(_ fence: JSONValue) -> Bool {
        let required = Set(fence.conjuncts)
        return required.isEmpty || required.isSubset(of: (body["where"] ?? [:]).conjuncts)
    }
}

extension JSONValue {
    /// The parts of a condition that must all hold.
    fileprivate var conjuncts: [JSONValue] {
        (object ?? [:]).flatMap { key, value -> [JSONValue] in
            guard key == "$and", let parts = value.array else { return [.object([key: value])] }
            return parts.flatMap(\.conjuncts)
        }
    }
}
