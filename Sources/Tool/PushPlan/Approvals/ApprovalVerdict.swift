internal import PushModel

extension ApprovalJudge {
    /// The people who count for one rule on one campaign, and those who do not.
    struct Verdict {
        let requirement: ApprovalRequirement
        private var excuses: [String] = []

        init(
            _ rule: ApprovalRule, _ record: ApprovalMemory.Planned, _ evidence: ApprovalEvidence?, devices: Int?
        ) {
            let counted = record.approvers.filter { rule.takes($0.teamKeys) }
            requirement = ApprovalRequirement(
                rule: rule, isUncounted: rule.when.devices != nil && devices == nil,
                approvedBy: counted.map(\.person).sorted { $0.identityKey < $1.identityKey })
            let authors = Set((record.authors + (evidence?.authors ?? [])).map(\.identityKey))
            for approver in evidence?.approvers ?? [] where authors.contains(approver.person.identityKey) {
                excuses.append("\(approver.person) is an author")
            }
            for approver in record.approvers where !rule.takes(approver.teamKeys) {
                excuses.append("\(approver.person) is in none of these teams")
            }
            for rejected in evidence?.rejected ?? [] where !has(rejected.person) {
                switch rejected.reason {
                case .dismissed: excuses.append("\(rejected.person)'s was dismissed")
                case .outdated: excuses.append("\(rejected.person)'s is of an older state")
                case .ahead: excuses.append("\(rejected.person)'s is dated in the future")
                }
            }
        }

        private func has(_ person: String) -> Bool {
            requirement.approvedBy.contains { $0.identityKey == person.identityKey }
        }

        /// Says who is missing: `needs 2 approvals, has 1 (alice); bob's is of an older state`.
        ///
        /// `isUnsigned` is true when nobody knows who wrote the campaign.
        func sentence(_ input: ApprovalInput, isUnsigned: Bool) -> String {
            let names = requirement.approvedBy
            let has = names.isEmpty ? "none" : "\(names.count) (\(names.joined(separator: ", ")))"
            var parts = ["needs \(requirement.rule.text), has \(has)"] + excuses
            if input.file == nil {
                parts.append("no approvals were given with --approvals")
            } else if isUnsigned {
                parts.append(
                    "it came with an earlier commit, whose authors are not known: change it, and have that approved")
            } else if case .unknown(let reason) = input.state {
                parts.append("which state the files have is not known: \(reason)")
            }
            return parts.joined(separator: "; ")
        }
    }
}

extension ApprovalRule {
    /// For people: `2 approvals from marketing or legal`.
    package var text: String {
        let teams = from.isEmpty ? "" : " from " + from.joined(separator: " or ")
        return "\(need) approval\(need == 1 ? "" : "s")\(teams)"
    }
}
