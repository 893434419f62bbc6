internal import Diagnostics
internal import LocatedYAML
internal import PushModel

extension DocumentReader {
    func campaign(_ map: MapReader<CampaignField>, _ origin: Origin) -> DeclaredCampaign {
        let audienceMap = map.map(.audience, of: AudienceField.self)
        let audience = audienceMap.map(audience) ?? Audience()
        let messageReader = MessageReader(context: context, platforms: audience.platforms)
        let content = map[.message].flatMap { messageReader.message($0, holder: map.key(.message)) }
        var campaign = Campaign(
            name: map.string(.name) ?? "", origin: origin, audience: audience,
            message: content?.message ?? Message(common: MessageContent()))
        campaign.description = map.string(.description)
        campaign.revision = map.integer(.revision) ?? 1
        campaign.formerly = map.strings(.formerly) ?? []
        campaign.hold = map.flag(.hold) ?? false
        campaign.labels = labels(map)
        campaign.remotes = map.strings(.remotes)
        readTimes(map, into: &campaign)
        campaign.inDoubt = map.choice(.inDoubt, as: Campaign.InDoubt.self) ?? .leave
        campaign.throttlePerSecond = map.map(.throttle, of: ThrottleField.self)?.integer(.perSecond)
        let limits = map.map(.limits, of: LimitsField.self)
        campaign.maxAudience = limits?.integer(.maxAudience)
        campaign.minAudience = limits?.integer(.minAudience) ?? 1
        check(campaign, map)
        return DeclaredCampaign(
            campaign, environment: map.choice(.environment, as: PushEnvironment.self),
            emptyOn: content?.emptyOn ?? [])
    }

    private func labels(_ map: MapReader<CampaignField>) -> [String: String] {
        guard let node = map[.labels] else { return [:] }
        guard node.kind == .mapping else {
            context.wrongType(node, map.type(.labels), map.label(.labels))
            return [:]
        }
        guard case .entries(let type, let rule) = map.type(.labels) else { return [:] }
        var labels: [String: String] = Dictionary(minimumCapacity: node.count)
        for entry in node.entries {
            let name = entry.key.text ?? ""
            if let problem = rule.problem(with: name, map.label(.labels)) {
                context.report(problem.code, problem.message, at: entry.key, help: problem.help)
            }
            labels[name] = context.string(entry.value, type, Label(name))
        }
        return labels
    }

    private func readTimes(_ map: MapReader<CampaignField>, into campaign: inout Campaign) {
        if let schedule = map.map(.schedule, of: ScheduleField.self) {
            campaign.scheduledAt = schedule[.at].flatMap { context.instant($0, schedule.label(.at)) }
            campaign.window = schedule.duration(.window) ?? campaign.window
        }
        guard let node = map[.expiration] else { return }
        if node.hasText("never") {
            campaign.expiration = .never
        } else if node.kind == .mapping {
            let inner = MapReader<ExpirationField>(
                node, holder: map.key(.expiration), label: map.label(.expiration), in: context)
            campaign.expiration = inner.flatMap(expiration)
        } else {
            context.wrongType(
                node, expected: "{after: 7d}, {at: INSTANT} or never", map.label(.expiration),
                help: Shorthand.help(for: node, in: ExpirationField.table.description))
        }
        // Unreadable is not missing: the policy shall not ask for what is there.
        campaign.expiration = campaign.expiration ?? .never
        if case .at(let end) = campaign.expiration, let start = campaign.scheduledAt, end.instant <= start.instant {
            context.report(.conflictingKeys, "'expiration' is over before 'schedule.at'", at: node)
        }
    }

    private func expiration(_ map: MapReader<ExpirationField>) -> Campaign.Expiration? {
        if let duration = map.duration(.after) { return .after(duration) }
        return map[.at].flatMap { context.instant($0, map.label(.at)) }.map(Campaign.Expiration.at)
    }

    private func check(_ campaign: Campaign, _ map: MapReader<CampaignField>) {
        if campaign.inDoubt == .resend, campaign.message.content(for: .ios).collapseId == nil {
            map.report(
                .conflictingKeys, "'inDoubt: resend' needs 'message.collapseId'", atKeyOf: .inDoubt,
                help: "with it the device shows one of the two")
        }
        if !campaign.audience.devices.isEmpty, map.has(.throttle) {
            map.report(.conflictingKeys, "'throttle' does not go with 'audience.devices'", atKeyOf: .throttle)
        }
        if campaign.formerly.contains(campaign.name), let nodes = map[.formerly]?.elements,
            let node = nodes.first(where: { $0.hasText(campaign.name) })
        {
            context.report(.duplicateName, "'formerly' names the campaign itself", at: node)
        }
    }
}
