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
        if audience.devices == 0, audience.heldOut + audience.capped > 0 {
            return doubts + [
                Diagnostic(
                    .warning, .emptyAudience,
                    "every device in the audience of \(campaign.name) is left out: \(grouped(audience.heldOut)) are held "
                        + "out, \(grouped(audience.capped)) capped",
                    at: campaign.origin.range(of: ["audience"]),
                    help: "policy.holdout and policy.frequency decide; nothing that is left out is sent later")
            ]
        }
        if audience.devices == 0 {
            return doubts + [
                Diagnostic(
                    .warning, .emptyAudience, "no device is in the audience of \(campaign.name)",
                    at: campaign.origin.range(of: ["audience"]),
                    help: campaign.minAudience > 0
                        ? "check for a typing error; 'limits: {minAudience: 0}' allows an empty audience" : nil)
            ]
        }
        guard audience.devices > input.desired.policy.dailyQuota else { return doubts }
        return doubts + [
            Diagnostic(
                .warning, .quota,
                "\(campaign.name) reaches \(grouped(audience.devices)) devices, more than the "
                    + "\(grouped(input.desired.policy.dailyQuota)) that the service pushes to in a day",
                at: campaign.origin.range(of: ["audience"]))
        ]
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
