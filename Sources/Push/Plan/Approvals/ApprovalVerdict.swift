extension ApprovalJudge {
    /// The people who count for one rule on one campaign, and those who do not.
    struct Verdict {
        let requirement: ApprovalRequirement
        private var excuses: [Reason] = []

        init(
            _ rule: ApprovalRule, _ record: ApprovalMemory.Planned, _ evidence: ApprovalEvidence?, devices: Int?
        ) {
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
        return Reason(
            need == 1 ? .approvalFrom : .approvalsFrom, .number(need), .text(from.joined(separator: " or ")))
    }
}
