package import Base
internal import Crypto
internal import FoundationEssentials
package import Push
internal import SwiftASN1
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

/// Provides a credential's bearer token, one for all connections, workers and batches.
///
/// Implements Apple's rule that a token is renewed every 20 to 60 minutes
/// (docs/background/apple/credentials.md#provider-tokens). Called on the sender's thread, so it must seldom block.
package protocol ProviderTokenProviding: Sendable {
    /// The token to use now: the part after `bearer `, printable ASCII without spaces.
    func token() -> Secret

    /// Returns the token to use after Apple called one expired; the same token when it cannot be renewed yet.
    func renewedToken(insteadOf expired: Secret) -> Secret

    /// Returns the token to go back to after Apple said that tokens change too often (`TooManyProviderTokenUpdates`).
    func earlierToken(insteadOf token: Secret) -> Secret

    /// Why no other token can be had for the moment; nil when a refused token says something of the credential.
    var outage: String? { get }
}

extension ProviderTokenProviding {
    /// Tokens are signed here: nothing can be away.
    package var outage: String? { nil }
}

/// One provider token: a JSON Web Token that Apple accepts for an hour.
///
/// Source: docs/background/apple/credentials.md#provider-tokens: only ES256, the signature raw (RFC 7518, 3.4),
/// everything base64url without padding.
package enum ProviderToken {
    /// Signs a token.
    ///
    /// - Parameters:
    ///   - key: the team's key.
    ///   - teamID: 10 characters.
    ///   - keyID: 10 characters.
    ///   - issuedAt: seconds since 1970.
    /// - Returns: the JWT, signed with ES256.
    /// - Throws: `libraryFailure`.
    package static func signed(
        with key: SigningKey, teamID: String, keyID: String, issuedAt: Int64
    ) throws(CredentialError) -> Secret {
        let header: JSONValue = ["alg": "ES256", "kid": .string(keyID)]
        let claims: JSONValue = ["iss": .string(teamID), "iat": .integer(issuedAt)]
        return try signed(header, claims, by: key.signature(of:))
    }

    /// Signs any service's JSON Web Token.
    ///
    /// - Throws: what the signing throws.
    static func signed(
        _ header: JSONValue, _ claims: JSONValue, by sign: ([UInt8]) throws(CredentialError) -> [UInt8]
    ) throws(CredentialError) -> Secret {
        let message = header.canonicalBytes.base64URL + "." + claims.canonicalBytes.base64URL
        let signature = try sign(Array(message.utf8))
        return Secret(message + "." + signature.base64URL)
    }
}

/// A team's key for signing provider tokens: a `.p8` file, PKCS#8 PEM on the curve P-256.
///
/// Source: "Establishing a token-based connection to APNs",
/// https://developer.apple.com/documentation/usernotifications/
package struct SigningKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// SHA-256 of the public key's DER (SubjectPublicKeyInfo), 64 lower-case hexadecimal digits.
    package let fingerprint: String

    private let key: P256.Signing.PrivateKey

    /// Reads a `.p8` file.
    /// - Throws: `keyNotPEM`, `keyNotPKCS8`, `keyEncrypted`, `keyNotP256` or `keyDamaged`.
    package static func read(_ bytes: [UInt8]) throws(CredentialError) -> SigningKey {
        guard bytes.count <= CredentialFile.maximumSize, PEMBlock.isPEM(bytes) else {
            throw CredentialError(.keyNotPEM)
        }
        let blocks = PEMBlock.blocks(in: bytes)
        if blocks.contains(where: { $0.label == "ENCRYPTED PRIVATE KEY" || $0.isTraditionallyEncrypted }) {
            throw CredentialError(.keyEncrypted)
        }
        guard let block = blocks.first(where: { $0.label == "PRIVATE KEY" }) else {
            throw CredentialError(.keyNotPKCS8)
        }
        guard let der = block.der, let curve = try? PKCS8Algorithm(derEncoded: der) else {
            throw CredentialError(.keyDamaged)
        }
        guard curve.isP256 else { throw CredentialError(.keyNotP256) }
        guard let key = try? P256.Signing.PrivateKey(derRepresentation: der) else {
            throw CredentialError(.keyDamaged)
        }
        return SigningKey(key)
    }

    private init(_ key: P256.Signing.PrivateKey) {
        self.key = key
        fingerprint = SHA256.hash(data: key.publicKey.derRepresentation).hexadecimal
    }

    /// Signs a message with ES256: the raw r and s, 32 bytes each, as a JSON Web Token requires (RFC 7518, 3.4).
    /// - Throws: `libraryFailure`.
    package func signature(of message: [UInt8]) throws(CredentialError) -> [UInt8] {
        guard let signature = try? key.signature(for: message) else { throw CredentialError(.libraryFailure) }
        return Array(signature.rawRepresentation)
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.fingerprint == rhs.fingerprint }

    package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    /// The fingerprint; never the key.
    package var description: String { "SigningKey(sha256:\(fingerprint))" }

    /// Only the fingerprint, so that `dump` and reflection do not reach the key.
    package var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint]) }
}

/// The outer structure of PKCS#8 (RFC 5208): version, algorithm and key bytes.
private struct PKCS8Algorithm: DERParseable {
    let isP256: Bool

    init(derEncoded node: ASN1Node) throws {
        isP256 = try DER.sequence(node, identifier: .sequence) { nodes in
            _ = try Int(derEncoded: &nodes)
            guard let algorithm = nodes.next() else { return false }
            let isP256 = try DER.sequence(algorithm, identifier: .sequence) { algorithm in
                let oid = try ASN1ObjectIdentifier(derEncoded: &algorithm)
                let parameters = algorithm.next()
                while algorithm.next() != nil {}
                guard oid == .AlgorithmIdentifier.idEcPublicKey, let parameters else { return false }
                return (try? ASN1ObjectIdentifier(derEncoded: parameters)) == .NamedCurves.secp256r1
            }
            _ = try ASN1OctetString(derEncoded: &nodes)
            while nodes.next() != nil {}
            return isP256
        }
    }
}
