internal import Base

/// The decision on a delivery that was found in `sending`.
///
/// Source: docs/background/sending.md#through-leancloud, docs/background/sending.md#straight-to-apple.
package enum Resumption: Hashable, Sendable {
    case adopt(PushRecord)
    /// Repeats the stored request once, not before this instant: within five minutes the same `req_id` is one push.
    case repeatRequest(notBefore: Instant)
    /// Looks again until this instant, since records can be late.
    case lookAgain(until: Instant)
    /// Sends the stored request: it was not sent, and is still wanted.
    case send
    /// The push was not sent, and its time is over.
    case missed(Reason)
    /// The push was not sent, and is no longer wanted.
    case leaveUnsent
    /// The outcome cannot be determined; a person must look.
    case unknown(Reason)
    /// Sends to the devices that are left in the remote's journal.
    case goOn(JournalState)
    /// Ends a delivery that was sent to some devices only, with the reason and the number of the others, which count as
    /// missed.
    case conclude(Reason, missed: Int)
    /// Delivers anew: the journal was closed before anything was sent, which the ledger does not say.
    case startOver
    /// Leaves the decision to a later apply; it may go on, but not now.
    case hold(Reason)

    /// The time after an intent in which its request may be repeated: the service's five minutes, less a request's own
    /// time.
    package static let repeatable = Duration.seconds(240)
    /// The time after an intent in which its request must begin: a record is looked for by the intent's age.
    package static let prompt = Duration.seconds(60)
    private static let recordDelay = Duration.seconds(600)

    /// Decides by the evidence, and by the entry's age on the server's clock.
    package static func decide(
        _ entry: LedgerEntry, evidence: Evidence, context: ResumeContext, now: Instant
    ) -> Resumption {
        if case .journal(let state) = evidence { return Self.journaled(state, entry, context: context, now: now) }
        let age = now - entry.attemptedAt
        if case .found(let record) = evidence {
            guard let doubt = record.doubt else { return .adopt(record) }
            return age < recordDelay ? .lookAgain(until: entry.attemptedAt + recordDelay) : .unknown(doubt)
        }
        // A held delivery is decided once it is released, whatever its age.
        if context.wish == .held { return .hold(Reason(.onHold)) }
        if age < repeatable, context.wish == .delivered {
            return .repeatRequest(notBefore: entry.attemptedAt + .seconds(10))
        }
        if age < recordDelay { return .lookAgain(until: entry.attemptedAt + recordDelay) }
        if case .failed(let reason) = evidence { return .unknown(reason) }
        guard age <= .seconds(6 * 86_400) else {
            return .unknown(Reason(.recordsForAWeek, .age(age)))
        }
        guard context.wish == .delivered else { return .leaveUnsent }
        switch DeliveryTime(entry, windowFrom: entry.windowStart, quietHours: context.quietHours).objection(at: now) {
        case .over(let why): return .missed(why)
        case .quietHours: return .missed(Reason(.wouldBeQuiet))
        case nil: return .send
        }
    }

    /// Decides by the journal. It records what was sent, so age proves nothing; only the delivery's time matters.
    private static func journaled(
        _ state: JournalState, _ entry: LedgerEntry, context: ResumeContext, now: Instant
    ) -> Resumption {
        let start = state.windowFrom ?? state.lastOutcomeAt ?? entry.windowStart
        if context.wish == .held {
            let last = min(start + entry.window, entry.expiresAt ?? start + entry.window)
            return .hold(last < now ? Reason(.onHoldTooLate) : Reason(.onHoldUntil, .instant(last)))
        }
        guard context.wish == .delivered else {
            return state.hasSent ? .conclude(Reason(.notWanted), missed: state.waiting) : .leaveUnsent
        }
        switch DeliveryTime(entry, windowFrom: start, quietHours: context.quietHours).objection(at: now) {
        case .over(let why): return state.hasSent ? .conclude(why, missed: state.waiting) : .missed(why)
        // A refused run closes its journal first, and was killed before it updated the ledger.
        case _ where state.isClosedUnsent: return .startOver
        case .quietHours: return .hold(Reason(.awaitsQuietEnd))
        case nil:
            guard let opensAt = state.opensAt, opensAt > now, entry.request?.winner == nil else { return .goOn(state) }
            guard let standing = state.standing else {
                return .hold(state.part?.reason ?? Reason(.nextPartOpens, .instant(opensAt)))
            }
            return .hold(
                Reason(
                    .winnerAwaited, .instant(standing.decideBy), .text(entry.request?.otherwise ?? ""),
                    .reason(standing.reason)))
        }
    }

    /// True if nothing more is sent, now or later.
    var isOver: Bool {
        switch self {
        case .missed, .leaveUnsent, .conclude: true
        case .adopt, .repeatRequest, .lookAgain, .send, .unknown, .goOn, .startOver, .hold: false
        }
    }

    /// True if the decision leaves something to be sent, now or later.
    var mayGoOn: Bool {
        switch self {
        case .repeatRequest, .lookAgain, .send, .goOn, .hold: true
        case .adopt, .missed, .leaveUnsent, .unknown, .conclude, .startOver: false
        }
    }

    /// True if the decision makes a push, now or after another look.
    package func maySend(_ context: ResumeContext) -> Bool {
        switch self {
        case .repeatRequest, .send, .goOn: true
        case .lookAgain: context.wish == .delivered
        case .adopt, .missed, .leaveUnsent, .unknown, .conclude, .startOver, .hold: false
        }
    }
}

