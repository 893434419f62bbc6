internal import Base

/// The rules of docs/reference/safety.md#rules for a single delivery.
struct PolicyRules {
    let policy: Policy

    /// Checks the rules that only need the files.
    func offline(_ campaign: Campaign) -> [Finding] {
        var findings: [Finding] = []
        if policy.requireExpiration, campaign.expiration == nil {
            findings.append(
                Finding(
                    block: Block(.requireExpiration, Reason(.expirationRequired)),
                    code: .policyRequireExpiration, path: [],
                    message: "the campaign has no expiration",
                    help: "add 'expiration', for example {after: 7d}"))
        }
        if campaign.audience.everyone, !policy.allowEveryone {
            findings.append(
                Finding(
                    block: Block(.allowEveryone, Reason(.everyoneNotAllowed)), code: .policyAllowEveryone,
                    path: ["audience", "everyone"],
                    message: "the audience is everyone, and policy.allowEveryone is false",
                    help: "narrow the audience, or set policy.allowEveryone in the Workspace document"))
        }
        if let quiet = policy.quietHours, let at = campaign.times.first(where: { quiet.contain($0.instant) }) {
            let reason = Reason(.timeIsQuiet, .time(at), .text(quiet.text))
            findings.append(
                Finding(
                    block: Block(.quietHours, reason), code: .policyQuietHours, path: ["schedule", "at"],
                    message: reason.text,
                    help: "choose another time, or change policy.quietHours in the Workspace document"))
        }
        if let finding = deviceQuietHours(campaign) { findings.append(finding) }
        return findings
    }

    /// Checks quiet hours by each device's own clock: only a campaign that is sent by these clocks can keep them.
    private func deviceQuietHours(_ campaign: Campaign) -> Finding? {
        guard let quiet = policy.quietHours, quiet.isByDevice, quiet.from != quiet.to else { return nil }
        let reason: Reason
        var help = "choose another time, or change policy.quietHours in the Workspace document"
        if let schedule = campaign.localSchedule {
            guard quiet.contain(minute: schedule.at.minuteOfDay) else { return nil }
            reason = Reason(.timeIsQuiet, .text(schedule.at.text), .text(quiet.text))
        } else {
            reason = Reason(.quietByDevice, .text(quiet.text))
            help = "add 'zone: device' to its schedule, or name a time zone in policy.quietHours"
        }
        return Finding(
            block: Block(.quietHours, reason), code: .policyQuietHours, path: ["schedule", "at"], message: reason.text,
            help: help)
    }

    /// Checks the rules on a delivery's start, its audience and the certificates of the profiles that would push it. An
    /// audience that is unknown, nil, blocks it if it must be counted; that of a broadcast need not, because nobody can
    /// count it.
    func online(
        _ campaign: Campaign, start: Instant, audience: AudienceCount?, profiles: [DeviceProfile],
        capabilities: Capabilities, mustBeCounted: Bool
    ) -> [Block] {
        var blocks = offline(campaign).map(\.block)
        if let quiet = policy.quietHours, campaign.scheduledAt == nil || start != campaign.scheduledAt?.instant,
            quiet.contain(start)
        {
            blocks.removeAll { $0.rule == .quietHours }
            blocks.append(Block(.quietHours, Reason(.quietNow, .text(quiet.text))))
        }
        blocks += certificates(profiles, until: campaign.lastAttempt(startingAt: start))
        guard let audience else {
            if mustBeCounted {
                blocks.append(Block(.notCounted, Reason(.notCountable)))
            }
            return blocks
        }
        return blocks + limits(campaign, audience: audience, capabilities: capabilities)
    }

    /// Checks that certificates do not expire before a delivery ends, or in the same second.
    func certificates(_ profiles: [DeviceProfile], until last: Instant) -> [Block] {
        profiles.compactMap { profile in
            guard let end = profile.facts?.expiresAt, end <= last else { return nil }
            return Block(
                .certificateExpiryWarning,
                Reason(.certificateEnds, .text(profile.name), .day(OffsetInstant(end).date)))
        }
    }

    private func limits(_ campaign: Campaign, audience: AudienceCount, capabilities: Capabilities) -> [Block] {
        var blocks: [Block] = []
        let bounds = [policy.maxAudience, campaign.maxAudience].compactMap { $0 }
        if let limit = bounds.min(), audience.devices > limit {
            blocks.append(.maxAudience(audience.devices, limit))
        }
        if audience.devices < campaign.minAudience {
            blocks.append(.minAudience(audience.devices, of: campaign))
        }
        if let tooLarge = audience.leftOut[.tooLarge], tooLarge > 0 {
            blocks.append(
                Block(
                    .payloadSize,
                    Reason(.payloadTooLarge, .count(tooLarge), .count(audience.excess))))
        }
        if capabilities.limitsDevelopment, campaign.environment == .development,
            audience.devices > policy.developmentAudience
        {
            blocks.append(
                Block(
                    .developmentAudience,
                    Reason(.aboveDevelopment, .count(audience.devices), .count(policy.developmentAudience))))
        }
        if let limit = capabilities.innerQueryLimit, let inner = audience.innerQuery, inner > limit {
            blocks.append(Block(.innerQueryLimit, Reason(.innerQueryCut, .count(inner), .count(limit))))
        }
        return blocks
    }

    /// A violated rule, in the words of a plan and of `validate`.
    struct Finding {
        let block: Block
        let code: DiagnosticCode
        let path: [FieldPathElement]
        let message: String
        let help: String
    }
}

