package import Base
internal import FoundationEssentials

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
        let message = base64url(header.canonicalBytes) + "." + base64url(claims.canonicalBytes)
        return Secret(message + "." + base64url(try key.signature(of: Array(message.utf8))))
    }

    /// Base64url as in RFC 4648, section 5, without padding.
    private static func base64url(_ bytes: [UInt8]) -> String {
        var text = ""
        for character in Data(bytes).base64EncodedString() {
            switch character {
            case "+": text.append("-")
            case "/": text.append("_")
            case "=": break
            default: text.append(character)
            }
        }
        return text
    }
}
