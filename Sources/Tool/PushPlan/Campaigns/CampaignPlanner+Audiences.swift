internal import Diagnostics
internal import PushModel

/// The remarks of a plan on audiences and their parts.
extension CampaignPlanner {
    /// Returns the stages of a rollout with the numbers of devices to expect.
    func parts(of campaign: Campaign, _ audience: AudienceCount?) -> [AudienceReview.Part] {
        guard let rollout = campaign.rollout, let audience else { return [] }
        return rollout.stages.indices.map { index in
            AudienceReview.Part(
                label: rollout.stages[index].text, devices: rollout.share(ofStage: index + 1).of(audience.devices))
        }
    }

    /// Warns of a stage that cannot have enough answers for a verdict; the last one needs none.
    func smallStage(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> Diagnostic? {
        guard let rollout = campaign.rollout,
            let index = parts.dropLast().firstIndex(where: { $0.devices < rollout.minimum })
        else { return nil }
        return Diagnostic(
            .warning, .smallStage,
            "stage \(index + 1) of \(campaign.name) has about \(grouped(parts[index].devices)) devices: too few to judge, "
                + "it will hold",
            at: campaign.origin.range(of: ["rollout", "stages"]),
            help: "enlarge the stage, or lower 'rollout.minimum', which is \(grouped(rollout.minimum))")
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
        case .absentField(let name, let nearest):
            let hint = nearest.map { "; did you mean \(quoted($0))?" } ?? ""
            return Diagnostic(
                .warning, .absentField,
                "no installation has the field \(quoted(name)) that the audience of \(campaign.name) tests\(hint)",
                at: place)
        }
    }
}
