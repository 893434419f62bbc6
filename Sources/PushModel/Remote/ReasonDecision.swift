package import Basics

/// What is done about a refusal.
package enum ReasonDecision: Hashable, Sendable {
    /// The token is dead: it is marked so in the registry, unless the app registered it again after the refusal's time.
    case dropToken
    /// As ``dropToken``, but only where the environment is known right, see ``EnvironmentJudge``; else the token is
    /// refused, and a mix-up of the environments wipes nothing.
    case dropTokenIfEnvironmentIsRight
    /// This token is counted as refused; others go on.
    case refuseToken
    /// The same notification is sent to this token again, later.
    case retry(Backoff)
    /// Everything that uses this credential waits, keeps the provider token it has, and then sends again.
    case wait(Backoff)
    /// Another provider token is asked for (`ProviderTokenProviding/replacement(for:)`), and the same is sent again.
    case renew
    /// The connection is closed, and the same is sent again on a new one.
    case reconnect
    /// The delivery stops: every device would be answered so.
    case giveUp(Cause)

    /// Why a delivery cannot go on.
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
    /// Errors of Apple's servers: 15 minutes at first (<doc:/APNs/AppleReasons#Reasons>), 4 hours at most.
    package static let serverError = Backoff(first: .seconds(15 * 60), longest: .seconds(4 * 3600))
    /// Too much for one device: a minute at first, 15 at most; Apple says "later" and no more.
    package static let tooManyRequests = Backoff(first: .seconds(60), longest: .seconds(15 * 60))
    /// Too many provider tokens: a minute at first; the time in which no other is taken, 20, at most.
    package static let tooManyTokens = Backoff(first: .seconds(60), longest: .seconds(20 * 60))
}
