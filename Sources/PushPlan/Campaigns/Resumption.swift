package import PushModel

/// How a delivery that was found in `sending` is settled; apply.md, "Sending through LeanCloud".
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

    /// How long after an intent its request may be repeated: the service's five minutes, less a request's own time.
    package static let repeatable = Duration.seconds(240)

    /// Decides by the evidence and the entry's age on the server's clock.
    package static func decide(
        _ entry: LedgerEntry, evidence: Evidence, context: ResumeContext, now: Instant
    ) -> Resumption {
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
        case .repeatRequest, .send: true
        case .lookAgain: context.isWanted
        case .adopt, .missed, .leaveUnsent, .unknown: false
        }
    }
}
