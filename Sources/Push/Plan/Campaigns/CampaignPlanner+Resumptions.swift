internal import Base

/// Deliveries that an earlier apply began.
extension CampaignPlanner {
    /// Returns the step that settles an open delivery, and true if that makes a push.
    func resumption(
        of entry: LedgerEntry, campaign: Campaign?, _ wish: ResumeContext.Wish
    ) -> (step: Step, isSending: Bool) {
        let context = ResumeContext(wish, quietHours: input.desired.policy.quietHours)
        let known = input.state.evidence[entry.notificationID]
        let evidence = known ?? .failed(Reason(.notLookedUp))
        let choice = VariantChoice(entry, evidence, winner: campaign?.winner, wish)
        let entry = choice.entry
        let resumption = Resumption.decide(entry, evidence: evidence, context: context, now: input.now)
        let action: Action
        switch resumption {
        case .adopt, .repeatRequest, .lookAgain, .send, .leaveUnsent, .goOn, .conclude, .startOver: action = .resume
        case .hold: action = .wait
        case .missed: action = .missed
        case .unknown: action = .none
        }
        let reason = choice.explanation(resumption) ?? resumption.explanation(entry, now: input.now)
        var change = change(entry, campaign, action, reason: reason)
        let maySend = resumption.maySend(context)
        if maySend {
            change.request = entry.request?.withoutDevices
            // The file only describes the delivery in progress while it is unchanged since.
            if let campaign, !drafting.isChanged(campaign, since: entry) {
                change.looks = looks(of: campaign).filter(choice.shows)
            }
            change.audience = remainingAudience(of: entry, choice.isAbandoned ? nil : resumption, campaign)
            if let campaign {
                change.blocked = policy.certificates(
                    drafting.pushingProfiles(campaign), until: lastAttempt(of: entry, campaign))
            }
        }
        // Whatever happens without a winner, it is not what the files want.
        if let block = choice.block, [.wait, .resume].contains(action), !resumption.isOver {
            (change.action, change.blocked) = (.resume, change.blocked + [block])
        }
        // A campaign on hold was looked up, and waits like every campaign on hold.
        if wish == .held, action == .wait, known != nil { return (Step(change, .nothing), false) }
        return (Step(change, .resume(entry, context)), maySend)
    }

    /// Returns the latest time at which a resumed delivery may still reach a device.
    private func lastAttempt(of entry: LedgerEntry, _ campaign: Campaign) -> Instant {
        entry.expiresAt ?? campaign.lastAttempt(startingAt: max(input.now, entry.scheduledAt ?? input.now))
    }

    /// Returns the devices that a resumed delivery would still reach: from its journal, or else as counted; none when it
    /// is not resumed.
    private func remainingAudience(
        of entry: LedgerEntry, _ resumption: Resumption?, _ campaign: Campaign?
    ) -> PlannedAudience? {
        let description = campaign?.audience.reason ?? Reason(.asRecorded)
        guard let resumption else { return PlannedAudience(devices: 0, description) }
        if case .goOn(let state) = resumption, state.targets > 0 {
            return PlannedAudience(devices: state.waiting, description)
        }
        return entry.request.flatMap(input.encoder.audience).map { query in
            PlannedAudience(devices: input.state.audiences[Digest(of: query)]?.devices, description)
        }
    }

    /// Returns the step for a delivery that a person must decide about: its outcome is unknown, some devices are in
    /// doubt, or its rollout was stopped.
    func unknown(_ entry: LedgerEntry, campaign: Campaign?) -> Step {
        let (command, why) = (Reason.Value.text(entry.resolveCommand), entry.reason)
        let reason =
            switch entry.state {
            case .halted, .holding:
                Reason(
                    entry.state == .halted ? .rolloutHalted : .rolloutHolds, .reason(why ?? Reason(.noReason)), command)
            case .sent: Reason(.answersLost, .count(entry.figures?.inDoubt ?? 0), command)
            case .sending, .scheduled, .refused, .cancelling, .cancelled, .unsent, .unknown:
                Reason(.outcomeUnknown, .reason(why ?? Reason(.answerLost)), command)
            }
        return Step(change(entry, campaign, .none, reason: reason), .nothing)
    }
}

extension Resumption {
    /// Describes the evidence and the decision in one clause.
    func explanation(_ entry: LedgerEntry, now: Instant) -> Reason {
        if case .hold(let why) = self { return why }
        return Reason(.interrupted, .age(now - entry.intendedAt), .reason(decision))
    }

    private var decision: Reason {
        switch self {
        case .adopt(let record):
            guard case .refused(let refusal) = record.standing else { return Reason(.remoteHas) }
            return Reason(.remoteRefused, .text(refusal.rawValue))
        case .repeatRequest: return Reason(.repeated)
        case .lookAgain(let until): return Reason(.askedUntil, .instant(until))
        case .send: return Reason(.sentNow)
        case .missed(let why): return Reason(.neverReceived, .reason(why))
        case .leaveUnsent: return Reason(.neverReceived, .reason(Reason(.notWanted)))
        case .unknown(let why): return Reason(.unknownBecause, .reason(why))
        case .goOn(let state): return state.reason
        case .conclude(let why, let missed): return Reason(.restNotSent, .reason(why), .count(missed))
        case .startOver: return Reason(.endedUnsent)
        case .hold(let why): return why
        }
    }
}