// MARK: - Resumptions

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
        // Its audience was frozen, so the fence cannot narrow it any more.
        if wish == .delivered, let block = outsideFence(entry, Reason(.frozenOutside)) {
            if resumption.mayGoOn { (change.action, change.blocked) = (.resume, change.blocked + [block]) }
            // Whatever is found out about it later, nothing more is sent.
            return (Step(change, .resume(entry, ResumeContext(.ended, quietHours: context.quietHours))), false)
        }
        // A campaign on hold was looked up, and waits like every campaign on hold.
        if wish == .held, action == .wait, known != nil { return (Step(change, .nothing), false) }
        return (Step(change, .resume(entry, context)), maySend)
    }

    /// Returns the latest time at which a resumed delivery may still reach a device.
    private func lastAttempt(of entry: LedgerEntry, _ campaign: Campaign) -> Instant {
        // Its parts count from its beginning, not from now.
        let last = max(input.now, entry.scheduledAt ?? input.now, campaign.lastPart(startingAt: entry.windowStart))
        return entry.expiresAt ?? campaign.lastAttempt(ofPartAt: last)
    }

    /// Returns the devices that a resumed delivery would still reach: from its journal, or else as counted; none when it
    /// is not resumed.
    private func remainingAudience(
        of entry: LedgerEntry, _ resumption: Resumption?, _ campaign: Campaign?
    ) -> PlannedAudience? {
        func audience(_ devices: Int?) -> PlannedAudience {
            let count = devices.map { AudienceCount(devices: $0) }
            return campaign.map { PlannedAudience(count, of: $0) } ?? PlannedAudience(count, Reason(.asRecorded))
        }
        guard let resumption else { return audience(0) }
        if case .goOn(let state) = resumption, state.targets > 0 { return audience(state.waiting) }
        return entry.request.flatMap(input.encoder.audience)
            .map { audience(input.state.audiences[Digest(of: $0)]?.devices) }
    }

    /// Returns the step for a delivery that a person must decide about: its outcome is unknown, some devices are in
    /// doubt, or it was stopped.
    func unknown(_ entry: LedgerEntry, campaign: Campaign?) -> Step {
        let (command, why) = (Reason.Value.text(entry.resolveCommand), entry.reason)
        let reason =
            switch entry.state {
            case .halted, .holding:
                entry.stopped.map { $0.order.reason(of: entry) }
                    ?? Reason(
                        entry.state == .halted ? .rolloutHalted : .rolloutHolds,
                        .reason(why ?? Reason(.noReason)), command)
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

/// The choice of a variant for the rest of a delivery under way, as the files name it.
///
/// They decide until the journal holds the choice: from then on the whole rest gets that variant, whatever they say.
struct VariantChoice {
    /// The delivery with the winner that the files name now.
    let entry: LedgerEntry
    /// The obstacle to a choice: the delivery has no such variant; nil: none.
    let block: Block?
    /// The test that waits for a choice; nil: there is none.
    private let standing: VariantStanding?

    /// Chooses for an open delivery; `winner` is what the files say, nil when nobody has chosen yet.
    init(_ entry: LedgerEntry, _ evidence: Evidence, winner: String?, _ wish: ResumeContext.Wish) {
        guard wish == .delivered, case .journal(let state) = evidence, let standing = state.standing,
            let request = entry.request, let open = request.choosing(nil)
        else {
            (self.entry, block, standing) = (entry, nil, nil)
            return
        }
        let chosen = request.choosing(winner)
        var entry = entry
        entry.request = chosen ?? open
        self.entry = entry
        self.standing = standing
        block = chosen == nil ? Self.isUnknown(winner ?? "", request.variants) : nil
    }

    /// The block of a campaign that names a winner before its delivery began.
    static let isTooEarly = Block(.winner, Reason(.winnerTooEarly))

    private static func isUnknown(_ name: String, _ variants: [String]) -> Block {
        Block(.winner, Reason(.noSuchVariant, .text(quoted(name)), .text(variants.joined(separator: ", "))))
    }

    /// True when nobody has chosen, and the rest gets nothing then.
    var isAbandoned: Bool {
        standing != nil && entry.request?.winner == nil
            && entry.request?.otherwise == VariantTest.Otherwise.abandonment
    }

    /// True for a look of what the rest may get.
    func shows(_ look: NotificationLook) -> Bool {
        guard let standing, let next = entry.request?.winner ?? entry.request?.otherwise else { return true }
        return look.variant == next || !standing.variants.contains { $0.name == next }
    }

    /// The line of a delivery whose rest goes on now, with each variant's figures; nil when it is about nothing else.
    func explanation(_ resumption: Resumption) -> Reason? {
        guard let standing, case .goOn(let state) = resumption else { return nil }
        let (figures, devices) = (Reason.Value.reason(standing.reason), Reason.Value.count(state.waiting))
        if let winner = entry.request?.winner { return Reason(.winnerForRest, .text(winner), devices, figures) }
        let end = Reason.Value.instant(standing.decideBy)
        return isAbandoned
            ? Reason(.noWinnerAbandoned, end, devices, figures)
            : Reason(.noWinnerForRest, end, devices, .text(entry.request?.otherwise ?? ""), figures)
    }
}
