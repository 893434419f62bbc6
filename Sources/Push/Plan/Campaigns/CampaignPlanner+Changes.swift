internal import Base

extension CampaignPlanner {
    /// Returns the plan's line for a declared campaign.
    func change(_ campaign: Campaign, _ action: Action, reason: Reason) -> Change {
        var change = Change(
            kind: .campaign, name: campaign.name, action: action, reason: reason, file: campaign.origin.file,
            line: campaign.origin.line,
            delivery: PlannedDelivery(
                id: delivery(of: campaign), generation: 0, revision: campaign.revision,
                occurrence: campaign.occurrence, at: campaign.scheduledAt,
                expiresAt: nil, expires: campaign.expiration?.reason),
            preview: campaign.message.previewText)
        if action.isSending { change.delivery?.divisions = campaign.divisions }
        return change
    }

    /// Returns the plan's line for a delivery in the ledger.
    func change(_ entry: LedgerEntry, _ campaign: Campaign?, _ action: Action, reason: Reason) -> Change {
        Change(
            kind: .campaign, name: campaign?.name ?? entry.campaign, action: action, reason: reason,
            file: campaign?.origin.file, line: campaign?.origin.line,
            delivery: PlannedDelivery(
                id: entry.delivery, generation: entry.generation, revision: entry.revision,
                occurrence: entry.occurrence, at: entry.scheduledAt.map { OffsetInstant($0) },
                expiresAt: entry.expiresAt, expires: nil))
    }

    /// Returns the id of a campaign's delivery at its own revision.
    func delivery(of campaign: Campaign) -> DeliveryID {
        DeliveryID(
            workspace: input.desired.identityName, campaign: campaign.identityName, revision: campaign.revision,
            occurrence: campaign.occurrence)
    }

    /// Returns the removal of a recurring campaign's record.
    func forgetting(_ record: ResourceRecord, reason: Reason) -> Step {
        Step(
            Change(kind: .campaign, name: record.name, action: .delete, reason: reason, before: record.fields),
            .forget(record))
    }

    /// Returns the fields that are recorded of a recurring campaign: its rule, what decides about its deliveries, and
    /// the hash of what is delivered.
    func recurringFields(_ campaign: Campaign) -> JSONValue {
        var fields = after(campaign)
        guard let rule = campaign.recurrence else { return fields }
        fields["every"] = .string(rule.every.rawValue)
        if !rule.on.isEmpty { fields["on"] = .array(rule.on.map { .string($0.text) }) }
        fields["at"] = .string(QuietHours.timeOfDay(rule.minute))
        fields["timeZone"] = .string(rule.timeZone)
        if let from = rule.from { fields["from"] = .string(from.text) }
        if let until = rule.until { fields["until"] = .string(until.text) }
        if let count = rule.count { fields["count"] = .integer(Int64(count)) }
        if !rule.except.isEmpty { fields["except"] = .array(rule.except.sorted().map { .string($0.text) }) }
        if campaign.hold { fields["hold"] = true }
        fields["content"] = .string(drafting.content(of: campaign).description)
        return fields
    }

    /// Returns the fields that a plan shows for a campaign to be delivered.
    func after(_ campaign: Campaign) -> JSONValue {
        var fields: JSONObject = [
            "revision": .integer(Int64(campaign.revision)), "environment": .string(campaign.environment.rawValue),
            "audience": .string(campaign.audience.reason.text), "window": .string(campaign.window.configurationText),
        ]
        if let at = campaign.scheduledAt { fields["at"] = .string(at.text) }
        for (division, reason) in campaign.divisions { fields[division.rawValue] = .string(reason.text) }
        if !campaign.frequency.isEmpty {
            fields["frequency"] = .string(campaign.frequency.map(\.text).joined(separator: ", "))
        }
        if let expiration = campaign.expiration { fields["expiration"] = .string(expiration.reason.text) }
        return .object(fields)
    }

    /// Returns the fields that a plan shows for a pending push.
    static func pendingFields(_ entry: LedgerEntry) -> JSONValue {
        var fields: JSONObject = ["revision": .integer(Int64(entry.revision))]
        if let at = entry.scheduledAt { fields["at"] = .string(at.text) }
        return .object(fields)
    }
}

extension Campaign {
    /// The rules by which a delivery is divided.
    fileprivate var divisions: [PlannedDelivery.Division: Reason] {
        [
            .localTime: localSchedule?.reason, .rollout: rollout?.reason, .variants: variantTest?.reason,
            .holdout: holdout?.reason,
        ].compactMapValues(\.self)
    }
}

extension Message {
    /// The text for previews: the body, or else the title; nil when nothing is shown.
    var previewText: String? {
        let content = common
        return (content.body ?? content.title ?? ios?.body ?? android?.body)?.shownText
    }
}

extension PushRequest {
    /// The request with device tokens replaced by their number and hash.
    package var withoutDevices: PushRequest {
        guard endpoint == .devices, let devices = body["device_ids"] else { return self }
        var shown = self
        shown.body["device_ids"] = [
            "count": .integer(Int64(devices.array?.count ?? 0)), "sha256": .string(Digest(of: devices).hexadecimal),
        ]
        return shown
    }
}
