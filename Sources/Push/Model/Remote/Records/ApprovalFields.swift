internal import Base

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
