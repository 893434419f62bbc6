internal import Base

/// The remarks of a plan on audiences and their parts.
extension CampaignPlanner {
    /// Returns the stages of a rollout, or the variants of a test and the rest, with the numbers of devices to expect.
    func parts(of campaign: Campaign, _ audience: AudienceCount?) -> [AudienceReview.Part] {
        guard let devices = audience?.devices else { return [] }
        if let test = campaign.variantTest {
            let shares = test.arms.map { (Reason.verbatim($0.name), $0.share) } + [(Reason(.rest), test.restShare)]
            return shares.map { AudienceReview.Part(label: $0, devices: $1.of(devices)) }
        }
        guard let rollout = campaign.rollout else { return [] }
        return rollout.stages.indices.map { index in
            AudienceReview.Part(
                label: .verbatim(rollout.stages[index].text), devices: rollout.share(ofStage: index + 1).of(devices))
        }
    }

    /// The remark on parts with few devices: a stage that cannot be judged, or the difference that a test can show.
    func sizeRemark(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> PlanDiagnostic? {
        smallStage(campaign, parts) ?? power(campaign, parts)
    }

    /// Tells which difference between its variants a test can show.
    private func power(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> PlanDiagnostic? {
        let sizes = parts.dropLast().map(\.devices).sorted()
        guard campaign.variantTest != nil, sizes.count > 1 else { return nil }
        let points = (VariantTest.detectableDifference(sizes[0], sizes[1]) * 1000).rounded(.up) / 10
        return PlanDiagnostic(
            .note, .variantPower,
            Reason(.testShows, .text(campaign.name), .text("\(points)"), .count(sizes[0])),
            at: campaign.origin.range(of: ["variants"]), help: points > 10 ? Reason(.largerShares) : nil)
    }

    /// Warns of a stage that cannot have enough answers for a verdict; the last one needs none.
    private func smallStage(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> PlanDiagnostic? {
        guard let rollout = campaign.rollout,
            let index = parts.dropLast().firstIndex(where: { $0.devices < rollout.fewestAnswers })
        else { return nil }
        return PlanDiagnostic(
            .warning, .smallStage,
            Reason(.stageTooSmall, .number(index + 1), .text(campaign.name), .count(parts[index].devices)),
            at: campaign.origin.range(of: ["rollout", "stages"]),
            help: rollout.fewestAnswers > rollout.minimum
                ? Reason(.enlargeForOpened, .count(rollout.fewestAnswers))
                : Reason(.enlargeStage, .count(rollout.minimum)))
    }

    func remarks(_ campaign: Campaign, _ audience: AudienceCount?, isCountable: Bool) -> [PlanDiagnostic] {
        let (name, place) = (Reason.Value.text(campaign.name), campaign.origin.range(of: ["audience"]))
        guard let audience else {
            if isCountable, !input.isSimulated || !campaign.audience.devices.isEmpty { return [] }
            let note = Reason(isCountable ? .audienceUnrecorded : .subscribersUnknown, name)
            return [PlanDiagnostic(.note, .notCounted, note, at: place)]
        }
        let doubts = audience.doubts.map { remark($0, on: campaign) }
        if audience.devices == 0 { return doubts + [empty(campaign, audience)] }
        let quota = input.desired.policy.dailyQuota
        guard audience.devices > quota else { return doubts }
        let note = Reason(.overDailyQuota, name, .count(audience.devices), .count(quota))
        return doubts + [PlanDiagnostic(.warning, .quota, note, at: place)]
    }

    /// The warning of an audience without devices: why those that match get nothing, or else that none does.
    private func empty(_ campaign: Campaign, _ audience: AudienceCount) -> PlanDiagnostic {
        let (name, place) = (Reason.Value.text(campaign.name), campaign.origin.range(of: ["audience"]))
        let reasons = audience.leftOut.byNumber
        let words = reasons.map { $0.reason.reason($0.devices, staleAfter: audience.staleAfter) }
        guard let most = reasons.first?.reason, let why = Reason.joined(words, by: .both) else {
            return PlanDiagnostic(
                .warning, .emptyAudience, Reason(.nobodyIn, name), at: place,
                help: campaign.minAudience > 0 ? Reason(.checkTyping) : nil)
        }
        return PlanDiagnostic(
            .warning, .emptyAudience, Reason(.allLeftOut, name, .reason(why)), at: place,
            help: most.help(at: input.remote.type))
    }

    private func remark(_ doubt: AudienceDoubt, on campaign: Campaign) -> PlanDiagnostic {
        let (campaign, place) = (Reason.Value.text(campaign.name), campaign.origin.range(of: ["audience"]))
        switch doubt {
        case .absentClass(let name):
            return PlanDiagnostic(
                .warning, .absentClass, Reason(.noClass, campaign, .text(quoted(name))), at: place)
        case .forgotten(let time):
            return PlanDiagnostic(
                .warning, .reachedForgotten, Reason(.reachedUnknown, .instant(time), campaign), at: place,
                help: Reason(.waitForReached))
        case .absentField(let name, let nearest):
            let field = Reason.Value.text(quoted(name))
            return PlanDiagnostic(
                .warning, .absentField,
                nearest.map { Reason(.noFieldButNear, field, campaign, .text(quoted($0))) }
                    ?? Reason(.noField, field, campaign),
                at: place)
        }
    }
}

extension AudienceExplanation.Skip {
    /// What can be done about devices that are left out for this reason.
    fileprivate func help(at remote: RemoteType) -> Reason {
        switch self {
        case .android, .otherPlatform: Reason(.reachOthers)
        case .invalid: Reason(.deadTokensReturn)
        case .stale:
            switch remote {
            case .apns: Reason(.staleByRegistry)
            case .leancloud: Reason(.staleByService)
            }
        case .otherProfile: Reason(.declareProfile)
        case .tooLarge: Reason(.shortenMessage)
        case .heldOut, .capped: Reason(.policyDecides)
        }
    }
}
