internal import Base

/// A rule by which a delivery is sent only when people other than its author approved it.
///
/// Source: docs/features/approvals.md#rules.
package struct ApprovalRule: Hashable, Sendable {
    /// The deliveries that need the approvals.
    package var when: Condition
    /// The number of people who must approve, 1 or more.
    package var need: Int
    /// The teams of which each of them must be in one; empty: anybody counts.
    package var from: [String] = []

    /// The deliveries that a rule is about; everything it says must hold.
    package struct Condition: Hashable, Sendable {
        /// The number of devices from which it holds; nil: any number.
        package var devices: Int?
        /// The labels that a campaign must have; empty: none.
        package var labels: [String: String] = [:]

        /// True when campaigns with these labels are meant.
        package func covers(_ labels: [String: String]) -> Bool {
            self.labels.allSatisfy { labels[$0.key] == $0.value }
        }

        /// True when an audience is large enough; one that was not counted, nil, may be.
        package func covers(devices count: Int?) -> Bool {
            guard let devices, let count else { return true }
            return count >= devices
        }
    }

    /// True when a person in these teams, in lower case, counts.
    package func takes(_ teams: Set<String>) -> Bool {
        from.isEmpty || from.contains { teams.contains($0.lowercased()) }
    }
}

extension ApprovalRule {
    /// The numbers of people that a rule may ask for.
    package static let countable = 1...100

    package static let fields = FieldTable<Self>(
        "Workspace.policy.approvals", "Approvals without which a delivery is not sent", "没有这些批准就不发送",
        blank: ApprovalRule(when: Condition(), need: 1),
        [
            FieldRow(
                required: "when", .map(Condition.fields), "The deliveries that need them", "哪些投递需要批准",
                { $0.when }, { $0.when = $1 }),
            FieldRow(
                required: "need", .integer(.integer(countable)),
                "The number of people, other than authors, who must approve",
                "除作者以外须有多少人批准", { $0.need }, { $0.need = $1 }),
            FieldRow(
                "from", .list(.list(of: .text)), "Teams; each of these people must be in one of them",
                "团队；批准人须属于其中之一", { $0.from.isEmpty ? nil : $0.from }, { $0.from = $1 }),
        ])
}

extension ApprovalRule.Condition {
    package static let fields = FieldTable<Self>(
        "Workspace.policy.approvals.when", "The deliveries that need approvals; what is written must hold together",
        "需要批准的投递；写明的条件须同时满足", blank: ApprovalRule.Condition(),
        rules: [.notEmpty, .when(.has(["labels"]), .count(["labels"], 1...Int.max))],
        [
            FieldRow(
                "devices", .positive, "Those to this many devices or more, or to an audience that cannot be counted",
                "设备数达到此数，或无法统计受众的投递", { $0.devices }, { $0.devices = $1 }),
            FieldRow(
                "labels", .texts(keys: .label), "Those of campaigns with all of these labels", "带有全部这些标签的推送活动",
                unless: [:], { $0.labels }, { $0.labels = $1 }),
        ])
}

/// The approvals that an apply leaves for later ones, so that what a merge has approved may be sent when its time
/// comes.
///
/// Source: docs/features/approvals.md#what-later-runs-know.
package struct ApprovalMemory: Hashable, Sendable {
    /// The rules in the files that were applied last.
    package var rules: [ApprovalRule] = []
    /// The rules that this apply itself was held to.
    package var heldTo: [ApprovalRule] = []
    /// The commit that had these rules and was held to those; nil: nobody knows.
    package var commit: String?
    /// The campaigns that were planned and may be sent later, sorted by name.
    package var campaigns: [Planned] = []

    /// A campaign with the rules it was planned under, and the people who wrote and approved it.
    package struct Planned: Hashable, Sendable {
        /// The campaign's name.
        package var campaign: String
        /// The hash of everything that the files declare of it; another one is another campaign.
        package var declaration: Digest
        /// The commit that it was first planned from; nil: nobody knows.
        package var commit: String?
        /// The rules that it was planned under.
        package var rules: [ApprovalRule] = []
        /// The people who wrote the change that brought it; empty: nobody knows.
        package var authors: [String] = []
        /// The people who approved it, authors not among them.
        package var approvers: [Approver] = []
    }
}

/// A person who approved a change.
package struct Approver: Hashable, Sendable {
    /// The person's name at the forge, as it is written there.
    package var person: String
    /// The teams that the person is in.
    package var teams: [String] = []

    /// The teams in lower case: names of people and teams are compared without regard to case.
    package var teamKeys: Set<String> { Set(teams.map { $0.lowercased() }) }
}

// MARK: - Record

// What a lock's record keeps of approvals, as a member of its last apply.

extension ApprovalMemory {
    static let record = Record<ApprovalMemory>(
        ApprovalMemory(),
        [
            Field(
                "rules", .list(of: .record(ApprovalRule.record)), "The rules of the files that were applied.",
                { $0.rules }, { $0.rules = $1 }),
            Field(
                "heldTo", .list(of: .record(ApprovalRule.record)), "The rules that the apply was held to.",
                { $0.heldTo }, { $0.heldTo = $1 }),
            Field(
                optional: "commit", .text, "The commit that was held to them.", { $0.commit }, { $0.commit = $1 }),
            Field(
                "campaigns", .list(of: .record(Planned.record)), "The campaigns that may be sent later.",
                { $0.campaigns }, { $0.campaigns = $1 }),
        ])
}

extension ApprovalRule {
    fileprivate static let record = Record<ApprovalRule>(
        ApprovalRule(when: Condition(), need: 1),
        [
            Field("need", .positive, "The number of people who must approve.", { $0.need }, { $0.need = $1 }),
            Field(
                optional: "devices", .positive, "The number of devices from which it holds.", { $0.when.devices },
                { $0.when.devices = $1 }),
            Field(
                optional: "labels", .labels, "The labels that a campaign must have.", unless: [:],
                { $0.when.labels }, { $0.when.labels = $1 }),
            Field(
                optional: "from", .list(of: .text), "The teams of which each must be in one.", unless: [],
                { $0.from }, { $0.from = $1 }),
        ])
}

extension JSONForm<Int> {
    fileprivate static var positive: Self {
        integer(minimum: 1).checked { number throws(RecordError) in
            guard number > 0 else { throw RecordError(.number(number)) }
            return number
        }
    }
}

extension ApprovalMemory.Planned {
    fileprivate static let record = Record<Self>(
        Self(campaign: "", declaration: Digest(of: [])),
        [
            Field("campaign", .text, "The campaign.", { $0.campaign }, { $0.campaign = $1 }),
            Field("declaration", .digest, "Hash of its declaration.", { $0.declaration }, { $0.declaration = $1 }),
            Field(
                "rules", .list(of: .record(ApprovalRule.record)), "The rules that it was planned under.", { $0.rules },
                { $0.rules = $1 }),
            Field("authors", .list(of: .text), "The people who wrote it.", { $0.authors }, { $0.authors = $1 }),
            Field(
                "approvers", .list(of: .record(Approver.record)), "The people who approved it.", { $0.approvers },
                { $0.approvers = $1 }),
            Field(
                optional: "commit", .text, "The commit that it was first planned from.", { $0.commit },
                { $0.commit = $1 }),
        ])
}

extension Approver {
    fileprivate static let record = Record<Approver>(
        Approver(person: ""),
        [
            Field("person", .text, "The person.", { $0.person }, { $0.person = $1 }),
            Field("teams", .list(of: .text), "The person's teams.", { $0.teams }, { $0.teams = $1 }),
        ])
}
