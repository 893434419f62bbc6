internal import Base
internal import Crypto
internal import CryptoExtras

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
            let claims = Self.json(parts[1]), let signature = Base64URL.bytes(parts[2])
        else { return nil }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        signed = Array((parts[0] + "." + parts[1]).utf8)
    }

    func isSigned(by key: _RSA.Signing.PublicKey, padding: _RSA.Signing.Padding) -> Bool {
        key.isValidSignature(_RSA.Signing.RSASignature(rawRepresentation: signature), for: signed, padding: padding)
    }

    private static func json(_ part: Substring) -> JSONValue? {
        Base64URL.bytes(part).flatMap { try? JSONValue(parsing: $0) }
    }
}
