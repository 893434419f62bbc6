package import Base

/// Judges the deliveries of a plan by the rules on approvals: docs/features/approvals.md.
struct ApprovalJudge {
    private let input: PlanInput
    private let known: ApprovalMemory
    private let remembered: [String: ApprovalMemory.Planned]
    private let evidence: ApprovalEvidence?
    /// The rules that any change is held to; nil when they cannot be read, though there may be some.
    private let rules: [ApprovalRule]?
    /// The content hashes of the campaigns, in order.
    private let contents: [Digest]

    init(_ input: PlanInput, contents: [Digest]) {
        self.input = input
        self.contents = contents
        known = input.state.lock?.lastApplied?.approvals ?? ApprovalMemory()
        remembered = Dictionary(known.campaigns.map { ($0.campaign, $0) }) { first, _ in first }
        evidence = input.approvals.file.map { ApprovalEvidence($0, of: input.approvals.state, at: input.now) }
        let own = input.desired.policy.approvals
        // The rules of files that were applied before hold too: a commit that was merged and never applied cannot drop
        // them. Applying the same commit again is judged as the first time.
        let isAgain = known.commit != nil && known.commit == input.approvals.commit
        let before = isAgain ? known.heldTo : known.rules
        rules =
            switch input.approvals.base {
            case .rules(let rules): (rules + before).unique
            case .own: (own + before).unique
            case .unreadable: own.isEmpty && before.isEmpty && known.heldTo.isEmpty ? [] : nil
            }
    }

    /// True when no rule can hold anything back, and none is to be remembered.
    private var isIdle: Bool {
        rules?.isEmpty == true && known == ApprovalMemory() && input.desired.policy.approvals.isEmpty
    }

    /// Adds to the changes the approvals that they need, and to deliveries the size up to which they need no others;
    /// for an apply also blocks those that lack some. Returns what later applies must know; nil: nothing.
    func judge(_ steps: inout [Step]) -> ApprovalMemory? {
        guard !isIdle else { return nil }
        var planned: [String: ApprovalMemory.Planned] = [:]
        let places = input.desired.campaignPlaces
        for index in steps.indices where steps[index].isDelivery {
            guard let place = places[steps[index].change.name] else { continue }
            let campaign = input.desired.campaigns[place]
            let known = remembered(campaign, at: place)
            let record = record(of: campaign, at: place, known)
            // Without known rules there is nothing that a later apply could be told.
            if rules != nil || known != nil { planned[campaign.name] = record }
            let most = judge(&steps[index].change, campaign, record, isKnown: known != nil)
            // It is part of the intent: whoever resumes it may have other files and approvals.
            if case .deliver(var entry, let replaces) = steps[index].operation {
                entry.mostDevices = most
                steps[index].operation = .deliver(entry, replaces: replaces)
            }
        }
        return memory(planned, steps, places)
    }

    /// Returns the most devices that it may have without further approvals; nil: any number.
    private func judge(
        _ change: inout Change, _ campaign: Campaign, _ record: ApprovalMemory.Planned, isKnown: Bool
    ) -> Int? {
        let held = rulesInForce(record)
        let devices = change.audience?.devices
        let verdicts = held.filter { $0.when.covers(campaign.labels) }
            .map { Verdict($0, record, evidence, devices: devices) }
        let lacking = verdicts.filter { !$0.requirement.isMet }.compactMap(\.requirement.rule.when.devices)
        let most = devices.flatMap { devices in lacking.filter { $0 > devices }.min() }.map { $0 - 1 }
        let due = verdicts.filter { $0.requirement.rule.when.covers(devices: devices) }
        change.requires = due.map(\.requirement)
        guard change.action.isSending, !input.explainsAudiences else { return most }
        // What an earlier apply has planned already has its rules with it.
        if rules == nil, !isKnown, case .unreadable(let reason) = input.approvals.base {
            change.blocked.append(Block(.approvals, Reason(.rulesUnreadable, .text(reason))))
        }
        for verdict in due where !verdict.requirement.isMet {
            let reason = verdict.reason(input.approvals, isUnsigned: isUnsigned(record))
            change.blocked.append(Block(.approvals, reason))
        }
        return most
    }

    /// True when nobody knows who wrote a campaign: it came with another commit, which was applied without approvals.
    private func isUnsigned(_ record: ApprovalMemory.Planned) -> Bool {
        evidence != nil && record.authors.isEmpty && record.commit != input.approvals.commit
    }

