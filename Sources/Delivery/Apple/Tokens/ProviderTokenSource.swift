package import Base
package import Push
internal import Synchronization

/// The provider token of one key, shared by all its connections and senders.
///
/// A token is renewed after 50 minutes: Apple accepts none older than 60, and no second one within 20 on a connection
/// (docs/background/apple/credentials.md#provider-tokens). Its age is measured by a monotonic clock; the time it bears
/// is the machine's.
package final class ProviderTokenSource: ProviderTokenProviding, CustomStringConvertible {
    /// The age at which a token is replaced unprompted.
    package static let renewalAge = Duration.seconds(50 * 60)
    /// The greatest age of a token that is used again because tokens changed too often.
    package static let latestAge = Duration.seconds(58 * 60)
    /// The least age of a token before it may be replaced.
    package static let youngestRenewal = Duration.seconds(20 * 60)
    /// The clock error that goes unnoticed.
    package static let tolerance = Duration.seconds(5 * 60)
    /// The time for which a good token still counts as good although Apple calls it expired: a connection can be stuck,
    /// and a new one cures it (docs/background/apple/service.md#connections).
    package static let patience = Duration.seconds(60)

    private let key: SigningKey
    private let teamID: String
    private let keyID: String
    private let now: @Sendable () -> Instant
    private let uptime: @Sendable () -> Duration
    private let state: Mutex<State>

    private struct State {
        var current: Token
        /// The previous token; after a return to it, the one to come back to.
        var other: Token?
        /// True after a return to an earlier token, which is now ``current``.
        var isEarlier = false
        /// The time by which this machine's clock is ahead of Apple's; nil until an answer tells.
        var ahead: Duration?
        /// The reason Apple accepts no token from here.
        var problem: CredentialError?
    }

    private struct Token {
        let text: Secret
        let issuedAt: Instant
        let madeAt: Duration
        /// The time when Apple first called it expired.
        var doubtedAt: Duration?
    }

    /// Creates the source of one key's tokens and signs the first one.
    ///
    /// - Parameters:
    ///   - key: the team's key.
    ///   - teamID: 10 characters.
    ///   - keyID: 10 characters.
    ///   - now: the machine's clock.
    ///   - uptime: a monotonic clock with any start; by default the time since the source was created.
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

    /// Returns the token to use after Apple said that this one has expired.
    ///
    /// The same token is returned when it should still be good: the connection may be stuck, and the token is to be
    /// sent on a new one. If the answer stays the same, ``problem`` says why.
    package func renewedToken(insteadOf expired: Secret) -> Secret {
        state.withLock { state in
            // Another request was told so before, and the token is already replaced.
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

    /// The previous token, after Apple said that tokens change too often; only while it is good, at most 58 minutes.
    package func earlierToken(insteadOf token: Secret) -> Secret {
        state.withLock { state in
            guard state.current.text == token, !state.isEarlier, let earlier = state.other,
                age(of: earlier) < Self.latestAge, !isStale(earlier, Self.latestAge)
            else { return state.current.text }
            (state.current, state.other, state.isEarlier) = (earlier, state.current, true)
            return earlier.text
        }
    }

    /// The reason Apple accepts no token made here: this machine's clock is wrong, as far as known; nil while all is
    /// well.
    package var problem: CredentialError? { state.withLock(\.problem) }

    /// Reads the `Date` header of an answer from Apple, which shows whether this machine's clock is right.
    package func note(date header: String) {
        guard let date = Instant(httpDate: header) else { return }
        let ahead = now() - date
        state.withLock { $0.ahead = ahead }
    }

    /// The key's id; never a token.
    package var description: String { "ProviderTokenSource(key \(keyID) of team \(teamID))" }

    private func age(of token: Token) -> Duration { uptime() - token.madeAt }

    /// True when the token is that old by the machine's clock: it was set forward after the token was made.
    private func isStale(_ token: Token, _ age: Duration) -> Bool { now() - token.issuedAt >= age }

    /// Signs another token; if that fails, the current one stays.
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
    /// The absolute length.
    var magnitude: Duration { self < .zero ? .zero - self : self }
}
