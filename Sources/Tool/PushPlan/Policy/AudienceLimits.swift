package import PushModel

/// The maximum audiences of campaigns at sending time, after the plan counted them.
package struct AudienceLimits: Sendable {
    private let growth: Double
    private let general: Int?
    private let own: [String: Int]
    private let ceilings: [String: Int]

    /// Creates limits from a workspace's policy and campaigns, and the most devices that campaigns may be sent to without
    /// further approvals.
    package init(_ workspace: Workspace, ceilings: [String: Int] = [:]) {
        self.ceilings = ceilings
        growth = workspace.policy.maxAudienceGrowth
        general = workspace.policy.maxAudience
        own = Dictionary(
            workspace.campaigns.compactMap { campaign in campaign.maxAudience.map { (campaign.name, $0) } },
            uniquingKeysWith: min)
    }

    /// Returns the maximum number of devices for a planned delivery; nil for no limit.
    ///
    /// It is the lowest of both `maxAudience` values, the approved number and the allowed growth of the counted audience.
    package func mostDevices(of change: Change) -> Int? {
        let counted = change.audience?.devices.map { Self.most($0, growth: growth) }
        return [general, own[change.name], ceilings[change.name], counted].compactMap { $0 }.min()
    }

    /// Returns the size that an audience may grow to: by the fraction, and by 100 devices in any case. Source:
    /// <doc:Safety#Growth>.
    static func most(_ devices: Int, growth: Double) -> Int {
        devices + max(100, Int(min(Double(devices) * growth, 1e15)))
    }
}
