internal import Base
internal import HTTP
internal import Push

/// Asks Google for access tokens of a service account.
///
/// Source: docs/background/android.md#fcm-credentials.
struct GoogleTokens: Sendable {
    let account: ServiceAccount
    /// The address to ask, if another than the account's own.
    let address: String?
    let http: any HTTPExchanging
    let timeout: Duration
    /// The machine's clock.
    let now: @Sendable () -> Instant

    /// A new token.
    ///
    /// - Throws: ``SenderError`` that says why there is none.
    func fetch() async throws(SenderError) -> AccessToken? {
        let assertion: Secret
        do throws(CredentialError) {
            assertion = try account.assertion(issuedAt: now().seconds)
        } catch {
            throw SenderError(error.description)
        }
        let form =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + assertion.revealedText
        let answer: HTTPResponse
        do throws(TransportError) {
            // Asking twice does no harm: each answer is a token of its own.
            answer = try await http.exchange(
                HTTPRequest(
                    .post, address ?? account.tokenAddress,
                    headers: [("Content-Type", "application/x-www-form-urlencoded")], body: Array(form.utf8),
                    timeout: timeout, repetition: .repeatable))
        } catch {
            throw SenderError(
                "no access token: \(error.brief)", isOfTheMachine: error.code == .internalFailure,
                isTransient: error.code != .internalFailure)
        }
        let json = try? JSONValue(parsing: answer.body)
        if answer.status == 200, let life = json?["expires_in"]?.integer,
            let token = AccessToken(json?["access_token"], seconds: min(life, ServiceAccount.life))
        {
            return token
        }
        throw SenderError(refusal(answer, json), isTransient: answer.status >= 500 || answer.status == 429)
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
