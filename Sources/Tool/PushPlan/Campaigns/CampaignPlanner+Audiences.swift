internal import Diagnostics
internal import PushModel

/// The remarks of a plan on audiences and their parts.
extension CampaignPlanner {
    /// Returns the stages of a rollout, or the variants of a test and the rest, with the numbers of devices to expect.
    func parts(of campaign: Campaign, _ audience: AudienceCount?) -> [AudienceReview.Part] {
        guard let devices = audience?.devices else { return [] }
        if let test = campaign.variantTest {
            let shares = test.arms.map { ($0.name, $0.share) } + [("rest", test.restShare)]
            return shares.map { AudienceReview.Part(label: $0, devices: $1.of(devices)) }
        }
        guard let rollout = campaign.rollout else { return [] }
        return rollout.stages.indices.map { index in
            AudienceReview.Part(
                label: rollout.stages[index].text, devices: rollout.share(ofStage: index + 1).of(devices))
        }
    }

    /// The remark on parts with few devices: a stage that cannot be judged, or the difference that a test can show.
    func sizeRemark(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> Diagnostic? {
        smallStage(campaign, parts) ?? power(campaign, parts)
    }

    /// Tells which difference between its variants a test can show.
    private func power(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> Diagnostic? {
        let sizes = parts.dropLast().map(\.devices).sorted()
        guard campaign.variantTest != nil, sizes.count > 1 else { return nil }
        let points = (VariantTest.detectableDifference(sizes[0], sizes[1]) * 1000).rounded(.up) / 10
        return Diagnostic(
            .note, .variantPower,
            "the variants of \(campaign.name) show a difference of \(points) percentage points or more, with 80 % power "
                + "at a rate of 50 %: about \(grouped(sizes[0])) devices test the smallest",
            at: campaign.origin.range(of: ["variants"]),
            help: points > 10 ? "larger shares show smaller differences" : nil)
    }

    /// Warns of a stage that cannot have enough answers for a verdict; the last one needs none.
    private func smallStage(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> Diagnostic? {
        guard let rollout = campaign.rollout,
            let index = parts.dropLast().firstIndex(where: { $0.devices < rollout.fewestAnswers })
        else { return nil }
        return Diagnostic(
            .warning, .smallStage,
            "stage \(index + 1) of \(campaign.name) has about \(grouped(parts[index].devices)) devices: too few to judge, "
                + "it will hold",
            at: campaign.origin.range(of: ["rollout", "stages"]),
            help: rollout.fewestAnswers > rollout.minimum
                ? "enlarge the stage: 'opened' can be judged from \(grouped(rollout.fewestAnswers)) devices"
                : "enlarge the stage, or lower 'rollout.minimum', which is \(grouped(rollout.minimum))")
    }

    func remarks(_ campaign: Campaign, _ audience: AudienceCount?, isCountable: Bool) -> [Diagnostic] {
        guard let audience else {
            guard isCountable else {
                return [
                    Diagnostic(
                        .note, .notCounted,
                        "the number of subscribers to the channel of \(campaign.name) is unknown: "
                            + "maxAudience is not checked",
                        at: campaign.origin.range(of: ["audience"]))
                ]
            }
            guard input.isSimulated, campaign.audience.devices.isEmpty else { return [] }
            return [
                Diagnostic(
                    .note, .notCounted, "the recorded state does not include the audience of \(campaign.name)",
                    at: campaign.origin.range(of: ["audience"]))
            ]
        }
        let doubts = audience.doubts.map { remark($0, on: campaign) }
        if audience.devices == 0 { return doubts + [empty(campaign, audience)] }
        guard audience.devices > input.desired.policy.dailyQuota else { return doubts }
        return doubts + [
            Diagnostic(
                .warning, .quota,
                "\(campaign.name) reaches \(grouped(audience.devices)) devices, more than the "
                    + "\(grouped(input.desired.policy.dailyQuota)) that the service pushes to in a day",
                at: campaign.origin.range(of: ["audience"]))
        ]
    }

    /// The warning of an audience without devices: why those that match get nothing, or else that none does.
    private func empty(_ campaign: Campaign, _ audience: AudienceCount) -> Diagnostic {
        let place = campaign.origin.range(of: ["audience"])
        let reasons = audience.leftOut.byNumber
        guard let most = reasons.first?.reason else {
            return Diagnostic(
                .warning, .emptyAudience, "no device is in the audience of \(campaign.name)", at: place,
                help: campaign.minAudience > 0
                    ? "check for a typing error; 'limits: {minAudience: 0}' allows an empty audience" : nil)
        }
        let words = reasons.map { $0.reason.words($0.devices, staleAfter: audience.staleAfter) }
        return Diagnostic(
            .warning, .emptyAudience,
            "every device in the audience of \(campaign.name) is left out: \(words.joined(separator: ", "))", at: place,
            help: most.help(at: input.remote.type))
    }

    private func remark(_ doubt: AudienceDoubt, on campaign: Campaign) -> Diagnostic {
        let place = campaign.origin.range(of: ["audience"])
        switch doubt {
        case .absentClass(let name):
            return Diagnostic(
                .warning, .absentClass,
                "the audience of \(campaign.name) queries the class \(quoted(name)), which the remote does not have",
                at: place)
        case .forgotten(let time):
            return Diagnostic(
                .warning, .reachedForgotten,
                "which devices were reached up to \(time.text) is forgotten, and policy.frequency looks back further: "
                    + "everybody is left out of \(campaign.name)",
                at: place, help: "wait until then is long enough ago, or let the rule look back less far")
        case .absentField(let name, let nearest):
            let hint = nearest.map { "; did you mean \(quoted($0))?" } ?? ""
            return Diagnostic(
                .warning, .absentField,
                "no installation has the field \(quoted(name)) that the audience of \(campaign.name) tests\(hint)",
                at: place)
        }
    }
}

extension AudienceExplanation.Skip {
    /// What can be done about devices that are left out for this reason.
    fileprivate func help(at remote: RemoteType) -> String? {
        switch self {
        case .android, .otherPlatform:
            "narrow 'platforms' to what this remote reaches, or send through one that reaches them"
        case .invalid: "Apple or the app reported these tokens dead; a device that registers anew is reached again"
        case .stale:
            switch remote {
            case .apns:
                "the remote's 'registry: {stale: …}' says for how long; a device counts as seen when it registers"
            case .leancloud:
                "the service leaves out who was not seen for three months; a device counts as seen when it registers"
            }
        case .otherProfile: "declare their DeviceProfile, or one with 'default: true' for those that name none"
        case .tooLarge: "shorten the message or the values in it"
        case .heldOut, .capped: "policy.holdout and policy.frequency decide; nothing that is left out is sent later"
        }
    }
}
