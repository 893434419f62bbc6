internal import Base
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
internal import HTTP
internal import Push

/// A Google service account: who it is, and the key that it signs with.
///
/// Source: docs/background/android.md#fcm-credentials.
package struct ServiceAccount: Sendable, Hashable {
    /// The project whose devices it pushes to.
    package let project: String
    /// The account's address, which names it.
    package let email: String
    /// The address that gives it access tokens.
    package let tokenAddress: String

    private let keyID: String
    private let key: AccountKey

    /// Google's own hosts that accounts name there, old ones too.
    package static let tokenHosts: Set<String> = ["accounts.google.com", "oauth2.googleapis.com", "www.googleapis.com"]

    /// What it may do with an access token.
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The life of what it signs.
    static let life: Int64 = 3600

    /// Reads Google's JSON.
    ///
    /// - Throws: `accountDamaged` when it is not the key of a service account, `keyDamaged` when its key cannot be used.
    package static func read(_ bytes: [UInt8]) throws(CredentialError) -> ServiceAccount {
        guard let file = AccountFile(bytes), file["type"] == "service_account", let project = file["project_id"],
            isName(project), let email = file["client_email"], let address = file["token_uri"],
            address.hasPrefix("https://"), let pem = file["private_key"]
        else { throw CredentialError(.accountDamaged) }
        return ServiceAccount(
            project: project, email: email, tokenAddress: address, keyID: file["private_key_id"] ?? "",
            key: try AccountKey(pem: pem))
    }

    /// True for the id of a project, which stands in a path.
    private static func isName(_ project: String) -> Bool {
        project.utf8.count <= 64 && project.utf8.allSatisfy { $0.isLowerOrDigit || "-:.".utf8.contains($0) }
    }

    /// SHA-256 of the public key, 64 lower-case hexadecimal digits.
    package var fingerprint: String { key.fingerprint }

    /// Signs the assertion that is exchanged for an access token: a JSON Web Token with RS256.
    ///
    /// - Throws: `libraryFailure`.
    func assertion(issuedAt: Int64) throws(CredentialError) -> Secret {
        var header: JSONValue = ["alg": "RS256", "typ": "JWT"]
        if !keyID.isEmpty { header["kid"] = .string(keyID) }
        let claims: JSONValue = [
            "iss": .string(email), "scope": .string(Self.scope), "aud": .string(tokenAddress),
            "iat": .integer(issuedAt), "exp": .integer(issuedAt + Self.life),
        ]
        return try key.token(header, claims, padding: .insecurePKCS1v1_5)
    }
}

// MARK: - Accounts of any service

/// The JSON file of a service account.
struct AccountFile {
    private let json: JSONValue

    /// Reads a file; nil for one that is no JSON.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= CredentialFile.maximumSize, let json = try? JSONValue(parsing: bytes) else { return nil }
        self.json = json
    }

    /// The text of a member; nil when it is absent, empty or absurdly long.
    subscript(name: String) -> String? {
        json[name]?.string.flatMap { $0.isEmpty || $0.utf8.count > 8192 ? nil : $0 }
    }
}

/// The RSA key of a service account, which signs its tokens.
struct AccountKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// SHA-256 of the public key, 64 lower-case hexadecimal digits.
    let fingerprint: String

    private let key: _RSA.Signing.PrivateKey

    /// Reads the key.
    ///
    /// - Throws: `keyDamaged` when it cannot be used.
    init(pem: String) throws(CredentialError) {
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem), key.keySizeInBits >= 2048 else {
            throw CredentialError(.keyDamaged)
        }
        self.key = key
        fingerprint = SHA256.hash(data: key.publicKey.derRepresentation).hexadecimal
    }

    /// Signs a JSON Web Token.
    ///
    /// - Throws: `libraryFailure`.
    func token(
        _ header: JSONValue, _ claims: JSONValue, padding: _RSA.Signing.Padding
    ) throws(CredentialError) -> Secret {
        try ProviderToken.signed(header, claims) { (bytes: [UInt8]) throws(CredentialError) in
            guard let signature = try? key.signature(for: bytes, padding: padding) else {
                throw CredentialError(.libraryFailure)
            }
            return Array(signature.rawRepresentation)
        }
    }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.fingerprint == rhs.fingerprint }

    func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    /// The fingerprint; never the key.
    var description: String { "AccountKey(sha256:\(fingerprint))" }

    /// Only the fingerprint, so that `dump` and reflection do not reach the key.
    var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint]) }
}

// MARK: - Access tokens

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
        // 200 without a token refuses nothing: a page from somewhere between is not Google's.
        let mayPass = answer.status >= 500 || [200, 429].contains(answer.status)
        throw SenderError(refusal(answer, json), isTransient: mayPass)
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
