package import PushModel

/// How a delivery that was found in `sending` is settled.
///
/// Source: <doc:/PushApply/Sending#Through-LeanCloud>, <doc:/PushApply/Sending#Straight-to-Apple>.
package enum Resumption: Hashable, Sendable {
    /// The remote has it: take over what it says.
    case adopt(PushRecord)
    /// Repeat the stored request once, not before this instant: within five minutes the same `req_id` is one push.
    case repeatRequest(notBefore: Instant)
    /// Records can be late: look again, until this instant.
    case lookAgain(until: Instant)
    /// It was not sent, and is still wanted: send the stored request.
    case send
    /// It was not sent, and its time is over.
    case missed(String)
    /// It was not sent, and is not wanted any more.
    case leaveUnsent
    /// Nobody can tell: a person must.
    case unknown(String)
    /// The remote's journal knows which devices are still to be sent to: send to those.
    case goOn(JournalState)
    /// Some devices were sent to, and the rest is not, which counts as missed: why, and how many they are.
    case conclude(String, missed: Int)
    /// Its journal was closed before anything was sent, and the ledger does not say so: it may be delivered anew.
    case startOver
    /// It may go on, but not now: a later apply decides anew.
    case hold(String)

    /// How long after an intent its request may be repeated: the service's five minutes, less a request's own time.
    package static let repeatable = Duration.seconds(240)
    /// How late a record can be.
    private static let recordDelay = Duration.seconds(600)

    /// Decides by the evidence and the entry's age on the server's clock.
    package static func decide(
        _ entry: LedgerEntry, evidence: Evidence, context: ResumeContext, now: Instant
    ) -> Resumption {
        if case .journal(let state) = evidence { return Self.journaled(state, entry, context: context, now: now) }
        let age = now - entry.attemptedAt
        if case .found(let record) = evidence {
            guard let doubt = record.doubt else { return .adopt(record) }
            return age < recordDelay ? .lookAgain(until: entry.attemptedAt + recordDelay) : .unknown(doubt)
        }
        // Whatever age would decide, it decides once it is released.
        if context.wish == .held { return .hold("on hold") }
        if age < repeatable, context.wish == .delivered {
            return .repeatRequest(notBefore: entry.attemptedAt + .seconds(10))
        }
        if age < recordDelay { return .lookAgain(until: entry.attemptedAt + recordDelay) }
        if case .failed(let reason) = evidence { return .unknown(reason) }
        guard age <= .seconds(6 * 86_400) else {
            return .unknown("the service keeps its records for a week, and this one is \(age.roundedText) old")
        }
        guard context.wish == .delivered else { return .leaveUnsent }
        switch DeliveryTime(entry, windowFrom: entry.windowStart, quietHours: context.quietHours).objection(at: now) {
        case .over(let why): return .missed(why)
        case .quietHours: return .missed("it would start in quiet hours")
        case nil: return .send
        }
    }

    /// The journal says what was sent, so age proves nothing; only the time that a delivery has matters.
    private static func journaled(
        _ state: JournalState, _ entry: LedgerEntry, context: ResumeContext, now: Instant
    ) -> Resumption {
        let start = state.lastOutcomeAt ?? entry.windowStart
        if context.wish == .held {
            let last = min(start + entry.window, entry.expiresAt ?? start + entry.window)
            return .hold(last < now ? "on hold, and its time is over" : "on hold; released by \(last.text) it goes on")
        }
        // A refused run closes its journal first, and was killed before it wrote that down.
        if state.isClosedUnsent { return .startOver }
        guard context.wish == .delivered else {
            return state.hasSent ? .conclude("it is not wanted any more", missed: state.waiting) : .leaveUnsent
        }
        switch DeliveryTime(entry, windowFrom: start, quietHours: context.quietHours).objection(at: now) {
        case .over(let why): return state.hasSent ? .conclude(why, missed: state.waiting) : .missed(why)
        case .quietHours: return .hold("it waits for the end of the quiet hours")
        case nil: return .goOn(state)
        }
    }

    /// Whether it makes a push, now or after having looked again.
    package func maySend(_ context: ResumeContext) -> Bool {
        switch self {
        case .repeatRequest, .send, .goOn: true
        case .lookAgain: context.wish == .delivered
        case .adopt, .missed, .leaveUnsent, .unknown, .conclude, .startOver, .hold: false
        }
    }
}
