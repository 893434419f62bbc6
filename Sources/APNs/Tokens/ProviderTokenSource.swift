package import Diagnostics
package import PushModel
internal import Synchronization

/// The provider token of one key, shared by all of its connections and all that send with it.
///
/// A token is renewed after 50 minutes: Apple takes none that is older than 60, and no second one within 20 on a
/// connection (apns.md, A8). Its age is measured by a clock that nobody sets; the time it bears is the machine's.
package final class ProviderTokenSource: ProviderTokenProviding, CustomStringConvertible {
    /// When a token is replaced without being asked.
    package static let renewalAge = Duration.seconds(50 * 60)
    /// The age from which another token may be made on the same connection.
    package static let youngestRenewal = Duration.seconds(20 * 60)
    /// By how much a clock may be off unnoticed.
    package static let tolerance = Duration.seconds(5 * 60)
    /// For how long a token that was good is taken for good although Apple says that it expired: a connection can be
    /// stuck, and a new one cures it (apns.md, A2).
    package static let patience = Duration.seconds(60)

    private let key: SigningKey
    private let teamID: String
    private let keyID: String
    private let now: @Sendable () -> Instant
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())

    private struct State {
        var current: Token?
        /// By how much this machine's clock is ahead of Apple's; nil while no answer told it.
        var ahead: Duration?
    }

    private struct Token {
        let text: Secret
        let issuedAt: Instant
        let madeAt: Duration
        /// Whether another one was used before it.
        let isLater: Bool
        /// When Apple first said that it had expired.
        var doubtedAt: Duration?
    }

    /// Makes the source of one key's tokens.
    ///
    /// - Parameters:
    ///   - now: the machine's clock.
    ///   - uptime: a clock that only runs on, from any start; by default the time since the source was made.
    package init(
        key: SigningKey, teamID: String, keyID: String, now: @escaping @Sendable () -> Instant,
        uptime: (@Sendable () -> Duration)? = nil
    ) {
        self.key = key
        self.teamID = teamID
        self.keyID = keyID
        self.now = now
        let start = ContinuousClock.now
        self.uptime = uptime ?? { ContinuousClock.now - start }
    }

    /// The bearer token to send now: the same one until it is 50 minutes old.
    ///
    /// - Throws: `libraryFailure`.
    package func token() throws(CredentialError) -> Secret {
        try state.withLock { state throws(CredentialError) in
            if let token = state.current, age(of: token) < Self.renewalAge, !isStale(token) { return token.text }
            return try renew(&state)
        }
    }

    /// Another token, after Apple said that this one has expired.
    ///
    /// It is nil when the token should still be good: the connection may be stuck, and the same token is to be sent on
    /// a new one.
    /// - Throws: `clockWrong` when the token is too young to have expired, `libraryFailure`.
    package func replacement(for token: Secret) throws(CredentialError) -> Secret? {
        try state.withLock { state throws(CredentialError) in
            guard let current = state.current else { return try renew(&state) }
            // Another request was told so before, and it is replaced already.
            if current.text != token { return current.text }
            if age(of: current) >= Self.youngestRenewal || isStale(current) { return try renew(&state) }
            if let ahead = state.ahead, ahead.magnitude > Self.tolerance {
                throw CredentialError(.clockWrong, clockAhead: ahead)
            }
            let time = uptime()
            let doubtedAt = current.doubtedAt ?? time
            state.current?.doubtedAt = doubtedAt
            let wasNeverGood = !current.isLater && doubtedAt - current.madeAt < Self.patience
            if wasNeverGood || time - doubtedAt >= Self.patience { throw CredentialError(.clockWrong) }
            return nil
        }
    }

    /// Hears the `Date` header of an answer of Apple's, which tells whether this machine's clock is right.
    package func note(date header: String) {
        guard let date = Instant(httpDate: header) else { return }
        let ahead = now() - date
        state.withLock { $0.ahead = ahead }
    }

    /// By how much this machine's clock is wrong, if an answer told it and it is more than 5 minutes: above zero when
    /// it is ahead of Apple's.
    package var clockError: Duration? {
        state.withLock(\.ahead).flatMap { $0.magnitude > Self.tolerance ? $0 : nil }
    }

    /// The key's id; never a token.
    package var description: String { "ProviderTokenSource(key \(keyID) of team \(teamID))" }

    private func age(of token: Token) -> Duration { uptime() - token.madeAt }

    /// Whether the time in the token is past by the machine's clock, which was then set after the token was made.
    private func isStale(_ token: Token) -> Bool { now() - token.issuedAt > Self.renewalAge }

    private func renew(_ state: inout State) throws(CredentialError) -> Secret {
        let issuedAt = now()
        let text = Secret(
            try ProviderToken.signed(with: key, teamID: teamID, keyID: keyID, issuedAt: issuedAt.seconds))
        state.current = Token(
            text: text, issuedAt: issuedAt, madeAt: uptime(), isLater: state.current != nil, doubtedAt: nil)
        return text
    }
}

extension Duration {
    /// Its length, whichever way it goes.
    var magnitude: Duration { self < .zero ? .zero - self : self }
}
