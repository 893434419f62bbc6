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

/// What an apply remembers of approvals as JSON, a member of the lock's last apply.
enum ApprovalFields {
    static func value(of memory: ApprovalMemory) -> JSONValue {
        [
            "rules": .array(memory.rules.map(value)), "heldTo": .array(memory.heldTo.map(value)),
            "campaigns": .array(memory.campaigns.map(value)),
        ]
    }

    private static func value(of rule: ApprovalRule) -> JSONValue {
        var members: JSONObject = ["need": .integer(Int64(rule.need))]
        members["devices"] = rule.when.devices.map { .integer(Int64($0)) }
        if !rule.when.labels.isEmpty {
            members["labels"] = .object(JSONObject(rule.when.labels.map { ($0.key, .string($0.value)) }))
        }
        if !rule.from.isEmpty { members["from"] = texts(rule.from) }
        return .object(members)
    }

    private static func value(of planned: ApprovalMemory.Planned) -> JSONValue {
        var members: JSONObject = [
            "campaign": .string(planned.campaign), "declaration": .string(planned.declaration.description),
            "rules": .array(planned.rules.map(value)), "authors": texts(planned.authors),
            "approvers": .array(planned.approvers.map(value)),
        ]
        members["commit"] = planned.commit.map { .string($0) }
        return .object(members)
    }

    private static func value(of approver: Approver) -> JSONValue {
        ["person": .string(approver.person), "teams": texts(approver.teams)]
    }

    private static func texts(_ list: [String]) -> JSONValue { .array(list.map { .string($0) }) }

    /// Reads a value written by ``value(of:)``; nil when it is something else.
    static func memory(_ value: JSONValue) -> ApprovalMemory? {
        guard let rules = list(value["rules"], rule), let heldTo = list(value["heldTo"], rule),
            let campaigns = list(value["campaigns"], planned)
        else { return nil }
        return ApprovalMemory(rules: rules, heldTo: heldTo, campaigns: campaigns)
    }

    private static func rule(_ value: JSONValue) -> ApprovalRule? {
        guard let need = value["need"]?.integer, need > 0, let from = optionalTexts(value["from"]) else { return nil }
        var when = ApprovalRule.Condition()
        if let devices = value["devices"] {
            guard let number = devices.integer, number > 0 else { return nil }
            when.devices = Int(number)
        }
        if let labels = value["labels"] {
            guard let members = labels.object else { return nil }
            for (name, text) in members {
                guard let text = text.string else { return nil }
                when.labels[name] = text
            }
        }
        return ApprovalRule(when: when, need: Int(need), from: from)
    }

    private static func planned(_ value: JSONValue) -> ApprovalMemory.Planned? {
        guard let campaign = value["campaign"]?.string, value["commit"].map({ $0.string != nil }) ?? true,
            let declaration = value["declaration"]?.string.flatMap({ Digest($0) }),
            let rules = list(value["rules"], rule), let authors = list(value["authors"], \.string),
            let approvers = list(value["approvers"], approver)
        else { return nil }
        return ApprovalMemory.Planned(
            campaign: campaign, declaration: declaration, commit: value["commit"]?.string, rules: rules,
            authors: authors, approvers: approvers)
    }

    private static func approver(_ value: JSONValue) -> Approver? {
        guard let person = value["person"]?.string, let teams = list(value["teams"], \.string) else { return nil }
        return Approver(person: person, teams: teams)
    }

    private static func optionalTexts(_ value: JSONValue?) -> [String]? {
        value == nil ? [] : list(value, \.string)
    }

    /// The elements of a list; nil when it is none, or one of them cannot be read.
    private static func list<Element>(_ value: JSONValue?, _ read: (JSONValue) -> Element?) -> [Element]? {
        guard let values = value?.array else { return nil }
        let elements = values.compactMap(read)
        return elements.count == values.count ? elements : nil
    }
}