    /// The rules that a campaign is held to: those of this change, and those that it was planned under.
    private func rulesInForce(_ record: ApprovalMemory.Planned) -> [ApprovalRule] {
        let own = rules ?? (input.desired.policy.approvals + known.rules + known.heldTo)
        return (own + record.rules).unique
    }

    // MARK: What later applies know

    /// The hash of everything that the files declare of a campaign.
    private func declaration(at place: Int) -> Digest {
        input.desired.campaigns[place].declarationDigest(content: contents[place])
    }

    /// What an earlier apply knew of a campaign, if it is the same since.
    private func remembered(_ campaign: Campaign, at place: Int) -> ApprovalMemory.Planned? {
        guard let record = remembered[campaign.name], record.declaration == declaration(at: place) else { return nil }
        return record
    }

    private func record(
        of campaign: Campaign, at place: Int, _ known: ApprovalMemory.Planned?
    ) -> ApprovalMemory.Planned {
        var record =
            known
            ?? ApprovalMemory.Planned(
                campaign: campaign.name, declaration: declaration(at: place), commit: input.approvals.commit,
                rules: rules ?? [])
        guard let evidence else { return record }
        if record.authors.isEmpty {
            // Whoever wrote another change did not write this campaign, and its authors must not approve it there.
            guard record.commit == input.approvals.commit else { return record }
            record.authors = evidence.authors
        }
        let authors = Set((record.authors + evidence.authors).map(\.identityKey))
        let dismissed = Set(evidence.rejected.lazy.filter { $0.reason == .dismissed }.map(\.person.identityKey))
        record.approvers.removeAll { dismissed.contains($0.person.identityKey) }
        record.approvers = record.approvers.merged(
            with: evidence.approvers.filter { !authors.contains($0.person.identityKey) })
        return record
    }

    private func memory(
        _ planned: [String: ApprovalMemory.Planned], _ steps: [Step], _ places: [String: Int]
    ) -> ApprovalMemory? {
        let isWhole = input.selection.targets.isEmpty && !input.selection.onlyDue
        let own = input.desired.policy.approvals
        let held = rules ?? (own + known.rules + known.heldTo).unique
        var campaigns = planned
        // What the plan says nothing of is done, unless it looks at a part of the files only.
        let open = isWhole ? Set(steps.map(\.change.name)) : Set(remembered.keys)
        for name in remembered.keys where campaigns[name] == nil && open.contains(name) {
            campaigns[name] = places[name].flatMap { remembered(input.desired.campaigns[$0], at: $0) }
        }
        var memory = ApprovalMemory(
            rules: isWhole ? own : known.rules.isEmpty && known.heldTo.isEmpty ? held : known.rules,
            heldTo: isWhole ? held : known.heldTo,
            campaigns: campaigns.values.filter { !held.isEmpty || !$0.rules.isEmpty }
                .sorted { $0.campaign < $1.campaign })
        guard memory != ApprovalMemory() else { return nil }
        memory.commit = isWhole ? input.approvals.commit : known.commit
        return memory
    }
}

extension Step {
    /// True for a delivery that is sent now or later, unless it was begun before: that one was approved then.
    fileprivate var isDelivery: Bool {
        if case .resume = operation { return false }
        guard change.kind == .campaign else { return false }
        return switch change.action {
        case .send, .schedule, .reschedule, .wait: true
        case .create, .update: change.occurrences != nil
        case .delete, .cancel, .resume, .missed, .none: false
        }
    }
}

extension [ApprovalRule] {
    /// The rules, each once.
    fileprivate var unique: [ApprovalRule] {
        var seen: Set<ApprovalRule> = []
        return filter { seen.insert($0).inserted }
    }
}

extension [Approver] {
    /// The people of both lists, each once; what the others say of a person's teams is newer.
    fileprivate func merged(with others: [Approver]) -> [Approver] {
        let newer = Set(others.map(\.person.identityKey))
        return filter { !newer.contains($0.person.identityKey) } + others
    }
}

extension ApprovalJudge {
    /// The people who count for one rule on one campaign, and those who do not.
    struct Verdict {
        let requirement: ApprovalRequirement
        private var excuses: [Reason] = []

