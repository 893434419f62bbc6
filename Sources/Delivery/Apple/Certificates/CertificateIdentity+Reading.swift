internal import Crypto
package import Base
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

extension CertificateIdentity {
    /// Reads a push certificate with its key.
    ///
    /// Reads Keychain's old encryptions (RC2, 3DES) as well as current ones.
    /// - Parameters:
    ///   - bytes: PKCS#12, or PEM with certificates and optionally the key, or one certificate as DER (`.cer`).
    ///   - passphrase: opens PKCS#12 and encrypted PEM keys, including `separateKey`; an empty one counts as none.
    ///   - separateKey: the key as PEM or DER; when given, keys in `bytes` are ignored.
    /// - Returns: the key with its certificate; of several certificates, the one that is valid longest.
    /// - Throws: `unsupportedFormat`, `damaged`, `noCertificate`, `noKey`, `severalKeys`, `keyMismatch`, `keyDamaged`,
    ///   `passphraseNeeded`, `wrongPassphrase`, `unsupportedEncryption`, `legacyProviderMissing` or `libraryFailure`.
    package static func read(
        _ bytes: [UInt8], passphrase: Secret?, separateKey: [UInt8]? = nil
    ) throws(CredentialError) -> CertificateIdentity {
        guard let library = OpenSSLLibrary.shared else { throw CredentialError(.libraryFailure) }
        return try read(bytes, passphrase: passphrase, separateKey: separateKey, library: library)
    }

    /// Same as above, with a library that may lack the `legacy` provider.
    static func read(
        _ bytes: [UInt8], passphrase: Secret?, separateKey: [UInt8]?, library: OpenSSLLibrary
    ) throws(CredentialError) -> CertificateIdentity {
        let phrase = passphrase.flatMap { $0.isEmpty ? nil : $0.revealedBytes }
        var file = try CredentialFile(bytes, passphrase: phrase, readsKeys: separateKey == nil, library: library)
        if let separateKey {
            file.keys = try CredentialFile.keys(in: separateKey, passphrase: phrase, library: library)
        }
        if file.certificates.isEmpty { throw CredentialError(.noCertificate) }
        if file.keys.isEmpty { throw CredentialError(.noKey) }
        return try identity(of: file)
    }

    private static func identity(of file: CredentialFile) throws(CredentialError) -> CertificateIdentity {
        let all = file.certificates.map { ParsedCertificate(der: $0, certificate: try? Certificate(derEncoded: $0)) }
        let candidates = all.compactMap { parsed in
            file.keys.first { $0.matches(certificate: parsed.der) }.map { (parsed: parsed, key: $0) }
        }
        let unreadable = candidates.isEmpty ? all : candidates.map(\.parsed)
        if unreadable.contains(where: { $0.certificate == nil }) { throw CredentialError(.damaged) }
        if Set(candidates.map(\.parsed.certificate?.publicKey)).count > 1 { throw CredentialError(.severalKeys) }
        let newest = candidates.max { $0.parsed.notAfter < $1.parsed.notAfter }
        guard let newest, let leaf = newest.parsed.certificate else { throw CredentialError(.keyMismatch) }
        guard let keyPEM = newest.key.pem() else { throw CredentialError(.keyDamaged) }
        let chain = [newest.parsed.der] + issuers(of: leaf, in: all)
        return CertificateIdentity(leaf: leaf, chain: chain, fingerprintOf: newest.parsed.der, keyPEM: keyPEM)
    }

    private init(leaf: Certificate, chain: [[UInt8]], fingerprintOf der: [UInt8], keyPEM: Secret) {
        let apple = AppleExtensions(of: leaf)
        fingerprint = SHA256.hash(data: der).hexadecimal
        notBefore = Int64(leaf.notValidBefore.timeIntervalSince1970)
        notAfter = Int64(leaf.notValidAfter.timeIntervalSince1970)
        (commonName, uid) = (apple.commonName, apple.uid)
        (topics, environments) = (apple.topics, apple.environments)
        chainPEM = Secret(chain.map { PEMDocument(type: "CERTIFICATE", derBytes: $0).pemString + "\n" }.joined())
        self.keyPEM = keyPEM
    }

    /// The issuers found in the file, from the leaf's upwards, without the root.
    private static func issuers(of leaf: Certificate, in all: [ParsedCertificate]) -> [[UInt8]] {
        var chain: [[UInt8]] = []
        var last = leaf
        while last.issuer != last.subject,
            let next = all.first(where: { $0.certificate?.subject == last.issuer && !chain.contains($0.der) }),
            let issuer = next.certificate, issuer.subject != issuer.issuer
        {
            chain.append(next.der)
            last = issuer
        }
        return chain
    }
}

/// A certificate's bytes from the file and its parsed form; nil when it cannot be parsed.
private struct ParsedCertificate {
    let der: [UInt8]
    let certificate: Certificate?

    /// The last valid moment; the distant past for an unreadable certificate.
    var notAfter: Date { certificate?.notValidAfter ?? .distantPast }
}
