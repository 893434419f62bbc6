internal import Base
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials

/// A team's signing key, as registered with Apple (docs/background/apple/credentials.md#provider-tokens).
package struct ProviderKey: Sendable {
    /// The key id, ten characters.
    package let id: String
    /// The team id, ten characters.
    package let team: String
    let publicKey: P256.Signing.PublicKey
    /// The bundle ids the key may push to; nil for all of its team.
    package var topics: Set<String>?
    /// The environments the key is valid in; a key of the older kind is valid in both.
    package var environments: Set<SimulatedEnvironment> = [.development, .production]
    /// The ids of the keys that may share a connection with this one.
    package var related: Set<String> = []

    /// True if the key may push to a topic, with or without a suffix.
    func allows(topic: String) -> Bool {
        guard let topics else { return true }
        return topics.contains(topic) || topics.contains(PushKind.bundle(of: topic))
    }
}

/// The private half of a ``ProviderKey``, for the `.p8` file and for tests.
package struct ProviderSigningKey: Sendable {
    /// The key id, ten characters.
    package let id: String
    /// The team id, ten characters.
    package let team: String
    private let key: P256.Signing.PrivateKey

    /// Creates a new key.
    package init(id: String = Self.makeID(), team: String = Self.makeID()) {
        self.id = id
        self.team = team
        key = P256.Signing.PrivateKey()
    }

    /// Reads a key from the text of a `.p8` file.
    ///
    /// - Throws: swift-crypto's error when the text is not a P-256 key in PEM.
    package init(id: String, team: String, pem: String) throws {
        self.id = id
        self.team = team
        key = try P256.Signing.PrivateKey(pemRepresentation: pem)
    }

    /// The key as PKCS#8 in PEM, as in `AuthKey_<id>.p8`.
    package var pem: String { key.pemRepresentation + "\n" }

    /// The public half, for registration.
    package var registered: ProviderKey { ProviderKey(id: id, team: team, publicKey: key.publicKey) }

    /// The form of a provider token; tests break one part at a time.
    package struct TokenForm: Sendable {
        /// The header's `alg`.
        package var algorithm = "ES256"
        /// The header's `kid`; nil for the key's.
        package var keyID: String?
        /// The claim `iss`; nil for the key's team.
        package var team: String?
        /// True for a DER signature, as Apple's shell recipe makes it, instead of r and s.
        package var isDER = false
    }

    /// Creates a signed provider token; `issuedAt` is its `iat`, in seconds of UNIX time.
    ///
    /// - Throws: swift-crypto's error when signing fails.
    package func token(issuedAt: Int64, _ form: TokenForm = .init()) throws -> String {
        let header = #"{"alg":"\#(form.algorithm)","kid":"\#(form.keyID ?? id)"}"#
        let claims = #"{"iss":"\#(form.team ?? team)","iat":\#(issuedAt)}"#
        let signed = Array(header.utf8).base64URL + "." + Array(claims.utf8).base64URL
        let signature = try key.signature(for: Array(signed.utf8))
        return signed + "."
            + Array(form.isDER ? signature.derRepresentation : signature.rawRepresentation).base64URL
    }

    /// Ten random capital letters and digits, in the form of Apple's ids.
    package static func makeID() -> String {
        String((0..<10).map { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement() ?? "A" })
    }
}

/// A JSON Web Token, taken apart but not believed.
struct WebToken {
    let header: JSONValue
    let claims: JSONValue
    let signed: [UInt8]
    let signature: [UInt8]

    /// Parses a token; nil when it is none.
    init?(_ text: some StringProtocol) {
        let parts = Substring(text).split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 4096, parts.count == 3, let header = Self.json(parts[0]),
            let claims = Self.json(parts[1]), let signature = Self.bytes(parts[2])
        else { return nil }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        signed = Array((parts[0] + "." + parts[1]).utf8)
    }

    func isSigned(by key: _RSA.Signing.PublicKey, padding: _RSA.Signing.Padding) -> Bool {
        key.isValidSignature(_RSA.Signing.RSASignature(rawRepresentation: signature), for: signed, padding: padding)
    }

    private static func json(_ part: Substring) -> JSONValue? {
        bytes(part).flatMap { try? JSONValue(parsing: $0) }
    }

    /// The decoded bytes; nil when the text is not base64url without padding (RFC 4648, section 5).
    private static func bytes(_ text: Substring) -> [UInt8]? {
        var plain = ""
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "-"): plain.append("+")
            case UInt8(ascii: "_"): plain.append("/")
            case _ where character.isLetterOrDigit: plain.unicodeScalars.append(UnicodeScalar(character))
            default: return nil
            }
        }
        plain += String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return Data(base64Encoded: plain).map(Array.init)
    }
}

/// A provider token with a verified signature.
struct ProviderToken {
    let text: String
    let key: ProviderKey
    /// `iat`, in seconds of UNIX time.
    let issuedAt: Int64

    /// The life of a token in seconds, and the most its issue time may lie ahead
    /// (docs/background/apple/credentials.md#provider-tokens).
    static let life: Int64 = 3600

    /// Parses a token and verifies it against the registered keys.
    ///
    /// Source: docs/background/apple/credentials.md#provider-tokens: ES256 only; the signature is r and s, or DER as
    /// Apple's own recipe makes it; `iat` is in seconds.
    init(_ text: String, keys: [String: ProviderKey]) throws(Refusal) {
        guard let token = WebToken(text), token.header["alg"]?.string == "ES256",
            let id = token.header["kid"]?.string, let key = keys[id], token.claims["iss"]?.string == key.team,
            let issuedAt = token.claims["iat"]?.integer, issuedAt > 0,
            Self.isValid(token.signature, of: token.signed, key.publicKey)
        else { throw Refusal(.invalidProviderToken) }
        self.text = text
        self.key = key
        self.issuedAt = issuedAt
    }

    /// True if the issue time is more than an hour from now, either way.
    func isExpired(at seconds: Int64) -> Bool { abs(seconds - issuedAt) > Self.life }

    private static func isValid(_ signature: [UInt8], of signed: [UInt8], _ key: P256.Signing.PublicKey) -> Bool {
        let parsed =
            signature.count == 64
            ? try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            : try? P256.Signing.ECDSASignature(derRepresentation: signature)
        return parsed.map { key.isValidSignature($0, for: signed) } ?? false
    }
}
