package import Base
internal import Crypto
internal import CryptoExtras

/// A project of Huawei's with the service account that pushes to its devices with HarmonyOS NEXT.
package struct HarmonyProject: Sendable {
    /// The project's id, digits.
    package let id: String
    private let keyID: String
    private let name: String
    private let publicKey: _RSA.Signing.PublicKey

    private static let audience = "https://oauth-login.cloud.huawei.com/oauth2/v3/token"
    /// The longest life of a token.
    private static let life: Int64 = 86_400

    /// Creates a project with a new key; returns the account's file as Huawei writes it.
    ///
    /// - Throws: swift-crypto's error when no key can be made.
    package static func make(id: String) throws -> (project: HarmonyProject, account: JSONValue) {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let account: JSONValue = [
            "project_id": .string(id), "key_id": "key-1", "sub_account": .string("account-\(id)"),
            "private_key": .string(key.pkcs8PEMRepresentation),
        ]
        return (try HarmonyProject(account: account), account)
    }

    /// Reads a project from its account's file.
    ///
    /// - Throws: swift-crypto's error when the file's key is none.
    package init(account: JSONValue) throws {
        func text(_ name: String) -> String { account[name]?.string ?? "" }
        (id, keyID, name) = (text("project_id"), text("key_id"), text("sub_account"))
        publicKey = try _RSA.Signing.PrivateKey(pemRepresentation: text("private_key")).publicKey
    }

    /// The code with which Huawei refuses a token at a time, in seconds of UNIX time; nil for a good one.
    func fault(of token: Substring, at now: Int64) -> String? {
        guard let token = WebToken(token), token.header["alg"] == "PS256", token.header["kid"]?.string == keyID,
            token.claims["iss"]?.string == name, token.claims["aud"]?.string == Self.audience,
            let issued = token.claims["iat"]?.integer, let end = token.claims["exp"]?.integer, issued - now < 300,
            token.isSigned(by: publicKey, padding: .PSS)
        else { return "80200001" }
        if end - issued > Self.life { return "80300036" }
        return end > now ? nil : "80200005"
    }
}
