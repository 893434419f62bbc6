package import Base

/// Approvals that a change needs by one rule.
package struct ApprovalRequirement: Hashable, Sendable {
    /// The rule.
    package var rule: ApprovalRule
    /// True when the rule is about a number of devices, and the audience was not counted.
    package var isUncounted: Bool
    /// The people who approved it, as far as a plan knows.
    package var approvedBy: [String]

    package init(rule: ApprovalRule, isUncounted: Bool = false, approvedBy: [String] = []) {
        self.rule = rule
        self.isUncounted = isUncounted
        self.approvedBy = approvedBy
    }

    /// True when enough people approved it.
    package var isMet: Bool { approvedBy.count >= rule.need }
}

extension ApprovalRequirement {
    package static let record = Record<ApprovalRequirement>(
        ApprovalRequirement(rule: ApprovalRule(when: .init(), need: 1)),
        [
            Field(
                "need", .integer(minimum: 1), "The number of people, other than authors, who must approve.",
                { $0.rule.need }, { $0.rule.need = $1 }),
            Field(
                optional: "from", .list(of: .text, "A team.", minimum: 1), "The teams of which each must be in one.",
                unless: [], { $0.rule.from }, { $0.rule.from = $1 }),
            Field(
                optional: "devices", .integer(minimum: 1), "The number of devices from which the rule holds.",
                { $0.rule.when.devices }, { $0.rule.when.devices = $1 }),
            Field(
                optional: "labels", .labels, "The labels of the campaigns that the rule is about.", unless: [:],
                { $0.rule.when.labels }, { $0.rule.when.labels = $1 }),
            Field(
                optional: "uncounted", .flag, "True when the rule is about devices, and they were not counted.",
                unless: false, { $0.isUncounted }, { $0.isUncounted = $1 }),
            Field(
                optional: "approvedBy", .list(of: .text, "A person.", minimum: 1), "The people who approved it.",
                unless: [], { $0.approvedBy }, { $0.approvedBy = $1 }),
        ])
}

extension JSONForm<[String: String]> {
    /// Texts by name.
    fileprivate static var labels: Self {
        JSONForm(
            schema: { SchemaPart.anyObject($0, orNull: $1) },
            write: { .value(.object(JSONObject($0.map { ($0.key, .string($0.value)) }))) }
        ) { value throws(RecordError) in
            guard let members = value.object else { throw RecordError(.type) }
            var labels: [String: String] = [:]
            for (name, text) in members {
                guard let text = text.string else { throw RecordError(.type).under(name) }
                labels[name] = text
            }
            return labels
        }
    }
}
