package import Base
internal import Dispatch
internal import Synchronization

/// An access token, as a service gives it.
struct AccessToken: Sendable {
    let text: Secret
    /// How long it is good.
    let life: Duration

    /// Reads a token; nil for a text that may not stand in a header, or without a life.
    init?(_ text: JSONValue?, seconds: Int64?) {
        guard let text = text?.string, !text.isEmpty, text.utf8.count <= 8192,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let seconds, seconds > 0
        else { return nil }
        self.text = Secret(text)
        life = .seconds(min(seconds, 86_400))
    }
}

/// The access token of an account, shared by all its senders: asked for once, kept, and renewed before it expires.
///
/// However many senders need a token at once, one renewal is under way. Source: docs/background/android.md#fcm-credentials.
package final class AccessTokenSource: ProviderTokenProviding, CustomStringConvertible {
    /// The time before its end at which a token is replaced.
    static let early = Duration.seconds(300)
    /// The least time between two renewals: whoever is refused a token younger than this has another fault.
    static let spacing = Duration.seconds(30)

    private let account: String
    private let fetch: @Sendable () async throws(SenderError) -> AccessToken?
    private let uptime: @Sendable () -> Duration
    private let patience: DispatchTimeInterval
    private let state = Mutex(State())

    private struct State {
        var token: Token?
        var needsNone = false
        var renewal: Task<SenderError?, Never>?
        /// Why the last renewal failed; nil when it did not.
        var failure: SenderError?
        /// When a sender's thread waited for another token in vain: not each request that is refused waits again.
        var waitedAt: Duration?
    }

    private struct Token {
        let text: Secret
        let madeAt: Duration
        let life: Duration

        /// The age at which it is replaced.
        var renewalAge: Duration { life - min(early, life / 4) }
    }

    /// Creates a source without a token.
    ///
    /// - Parameters:
    ///   - account: the account, for people.
    ///   - uptime: a monotonic clock with any start; by default the time since the source was created.
    ///   - patience: the longest that a sender's thread waits for a token in place of a refused one.
    ///   - fetch: asks the service; nil where none is needed.
    init(
        of account: String, uptime: (@Sendable () -> Duration)? = nil,
        patience: DispatchTimeInterval = .seconds(15),
        _ fetch: @escaping @Sendable () async throws(SenderError) -> AccessToken?
    ) {
        let start = ContinuousClock.now
        (self.account, self.fetch, self.patience) = (account, fetch, patience)
        self.uptime = uptime ?? { ContinuousClock.now - start }
    }

    /// Makes sure that there is a token.
    ///
    /// - Throws: ``SenderError`` when the service gives none.
    func prepare() async throws(SenderError) {
        let renewal = renewal { state in
            !state.needsNone && state.token.map { age(of: $0) >= $0.renewalAge } ?? true
        }
        // A token that is due for renewal is still good.
        if let error = await renewal?.value, state.withLock({ $0.token.map { age(of: $0) >= $0.life } ?? true }) {
            throw error
        }
    }

    package func token() -> Secret {
        let token = state.withLock(\.token)
        // For each request: the lock is taken again only for a renewal.
        if isDue(token) { _ = renewal { isDue($0.token) } }
        return token?.text ?? Secret("none")
    }

    /// Replaces a token that was refused; false when it is so new that another would be refused too, or there is none.
    func replace(_ refused: Secret) async -> Bool {
        guard let renewal = replacement(of: refused) else { return token() != refused }
        return await renewal.value == nil && token() != refused
    }

    /// Waits for another token, unless this one is already replaced or so new that another would be refused too.
    package func renewedToken(insteadOf expired: Secret) -> Secret {
        guard let renewal = replacement(of: expired) else { return token() }
        let done = DispatchSemaphore(value: 0)
        Task {
            _ = await renewal.value
            done.signal()
        }
        // This is the sender's own thread; what is under way elsewhere goes on.
        _ = done.wait(timeout: .now() + patience)
        let token = token()
        if token == expired { state.withLock { $0.waitedAt = uptime() } }
        return token
    }

    package func earlierToken(insteadOf token: Secret) -> Secret { token }

    package var outage: String? {
        state.withLock { $0.failure }.flatMap { $0.isTransient ? $0.description : nil }
    }

    /// The account; never a token.
    package var description: String { "AccessTokenSource(\(account))" }

    /// The renewal that replaces a token that was refused; nil when there is to be none.
    private func replacement(of refused: Secret) -> Task<SenderError?, Never>? {
        renewal { state in
            if let waitedAt = state.waitedAt, uptime() - waitedAt < Self.spacing { return false }
            return state.token.map { $0.text == refused && age(of: $0) >= Self.spacing } ?? false
        }
    }

    private func age(of token: Token) -> Duration { uptime() - token.madeAt }

    private func isDue(_ token: Token?) -> Bool { token.map { age(of: $0) >= $0.renewalAge } ?? false }

    /// The renewal under way, or a new one, if one is needed; its value is what went wrong.
    ///
    /// Whether it is needed is asked under the lock: between a look and the renewal another one may have ended.
    private func renewal(if isNeeded: (State) -> Bool) -> Task<SenderError?, Never>? {
        state.withLock { state in
            guard isNeeded(state) else { return nil }
            if let renewal = state.renewal { return renewal }
            let renewal = Task { await self.renew() }
            state.renewal = renewal
            return renewal
        }
    }

    private func renew() async -> SenderError? {
        let asked = uptime()
        let result: Result<AccessToken?, SenderError>
        do throws(SenderError) {
            result = .success(try await fetch())
        } catch {
            result = .failure(error)
        }
        return state.withLock { state in
            (state.renewal, state.failure) = (nil, nil)
            switch result {
            case .success(let token?): state.token = Token(text: token.text, madeAt: asked, life: token.life)
            case .success(nil): state.needsNone = true
            case .failure(let error): state.failure = error
            }
            return state.failure
        }
    }
}
