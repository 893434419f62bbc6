package import Base

/// The action to take on a refusal.
package enum ReasonDecision: Hashable, Sendable {
    /// The token is dead: mark it so in the registry, unless the app registered it again after the time in the refusal.
    case dropToken
    /// As ``dropToken``, but only where the environment is known to be right, see ``EnvironmentJudge``; otherwise the
    /// token is counted as refused, so that a mix-up of the environments wipes nothing.
    case dropTokenIfEnvironmentIsRight
    /// Count this token as refused and go on with the others.
    case refuseToken
    /// Send the same notification to this token again, later.
    case retry(Backoff)
    /// Pause everything that uses this credential, keep the current provider token, then send again.
    case wait(Backoff)
    /// Ask for another provider token (`ProviderTokenProviding/replacement(for:)`) and send the same again.
    case renew
    /// Close the connection and send the same again on a new one.
    case reconnect
    /// Stop the delivery: every device would get this answer.
    case giveUp(Cause)

    /// The part at fault when a delivery cannot go on.
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The certificate, the key, its team or its environment.
        case credential
        /// The topic.
        case topic
        /// The payload.
        case payload
        /// A header or the path.
        case request
        /// The broadcast channel.
        case channel
    }
}

extension Backoff {
    /// Errors of Apple's servers: 15 minutes at first (docs/background/apple/reasons.md#reasons), 4 hours at most.
    package static let serverError = Backoff(first: .seconds(15 * 60), longest: .seconds(4 * 3600))
    /// For too many requests to one device: a minute at first, at most 15; Apple only says "later".
    package static let tooManyRequests = Backoff(first: .seconds(60), longest: .seconds(15 * 60))
    /// For too many provider tokens: a minute at first, at most 20, the time during which Apple accepts no other token.
    package static let tooManyTokens = Backoff(first: .seconds(60), longest: .seconds(20 * 60))
}

extension APNsReason {
    /// True when Apple calls the token itself invalid.
    package var isOfTheToken: Bool {
        switch row.decision {
        case .dropToken, .dropTokenIfEnvironmentIsRight, .refuseToken: true
        case .retry, .wait, .renew, .reconnect, .giveUp: false
        }
    }
}
