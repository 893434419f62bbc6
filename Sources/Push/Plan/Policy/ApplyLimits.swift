/// The rules for a whole apply: the number of sends and of cancels.
struct ApplyLimits {
    let policy: Policy
    let hasCampaigns: Bool

    /// Blocks all sends when there are too many, and likewise all cancels.
    func block(_ steps: inout [Step], sendingResumes: Set<DeliveryID>) {
        let sends = steps.indices.filter { index in
            let change = steps[index].change
            guard !change.isBlocked else { return false }
            return change.action.isSending
                || (change.action == .resume && change.delivery.map { sendingResumes.contains($0.id) } == true)
        }
        if sends.count > policy.maxSendsPerApply {
            let block = Block(
                .maxSendsPerApply,
                Reason(.tooManySends, .count(sends.count), .count(policy.maxSendsPerApply)))
            for index in sends { steps[index].change.blocked.append(block) }
        }
        let cancels = steps.indices.filter { steps[$0].change.action == .cancel && !steps[$0].change.isBlocked }
        if !hasCampaigns, !cancels.isEmpty {
            let block = Block(.maxCancelsPerApply, Reason(.noCampaignAtAll))
            for index in cancels { steps[index].change.blocked.append(block) }
        } else if cancels.count > policy.maxCancelsPerApply {
            let block = Block(
                .maxCancelsPerApply,
                Reason(.tooManyCancels, .count(cancels.count), .count(policy.maxCancelsPerApply)))
            for index in cancels { steps[index].change.blocked.append(block) }
        }
    }
}
