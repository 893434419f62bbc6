/// The sizes that audiences may have when they are frozen, after the plan counted them.
package struct AudienceLimits: Sendable {
    private let policy: Policy
    private let campaigns: [String: Campaign]
    private let ceilings: [String: Int]
    /// The counted devices of the deliveries that a person has seen.
    private let reviewed: [DeliveryID: Int]

    /// Creates limits from a workspace's policy and campaigns, the most devices that campaigns may be sent to without
    /// further approvals, and the plan that was reviewed, if there was one.
    package init(_ workspace: Workspace, ceilings: [String: Int] = [:], reviewed: Plan? = nil) {
        self.ceilings = ceilings
        policy = workspace.policy
        campaigns = Dictionary(workspace.campaigns.map { ($0.name, $0) }) { first, _ in first }
        self.reviewed = Dictionary(
            (reviewed?.changes ?? []).compactMap { change in
                change.delivery.flatMap { delivery in change.audience?.devices.map { (delivery.id, $0) } }
            }, uniquingKeysWith: min)
    }

    /// Returns the numbers of devices that a planned delivery may have.
    ///
    /// At most the lowest of both `maxAudience` values, the approved number and the allowed growth of the counted
    /// audience; at least `minAudience`.
    package func allowed(_ change: Change) -> Range<Int> {
        let (fewest, most) = (fewest(change), upper(change).map(\.most).min())
        return fewest..<max(fewest, most.map { $0 + 1 } ?? .max)
    }

    /// Returns the rule that an audience of so many devices breaks; nil when it breaks none.
    package func block(_ change: Change, devices: Int) -> Block? {
        if let broken = upper(change).filter({ $0.most < devices }).min(by: { $0.most < $1.most }) {
            return switch broken.rule {
            case .approvals:
                Block(.approvals, Reason(.aboveApproved, .count(devices), .count(broken.most)))
            case .maxAudienceGrowth:
                Block(.maxAudienceGrowth, Reason(.aboveGrowth, .count(devices), .count(broken.most)))
            default: .maxAudience(devices, broken.most)
            }
        }
        return devices < fewest(change) ? .minAudience(devices, fewest(change)) : nil
    }

    private func fewest(_ change: Change) -> Int { campaigns[change.name]?.minAudience ?? 0 }

    private func upper(_ change: Change) -> [(most: Int, rule: Block.Rule)] {
        let counted = [change.audience?.devices, change.delivery.flatMap { reviewed[$0.id] }].compactMap(\.self).min()
        let bounds: [(most: Int?, rule: Block.Rule)] = [
            (policy.maxAudience, .maxAudience), (campaigns[change.name]?.maxAudience, .maxAudience),
            (ceilings[change.name], .approvals),
            (counted.map { Self.most($0, growth: policy.maxAudienceGrowth) }, .maxAudienceGrowth),
        ]
        return bounds.compactMap { bound in bound.most.map { ($0, bound.rule) } }
    }

    /// Returns the size that an audience may grow to: by the fraction, and by 100 devices in any case. Source:
    /// docs/reference/safety.md#growth.
    static func most(_ devices: Int, growth: Double) -> Int {
        devices + max(100, Int(min(Double(devices) * growth, 1e15)))
    }
}

extension Block {
    /// The audience has more devices than a limit.
    static func maxAudience(_ devices: Int, _ limit: Int) -> Block {
        Block(.maxAudience, Reason(.aboveMaximum, .count(devices), .count(limit)))
    }

    /// The audience has fewer devices than a limit.
    static func minAudience(_ devices: Int, _ limit: Int) -> Block {
        Block(.minAudience, Reason(.belowMinimum, .count(devices), .count(limit)))
    }
}
