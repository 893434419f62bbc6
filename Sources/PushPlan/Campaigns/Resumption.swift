package import PushModel

/// How a delivery that was found in `sending` is settled; apply.md, "Sending through LeanCloud" and "Sending to Apple
/// directly".
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

    /// Decides by the evidence and the entry's age on the server's clock.
    package static func decide(
        _ entry: LedgerEntry, evidence: Evidence, context: ResumeContext, now: Instant
    ) -> Resumption {
        if case .journal(let state) = evidence { return Self.journaled(state, entry, context: context, now: now) }
        if case .found(let record) = evidence { return .adopt(record) }
        let age = now - entry.attemptedAt
        if age < repeatable, context.isWanted {
            return .repeatRequest(notBefore: entry.attemptedAt + .seconds(10))
        }
        if age < .seconds(600) { return .lookAgain(until: entry.attemptedAt + .seconds(600)) }
        if case .failed(let reason) = evidence { return .unknown(reason) }
        guard age <= .seconds(6 * 86_400) else {
            return .unknown("the service keeps its records for a week, and this one is \(age.roundedText) old")
        }
        guard context.isWanted else { return .leaveUnsent }
        return Self.whenLate(entry, context: context, now: now)
    }

    /// The journal says what was sent, so age proves nothing; only the time that a delivery has matters.
    private static func journaled(
        _ state: JournalState, _ entry: LedgerEntry, context: ResumeContext, now: Instant
    ) -> Resumption {
        // A refused run closes its journal first, and was killed before it wrote that down.
        if state.isClosedUnsent { return .startOver }
        guard context.isWanted else {
            return state.hasSent ? .conclude("it is not wanted any more", missed: state.waiting) : .leaveUnsent
        }
        let since = state.lastOutcomeAt ?? entry.scheduledAt ?? entry.intendedAt
        let isOver: String?
        if let end = entry.expiresAt, end <= now {
            isOver = "it expired at \(end.text)"
        } else if now > since + entry.window {
            isOver = "its window ended at \((since + entry.window).text)"
        } else {
            isOver = nil
        }
        if let isOver { return state.hasSent ? .conclude(isOver, missed: state.waiting) : .missed(isOver) }
        if context.quietHours?.contain(now) == true { return .hold("it waits for the end of the quiet hours") }
        return .goOn(state)
    }

    private static func whenLate(_ entry: LedgerEntry, context: ResumeContext, now: Instant) -> Resumption {
        if let end = entry.expiresAt, end <= now { return .missed("it expired at \(end.text)") }
        let latest = (entry.scheduledAt ?? entry.intendedAt) + entry.window
        if now > latest { return .missed("its window ended at \(latest.text)") }
        if context.quietHours?.contain(max(now, entry.scheduledAt ?? now)) == true {
            return .missed("it would start in quiet hours")
        }
        return .send
    }

    /// Whether it makes a push, now or after having looked again.
    package func maySend(_ context: ResumeContext) -> Bool {
        switch self {
        case .repeatRequest, .send, .goOn: true
        case .lookAgain: context.isWanted
        case .adopt, .missed, .leaveUnsent, .unknown, .conclude, .startOver, .hold: false
        }
    }
}
