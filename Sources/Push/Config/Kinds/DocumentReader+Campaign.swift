internal import Base
internal import YAML

extension DocumentReader {
    /// The campaign that its document declares, checked without other documents.
    func campaign(_ values: [FieldValue?], _ map: MapReader, _ origin: Origin) -> DeclaredCampaign {
        var campaign = Campaign(values, origin: origin)
        // An unreadable expiration is not a missing one: the policy must not demand one that is there.
        if campaign.expiration == nil, map["expiration"] != nil { campaign.expiration = .never }
        check(&campaign.audience, map)
        let emptyOn = MessageCheck(message: campaign.message, platforms: campaign.audience.platforms, document: map)
            .emptyPlatforms()
        check(campaign, map)
        WordsCheck(message: campaign.message, document: map).check()
        VariantsCheck(campaign: campaign, document: map).check()
        if let rollout = campaign.rollout { check(rollout, of: campaign, map) }
        if campaign.localSchedule != nil, let schedule = map.inner("schedule") {
            LocalTimeCheck(campaign: campaign, schedule: schedule, document: map).check()
        }
        if let rule = campaign.recurrence, let schedule = map.inner("schedule") {
            RecurrenceCheck(rule: rule, campaign: campaign, schedule: schedule, document: map).check()
        }
        return DeclaredCampaign(
            campaign, environment: map["environment"]?.string.flatMap(PushEnvironment.init), emptyOn: emptyOn)
    }

    private func check(_ campaign: Campaign, _ map: MapReader) {
        if case .at(let end) = campaign.expiration, let start = campaign.scheduledAt, end.instant <= start.instant,
            let node = map["expiration"]
        {
            context.report(.conflictingKeys, "'expiration' is over before 'schedule.at'", at: node)
        }
        if campaign.inDoubt == .resend, campaign.message.content(for: .ios).collapseId == nil {
            map.report(
                .conflictingKeys, "'inDoubt: resend' needs 'message.collapseId'", atKeyOf: "inDoubt",
                help: "with it the device shows only one of the two")
        }
        if !campaign.audience.devices.isEmpty, map.has("throttle") {
            map.report(.conflictingKeys, "'throttle' cannot be combined with 'audience.devices'", atKeyOf: "throttle")
        }
        if campaign.formerly.contains(campaign.name), let nodes = map["formerly"]?.elements,
            let node = nodes.first(where: { $0.hasText(campaign.name) })
        {
            context.report(.duplicateName, "'formerly' names the campaign itself", at: node)
        }
    }
}
