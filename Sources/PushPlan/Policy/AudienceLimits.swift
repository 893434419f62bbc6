package import PushModel

/// How many devices the campaigns of a workspace may reach when their audiences are chosen, after the plan counted them.
package struct AudienceLimits: Sendable {
    private let growth: Double
    private let general: Int?
    private let own: [String: Int]

    /// The limits of a workspace's policy and campaigns.
    package init(_ workspace: Workspace) {
        growth = workspace.policy.maxAudienceGrowth
        general = workspace.policy.maxAudience
        own = Dictionary(
            workspace.campaigns.compactMap { campaign in campaign.maxAudience.map { (campaign.name, $0) } },
            uniquingKeysWith: min)
    }

    /// The most devices that a planned delivery may reach; nil: any number.
    ///
    /// It is the narrower of both `maxAudience`, and what the counted audience may grow by.
    package func mostDevices(of change: Change) -> Int? {
        let counted = change.audience?.devices.map { Self.most($0, growth: growth) }
        return [general, own[change.name], counted].compactMap { $0 }.min()
    }

    /// What an audience may grow to: by the fraction, and by 100 devices in any case. Source: <doc:Safety#Growth>.
    static func most(_ devices: Int, growth: Double) -> Int {
        devices + max(100, Int(min(Double(devices) * growth, 1e15)))
    }
}
