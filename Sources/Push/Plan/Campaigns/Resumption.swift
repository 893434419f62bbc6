/// The decision on a delivery that was found in `sending`.
///
/// Source: docs/background/sending.md#through-leancloud, docs/background/sending.md#straight-to-apple.
package enum Resumption: Hashable, Sendable {
    /// Adopts the remote's record of the push.
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
    /// The maximum delay of a record.
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
        // A refused run closes its journal first, and was killed before it updated the ledger.
        if state.isClosedUnsent { return .startOver }
        guard context.wish == .delivered else {
            return state.hasSent ? .conclude(Reason(.notWanted), missed: state.waiting) : .leaveUnsent
        }
        switch DeliveryTime(entry, windowFrom: start, quietHours: context.quietHours).objection(at: now) {
        case .over(let why): return state.hasSent ? .conclude(why, missed: state.waiting) : .missed(why)
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

    /// True if the decision makes a push, now or after another look.
    package func maySend(_ context: ResumeContext) -> Bool {
        switch self {
        case .repeatRequest, .send, .goOn: true
        case .lookAgain: context.wish == .delivered
        case .adopt, .missed, .leaveUnsent, .unknown, .conclude, .startOver, .hold: false
        }
    }
}
