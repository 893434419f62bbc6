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
    case retry(RetryDelay)
    /// Pause everything that uses this credential, keep the current provider token, then send again.
    case wait(RetryDelay)
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

/// The wait before sending again, which doubles with each attempt up to a limit.
package struct RetryDelay: Hashable, Sendable {
    /// The wait after the first refusal.
    package let first: Duration
    /// The longest wait.
    package let longest: Duration

    /// For errors of Apple's servers: 15 minutes at first (<doc:AppleReasons#Reasons>), at most 4 hours.
    package static let serverError = RetryDelay(first: .seconds(15 * 60), longest: .seconds(4 * 3600))
    /// For too many requests to one device: a minute at first, at most 15; Apple only says "later".
    package static let tooManyRequests = RetryDelay(first: .seconds(60), longest: .seconds(15 * 60))
    /// For too many provider tokens: a minute at first, at most 20, the time during which Apple accepts no other token.
    package static let tooManyTokens = RetryDelay(first: .seconds(60), longest: .seconds(20 * 60))

    /// The wait before an attempt, doubled each time.
    ///
    /// - Parameter attempt: the number of times this answer came, from 1.
    package func delay(attempt: Int) -> Duration {
        min(longest, first * (1 << min(max(0, attempt - 1), 20)))
    }
}