extension Campaign {
    /// The times at which it is sent; of a recurring campaign those of a year at most.
    fileprivate var times: [OffsetInstant] {
        // Each wave of a local time is held back by the hours that it falls into.
        guard localSchedule == nil else { return [] }
        guard let timetable else { return scheduledAt.map { [$0] } ?? [] }
        guard let first = timetable.rule.from ?? timetable.lastDay?.adding(days: -365) else { return [] }
        return timetable.next(366, from: timetable.entry(on: first).at.instant).map(\.at)
    }

    /// The latest time at which a push that starts at this instant may still be delivered to a device.
    func lastAttempt(startingAt start: Instant) -> Instant { lastAttempt(ofPartAt: lastPart(startingAt: start)) }

    /// The latest time at which a push whose last wave, stage or rest is sent at this instant may still be delivered to
    /// a device: that one, too, is given its one attempt.
    func lastAttempt(ofPartAt last: Instant) -> Instant {
        switch expiration {
        case .after, .at: expiration?.end(startingAt: last) ?? last
        // Without an expiration Apple keeps a push for 30 days.
        case .never, nil: last + .seconds(30 * 86_400)
        }
    }
}

/// A readable count: `12,345`.
package func grouped(_ number: Int) -> String { number.grouped }

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
        // What a person stopped is to be cancelled whatever the files say.
        let cancels = steps.indices.filter { index in
            let step = steps[index]
            return step.change.action == .cancel && !step.change.isBlocked && !step.isOrdered
        }
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

/// The sizes that audiences may have when they are frozen, after the plan counted them.
package struct AudienceLimits: Sendable {
    private let policy: Policy
    private let remote: RemoteDeclaration?
    private let campaigns: [String: Campaign]
    /// The counted devices of the deliveries that a person has seen.
    private let reviewed: [DeliveryID: Int]

    /// Creates limits from the policy and campaigns of a workspace bound to a remote, and the plan that was reviewed,
    /// if there was one.
    package init(_ workspace: Workspace, on remote: String = "", reviewed: Plan? = nil) {
        self.remote = workspace.remotes[remote]
        policy = workspace.policy
        campaigns = Dictionary(workspace.campaigns.map { ($0.name, $0) }) { first, _ in first }
        self.reviewed = Dictionary(
            (reviewed?.changes ?? []).compactMap { change in
                change.delivery.flatMap { delivery in change.audience?.devices.map { (delivery.id, $0) } }
            }, uniquingKeysWith: min)
    }

    /// Returns the numbers of devices that a planned delivery may have.
    ///
    /// At most the lowest of both `maxAudience` values, the `approved` number and the allowed growth of the counted
    /// audience; at least `minAudience`.
    package func allowed(_ change: Change, approved: Int? = nil) -> Range<Int> {
        let (fewest, most) = (fewest(change), upper(change, approved).map(\.most).min() ?? .max)
        return fewest..<max(fewest, most == .max ? most : most + 1)
    }

    /// Returns the rule that an audience of so many devices breaks; nil when it breaks none.
    package func block(_ change: Change, devices: Int, approved: Int? = nil) -> Block? {
        let block = broken(change, devices, approved)
        return remote.flatMap { block?.saying($0, campaigns[change.name]) } ?? block
    }

    private func broken(_ change: Change, _ devices: Int, _ approved: Int?) -> Block? {
        if let broken = upper(change, approved).filter({ $0.most < devices }).min(by: { $0.most < $1.most }) {
            return switch broken.rule {
            case .approvals:
                Block(.approvals, Reason(.aboveApproved, .count(devices), .count(broken.most)))
            case .maxAudienceGrowth:
                Block(.maxAudienceGrowth, Reason(.aboveGrowth, .count(devices), .count(broken.most)))
            default: .maxAudience(devices, broken.most)
            }
        }
        guard let campaign = campaigns[change.name], devices < campaign.minAudience else { return nil }
        return .minAudience(devices, of: campaign)
    }

    private func fewest(_ change: Change) -> Int { campaigns[change.name]?.minAudience ?? 0 }

    private func upper(_ change: Change, _ approved: Int?) -> [(most: Int, rule: Block.Rule)] {
        let counted = [change.audience?.devices, change.delivery.flatMap { reviewed[$0.id] }].compactMap(\.self).min()
        let bounds: [(most: Int?, rule: Block.Rule)] = [
            (policy.maxAudience, .maxAudience), (campaigns[change.name]?.maxAudience, .maxAudience),
            (approved, .approvals),
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
    /// The block with the remote named whose policy the rule is of, where it is not the workspace's or the campaign's own.
    func saying(_ remote: RemoteDeclaration, _ campaign: Campaign?) -> Block {
        guard let policy = remote.policy, policy.says(rule.rawValue) else { return self }
        if rule == .maxAudience, let own = campaign?.maxAudience, own < policy.limits.maxAudience ?? .max {
            return self
        }
        return Block(rule, Reason(.remotesPolicy, .reason(message), .text(remote.name)))
    }

    static func maxAudience(_ devices: Int, _ limit: Int) -> Block {
        Block(.maxAudience, Reason(.aboveMaximum, .count(devices), .count(limit)))
    }

    /// The audience has fewer devices than a campaign's limit.
    static func minAudience(_ devices: Int, of campaign: Campaign) -> Block {
        guard devices == 0, let fence = campaign.fence else {
            return Block(.minAudience, Reason(.belowMinimum, .count(devices), .count(campaign.minAudience)))
        }
        return Block(.minAudience, Reason(.emptiedByFence, .reason(fence.reason)))
    }
}
