package import Base
internal import Dispatch
internal import HTTP
internal import Push
internal import Synchronization

/// The access token of a service account, shared by all its senders: asked for once, kept, and renewed before it expires.
///
/// However many senders need a token at once, one renewal is under way. Source: docs/background/android.md#fcm-credentials.
package final class AccessTokenSource: ProviderTokenProviding, CustomStringConvertible {
    /// The time before its end at which a token is replaced.
    static let early = Duration.seconds(300)
    /// The least time between two renewals: whoever is refused a token younger than this has another fault.
    static let spacing = Duration.seconds(30)
    /// The longest that a sender's thread waits for a token in place of a refused one.
    private static let patience = DispatchTimeInterval.seconds(15)

    private let account: ServiceAccount
    private let address: String
    private let http: any HTTPExchanging
    private let timeout: Duration
    private let now: @Sendable () -> Instant
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())

    private struct State {
        var token: Token?
        var renewal: Task<Result<Token, SenderError>, Never>?
    }

    private struct Token {
        let text: Secret
        let madeAt: Duration
        let life: Duration
    }

    /// Creates a source without a token.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - address: the address to ask, if another than the account's own.
    ///   - http: asks.
    ///   - timeout: the longest that an answer may take.
    ///   - now: the machine's clock.
    ///   - uptime: a monotonic clock with any start.
    init(
        _ account: ServiceAccount, at address: String?, http: any HTTPExchanging, timeout: Duration,
        now: @escaping @Sendable () -> Instant, uptime: (@Sendable () -> Duration)? = nil
    ) {
        let start = ContinuousClock.now
        (self.account, self.http, self.timeout, self.now) = (account, http, timeout, now)
        self.address = address ?? account.tokenAddress
        self.uptime = uptime ?? { ContinuousClock.now - start }
    }

    /// Makes sure that there is a token.
    ///
    /// - Throws: ``SenderError`` when the service gives none.
    func prepare() async throws(SenderError) {
        if let token = state.withLock(\.token), age(of: token) < token.life - Self.early { return }
        _ = try await renewal().value.get()
    }

    package func token() -> Secret {
        let token = state.withLock(\.token)
        if let token, age(of: token) >= token.life - Self.early { _ = renewal() }
        return token?.text ?? Secret("none")
    }

    /// Waits for another token, unless this one is already replaced or so new that another would be refused too.
    package func renewedToken(insteadOf expired: Secret) -> Secret {
        guard let token = state.withLock(\.token), token.text == expired, age(of: token) >= Self.spacing else {
            return self.token()
        }
        let (renewal, done) = (renewal(), DispatchSemaphore(value: 0))
        Task {
            _ = await renewal.value
            done.signal()
        }
        // This is the sender's own thread; what is under way elsewhere goes on.
        _ = done.wait(timeout: .now() + Self.patience)
        return self.token()
    }

    package func earlierToken(insteadOf token: Secret) -> Secret { token }

    /// The account; never a token.
    package var description: String { "AccessTokenSource(\(account.email))" }

    private func age(of token: Token) -> Duration { uptime() - token.madeAt }

    /// The renewal under way, or a new one.
    private func renewal() -> Task<Result<Token, SenderError>, Never> {
        state.withLock { state in
            if let renewal = state.renewal { return renewal }
            let renewal = Task {
                let result: Result<Token, SenderError>
                do throws(SenderError) {
                    result = .success(try await self.fetch())
                } catch {
                    result = .failure(error)
                }
                self.state.withLock { state in
                    if case .success(let token) = result { state.token = token }
                    state.renewal = nil
                }
                return result
            }
            state.renewal = renewal
            return renewal
        }
    }

    private func fetch() async throws(SenderError) -> Token {
        let asked = uptime()
        let assertion: Secret
        do throws(CredentialError) {
            assertion = try account.assertion(issuedAt: now().seconds)
        } catch {
            throw SenderError(error.description)
        }
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + assertion.revealedText
        let answer: HTTPResponse
        do throws(TransportError) {
            // Asking twice does no harm: each answer is a token of its own.
            answer = try await http.exchange(
                HTTPRequest(
                    .post, address, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                    body: Array(form.utf8), timeout: timeout, repetition: .repeatable))
        } catch {
            throw SenderError("no access token: \(error.brief)", isOfTheMachine: error.code == .internalFailure)
        }
        let json = try? JSONValue(parsing: answer.body)
        if answer.status == 200, let text = json?["access_token"]?.string, Self.isToken(text),
            let life = json?["expires_in"]?.integer, life > 0
        {
            return Token(text: Secret(text), madeAt: asked, life: .seconds(min(life, ServiceAccount.life)))
        }
        throw SenderError(refusal(answer, json))
    }

    /// True for a text that may stand in a header.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 8192 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private func refusal(_ answer: HTTPResponse, _ json: JSONValue?) -> String {
        if let date = answer.headers["date"].flatMap({ Instant(httpDate: $0) }) {
            let ahead = now() - date
            if ahead.magnitude > ProviderTokenSource.tolerance {
                return CredentialError.clock(ahead: ahead, of: "Google")
            }
        }
        let word = json?["error"]?.string.map(Refusal.printable) ?? ""
        let help = word == "invalid_grant" ? "; the account or its key was deleted" : ""
        return "Google gives \(account.email) no access token: \(answer.status) \(word)\(help)"
    }
}
