/// A rule by which a delivery is sent only when people other than its author approved it.
///
/// Source: docs/features/approvals.md#rules.
package struct ApprovalRule: Hashable, Sendable {
    /// The deliveries that need the approvals.
    package var when: Condition
    /// The number of people who must approve, 1 or more.
    package var need: Int
    /// The teams of which each of them must be in one; empty: anybody counts.
    package var from: [String]

    package init(when: Condition, need: Int, from: [String] = []) {
        self.when = when
        self.need = need
        self.from = from
    }

    /// The deliveries that a rule is about; everything it says must hold.
    package struct Condition: Hashable, Sendable {
        /// The number of devices from which it holds; nil: any number.
        package var devices: Int?
        /// The labels that a campaign must have; empty: none.
        package var labels: [String: String]

        package init(devices: Int? = nil, labels: [String: String] = [:]) {
            self.devices = devices
            self.labels = labels
        }

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

    /// The fields of a rule in a file.
    package static let fields = FieldTable(
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
    /// The fields of a condition in a file.
    package static let fields = FieldTable(
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
