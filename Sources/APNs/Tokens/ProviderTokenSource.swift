package import Diagnostics
package import PushModel
internal import Synchronization

/// The provider token of one key, shared by all of its connections and all that send with it.
///
/// A token is renewed after 50 minutes: Apple takes none that is older than 60, and no second one within 20 on a
/// connection (<doc:AppleCredentials#Provider-tokens>). Its age is measured by a clock that nobody sets; the time it
/// bears is the machine's.
package final class ProviderTokenSource: ProviderTokenProviding, CustomStringConvertible {
    /// When a token is replaced without being asked.
    package static let renewalAge = Duration.seconds(50 * 60)
    /// Until when a token is used that Apple wants back, because they changed too often.
    package static let latestAge = Duration.seconds(58 * 60)
    /// The age from which another token may be made.
    package static let youngestRenewal = Duration.seconds(20 * 60)
    /// By how much a clock may be off unnoticed.
    package static let tolerance = Duration.seconds(5 * 60)
    /// For how long a token that was good is taken for good although Apple says that it expired: a connection can be
    /// stuck, and a new one cures it (<doc:AppleService#Connections>).
    package static let patience = Duration.seconds(60)

    private let key: SigningKey
    private let teamID: String
    private let keyID: String
    private let now: @Sendable () -> Instant
    private let uptime: @Sendable () -> Duration
    private let state: Mutex<State>

    private struct State {
        var current: Token
        /// The one before; after a return to it, the one to come back to.
        var other: Token?
        /// Whether ``current`` was returned to.
        var isEarlier = false
        /// By how much this machine's clock is ahead of Apple's; nil while no answer told it.
        var ahead: Duration?
        /// Why no token that can be made is taken.
        var problem: CredentialError?
    }

    private struct Token {
        let text: Secret
        let issuedAt: Instant
        let madeAt: Duration
        /// When Apple first said that it had expired.
        var doubtedAt: Duration?
    }

    /// Makes the source of one key's tokens, and the first of them.
    ///
    /// - Parameters:
    ///   - now: the machine's clock.
    ///   - uptime: a clock that only runs on, from any start; by default the time since the source was made.
    /// - Throws: `libraryFailure`.
    package init(
        key: SigningKey, teamID: String, keyID: String, now: @escaping @Sendable () -> Instant,
        uptime: (@Sendable () -> Duration)? = nil
    ) throws(CredentialError) {
        let start = ContinuousClock.now
        let uptime = uptime ?? { ContinuousClock.now - start }
        let issuedAt = now()
        let text = try ProviderToken.signed(with: key, teamID: teamID, keyID: keyID, issuedAt: issuedAt.seconds)
        (self.key, self.teamID, self.keyID) = (key, teamID, keyID)
        (self.now, self.uptime) = (now, uptime)
        state = Mutex(State(current: Token(text: text, issuedAt: issuedAt, madeAt: uptime(), doubtedAt: nil)))
    }

    /// The bearer token to send now: the same one until it is 50 minutes old.
    package func token() -> Secret {
        state.withLock { state in
            if state.isEarlier, age(of: state.current) >= Self.latestAge, let later = state.other {
                (state.current, state.other, state.isEarlier) = (later, nil, false)
            }
            let limit = state.isEarlier ? Self.latestAge : Self.renewalAge
            if age(of: state.current) >= limit || isStale(state.current, limit) { renew(&state) }
            return state.current.text
        }
    }

    /// Another token, after Apple said that this one has expired.
    ///
    /// It is the same one when that should still be good: the connection may be stuck, and the token is to be sent on a
    /// new one. Where it stays so, ``problem`` says why.
    package func renewedToken(insteadOf expired: Secret) -> Secret {
        state.withLock { state in
            // Another request was told so before, and it is replaced already.
            guard state.current.text == expired else { return state.current.text }
            if age(of: state.current) >= Self.youngestRenewal || isStale(state.current, Self.youngestRenewal) {
                renew(&state)
                return state.current.text
            }
            let time = uptime()
            let doubtedAt = state.current.doubtedAt ?? time
            state.current.doubtedAt = doubtedAt
            let wasNeverGood = state.other == nil && doubtedAt - state.current.madeAt < Self.patience
            if let ahead = state.ahead, ahead.magnitude > Self.tolerance {
                state.problem = CredentialError(.clockWrong, clockAhead: ahead)
            } else if wasNeverGood || time - doubtedAt >= Self.patience {
                state.problem = CredentialError(.clockWrong)
            }
            return expired
        }
    }

    /// The token before this one, after Apple said that they change too often: while it is good, at most 58 minutes.
    package func earlierToken(insteadOf token: Secret) -> Secret {
        state.withLock { state in
            guard state.current.text == token, !state.isEarlier, let earlier = state.other,
                age(of: earlier) < Self.latestAge, !isStale(earlier, Self.latestAge)
            else { return state.current.text }
            (state.current, state.other, state.isEarlier) = (earlier, state.current, true)
            return earlier.text
        }
    }

    /// Why Apple takes no token that is made here: this machine's clock is wrong, as far as that is known; nil while all
    /// is well.
    package var problem: CredentialError? { state.withLock(\.problem) }

    /// Hears the `Date` header of an answer of Apple's, which tells whether this machine's clock is right.
    package func note(date header: String) {
        guard let date = Instant(httpDate: header) else { return }
        let ahead = now() - date
        state.withLock { $0.ahead = ahead }
    }

    /// The key's id; never a token.
    package var description: String { "ProviderTokenSource(key \(keyID) of team \(teamID))" }

    private func age(of token: Token) -> Duration { uptime() - token.madeAt }

    /// Whether the token is so old by the machine's clock, which was then set forward after the token was made.
    private func isStale(_ token: Token, _ age: Duration) -> Bool { now() - token.issuedAt >= age }

    /// Makes another token; the one that is there stays when that fails.
    private func renew(_ state: inout State) {
        let issuedAt = now()
        do throws(CredentialError) {
            let text = try ProviderToken.signed(with: key, teamID: teamID, keyID: keyID, issuedAt: issuedAt.seconds)
            state.other = state.current
            state.current = Token(text: text, issuedAt: issuedAt, madeAt: uptime(), doubtedAt: nil)
            (state.isEarlier, state.problem) = (false, nil)
        } catch {
            state.problem = error
        }
    }
}

extension Duration {
    /// Its length, whichever way it goes.
    var magnitude: Duration { self < .zero ? .zero - self : self }
}
