internal import Crypto
internal import Base

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
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 4096, parts.count == 3, let header = Self.json(parts[0]),
            let claims = Self.json(parts[1]), let signature = Base64URL.bytes(parts[2]),
            header["alg"]?.string == "ES256", let id = header["kid"]?.string, let key = keys[id],
            claims["iss"]?.string == key.team, let issuedAt = claims["iat"]?.integer, issuedAt > 0
        else { throw Refusal(.invalidProviderToken) }
        let signed = Array((parts[0] + "." + parts[1]).utf8)
        guard Self.isValid(signature, of: signed, key.publicKey) else { throw Refusal(.invalidProviderToken) }
        self.text = text
        self.key = key
        self.issuedAt = issuedAt
    }

    /// True if the issue time is more than an hour from now, either way.
    func isExpired(at seconds: Int64) -> Bool { abs(seconds - issuedAt) > Self.life }

    private static func json(_ part: Substring) -> JSONValue? {
        Base64URL.bytes(part).flatMap { try? JSONValue(parsing: $0) }
    }

    private static func isValid(_ signature: [UInt8], of signed: [UInt8], _ key: P256.Signing.PublicKey) -> Bool {
        let parsed =
            signature.count == 64
            ? try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            : try? P256.Signing.ECDSASignature(derRepresentation: signature)
        return parsed.map { key.isValidSignature($0, for: signed) } ?? false
    }
}