        init(_ rule: ApprovalRule, _ record: ApprovalMemory.Planned, _ evidence: ApprovalEvidence?, devices: Int?) {
            let counted = record.approvers.filter { rule.takes($0.teamKeys) }
            requirement = ApprovalRequirement(
                rule: rule, isUncounted: rule.when.devices != nil && devices == nil,
                approvedBy: counted.map(\.person).sorted { $0.identityKey < $1.identityKey })
            let authors = Set((record.authors + (evidence?.authors ?? [])).map(\.identityKey))
            for approver in evidence?.approvers ?? [] where authors.contains(approver.person.identityKey) {
                excuses.append(Reason(.isAuthor, .text(approver.person)))
            }
            for approver in record.approvers where !rule.takes(approver.teamKeys) {
                excuses.append(Reason(.inNoTeam, .text(approver.person)))
            }
            for rejected in evidence?.rejected ?? [] where !has(rejected.person) {
                let person = Reason.Value.text(rejected.person)
                switch rejected.reason {
                case .dismissed: excuses.append(Reason(.wasDismissed, person))
                case .outdated: excuses.append(Reason(.ofOlderState, person))
                case .ahead: excuses.append(Reason(.datedAhead, person))
                }
            }
        }

        private func has(_ person: String) -> Bool {
            requirement.approvedBy.contains { $0.identityKey == person.identityKey }
        }

        /// Says who is missing: `needs 2 approvals, has 1 (alice); bob's is of an older state`.
        ///
        /// `isUnsigned` is true when nobody knows who wrote the campaign.
        func reason(_ input: ApprovalInput, isUnsigned: Bool) -> Reason {
            let (rule, names) = (Reason.Value.reason(requirement.rule.reason), requirement.approvedBy)
            var reason =
                names.isEmpty
                ? Reason(.needsHasNone, rule)
                : Reason(.needsHas, rule, .number(names.count), .text(names.joined(separator: ", ")))
            for excuse in excuses { reason = reason.also(excuse) }
            if input.file == nil { return reason.also(Reason(.noneGiven)) }
            if isUnsigned { return reason.also(Reason(.earlierCommit)) }
            guard case .unknown(let why) = input.state else { return reason }
            return reason.also(Reason(.stateUnknown, .text(why)))
        }
    }
}

extension ApprovalRule {
    /// For people: `2 approvals from marketing or legal`.
    fileprivate var reason: Reason {
        guard !from.isEmpty else { return Reason(need == 1 ? .approval : .approvals, .number(need)) }
        return Reason(need == 1 ? .approvalFrom : .approvalsFrom, .number(need), .text(from.joined(separator: " or ")))
    }
}

/// The approvals of a file that count for the state that is applied, and why others do not.
struct ApprovalEvidence {
    /// The people who wrote the change.
    let authors: [String]
    /// The approvals of this state that were not dismissed, the newest of each person.
    let approvers: [Approver]
    let rejected: [Rejected]

    struct Rejected: Hashable {
        let person: String
        let reason: Reason
    }

    /// The reasons why an approval does not count.
    enum Reason: Hashable {
        case dismissed
        case outdated
        /// It is dated later than now.
        case ahead
    }

    /// The tolerated difference between the clocks of the forge and of the remote.
    static let clockSkew = Duration.seconds(300)

    init(_ file: ApprovalFile, of state: ApprovalInput.State, at now: Instant) {
        authors = file.authors
        var newest: [String: ApprovalFile.Approval] = [:]
        for approval in file.approvals {
            let key = approval.approver.person.identityKey
            // Of two at the same time the later one in the file counts.
            if let known = newest[key], known.at > approval.at { continue }
            newest[key] = approval
        }
        var approvers: [Approver] = []
        var rejected: [Rejected] = []
        for approval in newest.sorted(by: { $0.key < $1.key }).map(\.value) {
            if approval.isDismissed {
                rejected.append(Rejected(person: approval.approver.person, reason: .dismissed))
            } else if approval.at > now + Self.clockSkew {
                rejected.append(Rejected(person: approval.approver.person, reason: .ahead))
            } else if let tree = approval.tree, state == .tree(tree) {
                approvers.append(approval.approver)
            } else {
                rejected.append(Rejected(person: approval.approver.person, reason: .outdated))
            }
        }
        self.approvers = approvers
        self.rejected = rejected
    }
}

extension String {
    /// The name of a person or team as it is compared: forges do not tell letters' cases apart.
    var identityKey: String { lowercased() }
}

/// Approvals that a change needs by one rule.
package struct ApprovalRequirement: Hashable, Sendable {
    package var rule: ApprovalRule
    /// True when the rule is about a number of devices, and the audience was not counted.
    package var isUncounted: Bool = false
    /// The people who approved it, as far as a plan knows.
    package var approvedBy: [String] = []

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
    static var labels: Self {
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
