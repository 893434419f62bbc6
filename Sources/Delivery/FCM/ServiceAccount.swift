internal import Base
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials

/// A Google service account: who it is, and the key that it signs with.
///
/// Source: docs/background/android.md#fcm-credentials.
package struct ServiceAccount: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The project whose devices it pushes to.
    package let project: String
    /// The account's address, which names it.
    package let email: String
    /// SHA-256 of the public key, 64 lower-case hexadecimal digits.
    package let fingerprint: String
    /// The address that gives it access tokens.
    let tokenAddress: String

    private let keyID: String
    private let key: _RSA.Signing.PrivateKey

    /// What it may do with an access token.
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The life of what it signs.
    static let life: Int64 = 3600

    /// Reads Google's JSON.
    ///
    /// - Throws: `accountDamaged` when it is not the key of a service account, `keyDamaged` when its key cannot be used.
    package static func read(_ bytes: [UInt8]) throws(CredentialError) -> ServiceAccount {
        guard bytes.count <= CredentialFile.maximumSize, let json = try? JSONValue(parsing: bytes),
            json["type"] == "service_account", let project = text(json, "project_id"), isName(project),
            let email = text(json, "client_email"), let address = text(json, "token_uri"),
            address.hasPrefix("https://"), let pem = text(json, "private_key")
        else { throw CredentialError(.accountDamaged) }
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem), key.keySizeInBits >= 2048 else {
            throw CredentialError(.keyDamaged)
        }
        return ServiceAccount(project, email, text(json, "private_key_id") ?? "", address, key)
    }

    private init(_ project: String, _ email: String, _ keyID: String, _ address: String, _ key: _RSA.Signing.PrivateKey)
    {
        (self.project, self.email, self.keyID) = (project, email, keyID)
        (tokenAddress, self.key) = (address, key)
        fingerprint = SHA256.hash(data: key.publicKey.derRepresentation).hexadecimal
    }

    private static func text(_ json: JSONValue, _ name: String) -> String? {
        json[name]?.string.flatMap { $0.isEmpty || $0.utf8.count > 8192 ? nil : $0 }
    }

    /// True for the id of a project, which stands in a path.
    private static func isName(_ project: String) -> Bool {
        project.utf8.count <= 64
            && project.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
            }
    }

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
        return try ProviderToken.signed(header, claims) { (bytes: [UInt8]) throws(CredentialError) in
            guard let signature = try? key.signature(for: bytes, padding: .insecurePKCS1v1_5) else {
                throw CredentialError(.libraryFailure)
            }
            return Array(signature.rawRepresentation)
        }
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        (lhs.project, lhs.email, lhs.fingerprint) == (rhs.project, rhs.email, rhs.fingerprint)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    /// The account; never its key.
    package var description: String { "ServiceAccount(\(email))" }

    /// Only the account, so that `dump` and reflection do not reach the key.
    package var customMirror: Mirror { Mirror(self, children: ["email": email]) }
}
