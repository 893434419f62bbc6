internal import Diagnostics
internal import JSONValue
internal import PushModel

/// Deliveries that an earlier apply began.
extension CampaignPlanner {
    /// Returns the step that settles an open delivery, and true if that makes a push.
    func resumption(
        of entry: LedgerEntry, campaign: Campaign?, _ wish: ResumeContext.Wish
    ) -> (step: Step, isSending: Bool) {
        let context = ResumeContext(wish, quietHours: input.desired.policy.quietHours)
        let known = input.state.evidence[entry.notificationID]
        let evidence = known ?? .failed("it was not looked up")
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
        let description = campaign?.audience.description ?? "as recorded"
        guard let resumption else { return PlannedAudience(devices: 0, description: description) }
        if case .goOn(let state) = resumption, state.targets > 0 {
            return PlannedAudience(devices: state.waiting, description: description)
        }
        return entry.request.flatMap(input.encoder.audience).map { query in
            PlannedAudience(devices: input.state.audiences[Digest(of: query)]?.devices, description: description)
        }
    }

    /// Returns the step for a delivery that a person must decide about: its outcome is unknown, some devices are in
    /// doubt, or its rollout was stopped.
    func unknown(_ entry: LedgerEntry, campaign: Campaign?) -> Step {
        let reason =
            switch entry.state {
            case .halted, .holding:
                "the rollout \(entry.state == .halted ? "was halted" : "holds"): \(entry.reason ?? "no reason given"); "
                    + "decide about the rest: '\(entry.resolveCommand)'"
            case .sent:
                "the answers of \(grouped(entry.figures?.inDoubt ?? 0)) devices were lost: '\(entry.resolveCommand)' "
                    + "closes it, or sends to those devices only"
            case .sending, .scheduled, .refused, .cancelling, .cancelled, .unsent, .unknown:
                "its outcome is unknown (\(entry.reason ?? "the answer was lost")): check the service's console, "
                    + "then run '\(entry.resolveCommand)'"
            }
        return Step(change(entry, campaign, .none, reason: reason), .nothing)
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
        case .goOn(let state): return "\(began): \(state.text)"
        case .conclude(let why, let missed):
            return "\(began): the rest is not sent, \(why): \(grouped(missed)) devices are missed"
        case .startOver: return "\(began): it ended before anything was sent, and the apply after this one may send it"
        case .hold(let why): return why
        }
    }
}
