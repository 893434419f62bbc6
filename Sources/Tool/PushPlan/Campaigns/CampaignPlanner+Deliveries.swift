internal import Diagnostics
internal import JSONValue
internal import PushModel

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
        change.audience = PlannedAudience(audience, description: campaign.audience.description)
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
            change.blocked.append(Block(.winner, "it names a winner before its variants were tested"))
        }
        if isNewLedger {
            change.blocked.append(
                Block(.newLedger, "this remote's ledger is empty: run 'bugle ledger copy' or 'bugle ledger start'"))
        }
        let operation: Operation
        if action == .reschedule, let replaced {
            change.blocked += tooLate(replaced)
            operation = .cancel(replaced, then: drafted.entry)
        } else {
            operation = .deliver(drafted.entry, replaces: replaced != nil)
        }
        outcome.steps.append(Step(change, operation))
        outcome.diagnostics += drafted.encoded.findings
        if action != .send, at != nil {
            outcome.diagnostics.append(
                Diagnostic(
                    .note, .audienceAtFiring, "the audience of \(campaign.name) is selected when it fires, not now",
                    at: campaign.origin.range(of: ["schedule", "at"])))
        }
        outcome.diagnostics += remarks(campaign, audience, isCountable: isCountable)
        if let remark = smallStage(campaign, change.audience?.review.parts ?? []) { outcome.diagnostics.append(remark) }
        if let remark = power(campaign, change.audience?.review.parts ?? []) { outcome.diagnostics.append(remark) }
    }

    /// Adds the line of a campaign whose time has not come; for reviewers with the parts of a divided one.
    func wait(_ campaign: Campaign, _ reason: String, _ outcome: inout Outcome) {
        var step = Step(change(campaign, .wait, reason: reason), .nothing)
        if input.explainsAudiences, campaign.isDivided, !campaign.hold {
            let drafted = drafting.draft(
                campaign, scheduledAt: campaign.scheduledAt?.instant, generation: 0, replaced: nil, now: input.now)
            let request = drafted.encoded.request
            let audience = audience(of: campaign, request: request)
            step.change.audience = PlannedAudience(audience, description: campaign.audience.description)
            let parts = parts(of: campaign, audience)
            step.change.audience?.review.parts = parts
            step.reviewed = request
            if let counted = CountedAudience(of: request, input.encoder) {
                outcome.counts[counted.digest] = counted.condition
            }
            if let remark = smallStage(campaign, parts) { outcome.diagnostics.append(remark) }
            if let remark = power(campaign, parts) { outcome.diagnostics.append(remark) }
        }
        outcome.steps.append(step)
    }

    /// Returns the stages of a rollout with the numbers of devices to expect.
    private func parts(of campaign: Campaign, _ audience: AudienceCount?) -> [AudienceReview.Part] {
        guard let audience else { return [] }
        if let test = campaign.variantTest {
            let rest = AudienceReview.Part(label: "rest", devices: test.restShare.of(audience.devices))
            return test.arms.map { AudienceReview.Part(label: $0.name, devices: $0.share.of(audience.devices)) } + [
                rest
            ]
        }
        guard let rollout = campaign.rollout else { return [] }
        return rollout.stages.indices.map { index in
            AudienceReview.Part(
                label: rollout.stages[index].text, devices: rollout.share(ofStage: index + 1).of(audience.devices))
        }
    }

    /// Tells which difference between its variants a test can show.
    private func power(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> Diagnostic? {
        let sizes = parts.dropLast().map(\.devices).sorted()
        guard campaign.variantTest != nil, sizes.count > 1 else { return nil }
        let points = (VariantTest.detectableDifference(sizes[0], sizes[1]) * 1000).rounded(.up) / 10
        return Diagnostic(
            .note, .variantPower,
            "the variants of \(campaign.name) show a difference of \(points) percentage points or more, with 80 % power at a rate "
                + "of 50 %: about \(grouped(sizes[0])) devices test the smallest",
            at: campaign.origin.range(of: ["variants"]),
            help: points > 10 ? "larger shares show smaller differences" : nil)
    }

    /// Warns of a stage that cannot have enough answers for a verdict; the last one needs none.
    private func smallStage(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> Diagnostic? {
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

    /// Returns the number of devices that a delivery would reach; nil when unknown.
    func audience(of campaign: Campaign, request: PushRequest) -> AudienceCount? {
        guard campaign.audience.devices.isEmpty else {
            return AudienceCount(devices: campaign.audience.distinctDevices)
        }
        return input.encoder.audience(of: request).flatMap { input.state.audiences[Digest(of: $0)] }
    }

    private func reason(_ action: Action, replaced: LedgerEntry?) -> String {
        switch (action, replaced?.state) {
        case (.reschedule, .cancelling): "its cancellation was interrupted"
        case (.reschedule, .scheduled): "changed while pending"
        case (.reschedule, _): "its push is still pending"
        case (_, .refused): "refused before: \(replaced?.reason ?? "no reason given")"
        case (_, .cancelled): "cancelled before, wanted again"
        case (_, .unsent): "not sent before, wanted again"
        case (_, _): "not delivered yet"
        }
    }

    /// Returns a cancellation, or the rest of an interrupted one.
    func cancellation(of entry: LedgerEntry, campaign: Campaign?, reason: String) -> Step {
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
        return [Block(.tooLateToChange, "it is due at \(push.at.text), in less than 5 minutes")]
    }

    /// Returns the step that settles an open delivery, and true if that makes a push.
    func resumption(
        of entry: LedgerEntry, campaign: Campaign?, _ wish: ResumeContext.Wish
    ) -> (step: Step, isSending: Bool) {
        let context = ResumeContext(wish, quietHours: input.desired.policy.quietHours)
        let known = input.state.evidence[entry.notificationID]
        let evidence = known ?? .failed("it was not looked up")
        var entry = entry
        var standing: VariantStanding?
        if wish == .delivered, case .journal(let state) = evidence, let winner = campaign?.winner,
            let chosen = entry.request?.choosing(winner), state.standing != nil
        {
            (entry.request, standing) = (chosen, state.standing)
        }
        let resumption = Resumption.decide(entry, evidence: evidence, context: context, now: input.now)
        let action: Action
        switch resumption {
        case .adopt, .repeatRequest, .lookAgain, .send, .leaveUnsent, .goOn, .conclude, .startOver: action = .resume
        case .hold: action = .wait
        case .missed: action = .missed
        case .unknown: action = .none
        }
        var reason = resumption.explanation(entry, now: input.now)
        if let standing, case .goOn(let state) = resumption, let winner = entry.request?.winner {
            reason =
                "the winner is \(winner), for \(grouped(state.waiting)) more devices: "
                + standing.variants.map(\.text).joined(separator: "; ")
        }
        var change = change(entry, campaign, action, reason: reason)
        let maySend = resumption.maySend(context)
        if maySend {
            change.request = entry.request?.withoutDevices
            // The file only describes the delivery in progress while it is unchanged since.
            if let campaign, !drafting.isChanged(campaign, since: entry) { change.looks = looks(of: campaign) }
            change.audience = remainingAudience(of: entry, resumption).map { devices in
                PlannedAudience(
                    devices: devices, description: campaign?.audience.description ?? "as recorded")
            }
            if let campaign {
                change.blocked = policy.certificates(
                    drafting.pushingProfiles(campaign), until: lastAttempt(of: entry, campaign))
            }
        }
        // A campaign on hold was looked up, and waits like every campaign on hold.
        if wish == .held, action == .wait, known != nil { return (Step(change, .nothing), false) }
        return (Step(change, .resume(entry, context)), maySend)
    }

    /// Returns the looks of a campaign on the platforms that both it and the remote reach.
    func looks(of campaign: Campaign) -> [NotificationLook] {
        campaign.looks(on: input.remote.type, by: input.encoder, segments: drafting.segments)
    }

    /// Returns the latest time at which a resumed delivery may still reach a device.
    private func lastAttempt(of entry: LedgerEntry, _ campaign: Campaign) -> Instant {
        entry.expiresAt ?? campaign.lastAttempt(startingAt: max(input.now, entry.scheduledAt ?? input.now))
    }

    /// Returns the number of devices that a resumed delivery would still reach: from its journal, or else as counted.
    private func remainingAudience(of entry: LedgerEntry, _ resumption: Resumption) -> Int?? {
        if case .goOn(let state) = resumption, state.targets > 0 { return state.waiting }
        return entry.request.flatMap(input.encoder.audience).map { input.state.audiences[Digest(of: $0)]?.devices }
    }

    /// Returns the step for a delivery with an unknown outcome, which a person must look at.
    func unknown(_ entry: LedgerEntry, campaign: Campaign?) -> Step {
        let why = entry.reason ?? "the answer was lost"
        let reason = "its outcome is unknown (\(why)): check the service's console, "
        return Step(change(entry, campaign, .none, reason: reason + "then run '\(entry.resolveCommand)'"), .nothing)
    }

    /// Returns the diagnostic for a delivery that needs no change.
    func diagnostic(_ remark: CampaignRow.Remark, _ campaign: Campaign) -> Diagnostic {
        let place = campaign.origin.range(of: [])
        switch remark {
        case .editedAfterDelivery:
            return Diagnostic(
                .note, .editedAfterDelivery, "\(campaign.name) was edited after it was delivered; nothing is sent",
                at: place, help: "raise 'revision' to deliver it again")
        case .editedDuringDelivery:
            return Diagnostic(
                .note, .editedAfterDelivery,
                "\(campaign.name) was edited during its delivery; its remaining devices get the original",
                at: place, help: "raise 'revision' to end that delivery and deliver the edited campaign to everybody")
        case .revisionLowered(let delivered):
            return Diagnostic(
                .warning, .revisionLowered,
                "\(campaign.name) was delivered at revision \(delivered), and the file says \(campaign.revision); "
                    + "nothing is sent",
                at: campaign.origin.range(of: ["revision"]), help: "raise 'revision' above \(delivered) to deliver it")
        case .cancelledElsewhere:
            return Diagnostic(
                .warning, .cancelledElsewhere,
                "the pending push of \(campaign.titleOfDelivery) disappeared from the remote before its time; nothing is sent",
                at: place, help: campaign.occurrence == .once ? "raise 'revision' to deliver it" : nil)
        case .stopped(let entry):
            return Diagnostic(
                .warning, .rolloutStopped,
                "the rollout of \(campaign.name) \(entry.state == .halted ? "was halted" : "holds"): "
                    + (entry.reason ?? "no reason given"),
                at: campaign.origin.range(of: ["rollout"]),
                help: "decide about the rest: '\(entry.resolveCommand)'")
        case .inDoubt(let devices, let entry):
            return Diagnostic(
                .warning, .inDoubt,
                "\(campaign.titleOfDelivery) was delivered, but the answers of \(grouped(devices)) devices were lost; nothing more is sent to them",
                at: place, help: "'\(entry.resolveCommand)' closes it, or sends to those devices only")
        }
    }
}

extension Resumption {
    /// Describes the evidence and the decision in one clause.
    func explanation(_ entry: LedgerEntry, now: Instant) -> String {
        let began = "a send that was interrupted \((now - entry.intendedAt).roundedText) ago"
        switch self {
        case .adopt(let record):
            if case .refused(let refusal) = record.standing {
                return "\(began): the remote refused it: \(refusal.rawValue)"
            }
            return "\(began): the remote has it"
        case .repeatRequest: return "\(began): the request is repeated under the same id"
        case .lookAgain(let until): return "\(began): the remote is asked again until \(until.text)"
        case .send: return "\(began): the remote never received it, and it is sent now"
        case .missed(let why): return "\(began): the remote never received it, and \(why)"
        case .leaveUnsent: return "\(began): the remote never received it, and it is no longer wanted"
        case .unknown(let why): return "\(began): its outcome is unknown, \(why)"
        case .goOn(let state):
            guard state.hasSent else { return "\(began): nothing was sent yet" }
            let doubt = state.inDoubt > 0 ? ", \(grouped(state.inDoubt)) in doubt" : ""
            return "\(began): \(grouped(state.answered)) of \(grouped(state.targets)) devices are done\(doubt)"
        case .conclude(let why, let missed):
            return "\(began): the rest is not sent, \(why): \(grouped(missed)) devices are missed"
        case .startOver: return "\(began): it ended before anything was sent, and the apply after this one may send it"
        case .hold(let why): return "\(began): \(why)"
        }
    }
}
