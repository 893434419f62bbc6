internal import Base

/// Deliveries that a plan begins, waits for or cancels.
extension CampaignPlanner {
    /// Adds a send, schedule or reschedule with its request, audience and rules.
    func deliver(
        _ campaign: Campaign, _ action: Action, generation: Int, replaced: LedgerEntry?, isNow: Bool? = nil,
        to outcome: inout Outcome
    ) {
        let startsNow = isNow ?? (action == .send)
        let at = startsNow ? nil : campaign.scheduledAt
        let start = at?.instant ?? input.now
        let drafted = drafting.draft(
            campaign, scheduledAt: at?.instant, generation: generation, replaced: replaced, now: input.now)
        let audience = audience(of: campaign, request: drafted.encoded.request)
        let isCountable = input.encoder.audience(of: drafted.encoded.request) != nil
        var change = change(campaign, action, reason: reason(action, replaced: replaced))
        change.delivery?.id = drafted.entry.delivery
        change.delivery?.generation = generation
        change.delivery?.at = at
        change.delivery?.expiresAt = campaign.end(startingAt: start)
        change.audience = PlannedAudience(audience, campaign.audience.reason)
        change.audience?.review.parts = parts(of: campaign, audience)
        change.payload = PlannedPayload(bytes: drafted.encoded.bytes, limit: drafted.encoded.limit)
        change.request = drafted.entry.request?.withoutDevices
        if action == .reschedule, let replaced { change.before = Self.pendingFields(replaced) }
        change.after = after(campaign)
        change.looks = looks(of: campaign)
        change.blocked = policy.online(
            campaign, start: start, audience: audience, profiles: drafting.pushingProfiles(campaign),
            capabilities: input.capabilities, mustBeCounted: isCountable && !input.isSimulated)
        if campaign.winner != nil, !campaign.variants.isEmpty {
            change.blocked.append(VariantChoice.isTooEarly)
        }
        if let block = renaming(campaign) ?? taken(drafted.entry) { change.blocked.append(block) }
        if isNewLedger {
            change.blocked.append(
                Block(.newLedger, Reason(.newLedger)))
        }
        let operation: Operation
        if action == .reschedule, let replaced {
            change.blocked += tooLate(replaced)
            operation = .cancel(replaced, then: drafted.entry)
        } else {
            operation = .deliver(drafted.entry, replaces: replaced != nil)
        }
        outcome.steps.append(Step(change, operation))
        outcome.diagnostics += drafted.encoded.findings.map(\.planned)
        if action != .send, at != nil {
            outcome.diagnostics.append(
                PlanDiagnostic(
                    .note, .audienceAtFiring, Reason(.selectedWhenFiring, .text(campaign.name)),
                    at: campaign.origin.range(of: ["schedule", "at"])))
        }
        outcome.diagnostics += remarks(campaign, audience, isCountable: isCountable)
        if let remark = sizeRemark(campaign, change.audience?.review.parts ?? []) { outcome.diagnostics.append(remark) }
    }

    /// Adds the line of a campaign whose time has not come; for reviewers with the parts of a divided one.
    func wait(_ campaign: Campaign, _ reason: Reason, _ outcome: inout Outcome) {
        var step = Step(change(campaign, .wait, reason: reason), .nothing)
        if input.explainsAudiences, campaign.isDivided, !campaign.hold {
            let drafted = drafting.draft(
                campaign, scheduledAt: campaign.scheduledAt?.instant, generation: 0, replaced: nil, now: input.now)
            let request = drafted.encoded.request
            let audience = audience(of: campaign, request: request)
            step.change.audience = PlannedAudience(audience, campaign.audience.reason)
            let parts = parts(of: campaign, audience)
            step.change.audience?.review.parts = parts
            step.reviewed = request
            if let counted = CountedAudience(of: request, input.encoder) {
                outcome.counts[counted.digest] = counted.condition
            }
            if let remark = sizeRemark(campaign, parts) { outcome.diagnostics.append(remark) }
        }
        outcome.steps.append(step)
    }

    /// Returns the number of devices that a delivery would reach; nil when unknown.
    func audience(of campaign: Campaign, request: PushRequest) -> AudienceCount? {
        guard campaign.audience.devices.isEmpty else {
            return AudienceCount(devices: campaign.audience.distinctDevices)
        }
        return input.encoder.audience(of: request).flatMap { input.state.audiences[Digest(of: $0)] }
    }

    /// Returns the looks of a campaign on the platforms that both it and the remote reach.
    func looks(of campaign: Campaign) -> [NotificationLook] {
        let looks = campaign.looks(on: input.remote.type, by: input.encoder, segments: drafting.segments)
        return input.desired.strings.map { catalog in looks.map { $0.filled(from: catalog) } } ?? looks
    }

    private func reason(_ action: Action, replaced: LedgerEntry?) -> Reason {
        switch (action, replaced?.state) {
        case (.reschedule, .cancelling): Reason(.cancellationInterrupted)
        case (.reschedule, .scheduled): Reason(.changedWhilePending)
        case (.reschedule, _): Reason(.stillPending)
        case (_, .refused): Reason(.refusedBefore, .reason(replaced?.reason ?? Reason(.noReason)))
        case (_, .cancelled): Reason(.cancelledBefore)
        case (_, .unsent): Reason(.unsentBefore)
        case (_, _): Reason(.notDelivered)
        }
    }

    /// Returns a cancellation, or the rest of an interrupted one.
    func cancellation(of entry: LedgerEntry, campaign: Campaign?, reason: Reason) -> Step {
        var change = change(entry, campaign, .cancel, reason: reason)
        change.before = Self.pendingFields(entry)
        change.blocked = tooLate(entry)
        return Step(change, .cancel(entry, then: nil))
    }

    /// Blocks a change of a pending push that is due within five minutes.
    private func tooLate(_ entry: LedgerEntry) -> [Block] {
        guard entry.state == .scheduled, let push = pending[entry.notificationID.text],
            push.at - input.now < .seconds(300)
        else { return [] }
        return [Block(.tooLateToChange, Reason(.tooLateToChange, .instant(push.at)))]
    }
}
