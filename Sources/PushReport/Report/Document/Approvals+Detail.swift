internal import Push

extension ApprovalRequirement {
    /// The approvals, when they are needed, and who gave them: `requires 2 approvals, 50,000 devices or more`.
    func detail(in language: Language) -> ReportDocument.Detail {
        var aside = rule.when.devices.map { [language.say(.approvalsFrom(devices: $0))] } ?? []
        if isUncounted { aside.append(language.say(.notCounted)) }
        let labels = rule.when.labels.sorted { $0.key < $1.key }
        aside += labels.map { $0.key + language.say(.colon) + $0.value }
        if !approvedBy.isEmpty { aside.append(language.say(.approvedBy(approvedBy))) }
        return .field(
            label: language.say(.approvalsDetail), value: language.say(.approvals(rule.need, teams: rule.from)),
            aside: aside.isEmpty ? nil : aside.joined(separator: language.say(.comma)))
    }
}
