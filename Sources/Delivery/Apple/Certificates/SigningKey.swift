internal import Crypto
internal import Base
internal import SwiftASN1

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
