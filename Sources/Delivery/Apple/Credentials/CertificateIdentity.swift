package import Base
internal import Crypto
internal import FoundationEssentials
package import Push
internal import SwiftASN1
internal import X509

/// A push certificate with its private key, and the facts that a plan checks and shows.
///
/// Source: "Establishing a certificate-based connection to APNs",
/// https://developer.apple.com/documentation/usernotifications/
package struct CertificateIdentity: Sendable, Hashable {
    /// One topic that a certificate names.
    package struct Topic: Sendable, Hashable {
        /// The topic, such as `com.example.app` or `com.example.app.voip`.
        package let name: String
        /// The purpose stated in the certificate (`app`, `voip`, `complication`, …), if any.
        package var kind: String?
    }

    /// SHA-256 of the certificate's DER, 64 lower-case hexadecimal digits.
    package let fingerprint: String
    /// The first moment of validity, in seconds since 1970.
    package let notBefore: Int64
    /// The last moment of validity, in seconds since 1970.
    package let notAfter: Int64
    /// The subject's common name, such as `Apple Push Services: com.example.app`.
    package let commonName: String?
    /// The subject's user id: the topic, or an MDM topic.
    package let uid: String?
    /// Every topic the certificate names, in its order, the subject's last.
    package let topics: [Topic]
    /// The environments it may push to; empty when the certificate does not say.
    package let environments: Set<PushEnvironment>
    /// The certificate followed by the issuers found in the file, without the root: PEM for a TLS client.
    package let chainPEM: Secret
    /// The private key as unencrypted PKCS#8 PEM, for a TLS client.
    package let keyPEM: Secret
}

// MARK: - Checks

extension CertificateIdentity {
    /// Checks whether Apple would refuse this certificate.
    ///
    /// A certificate that names no environment is accepted for both.
    /// - Parameters:
    ///   - topic: the topic to push to, exactly as sent.
    ///   - environment: the environment to push to.
    ///   - now: the current time, in seconds since 1970; the first and the last valid moment are both valid.
    /// - Returns: every reason for which it would, in a fixed order; empty when there is none.
    package func problems(topic: String, environment: PushEnvironment, at now: Int64) -> [CredentialProblem] {
        var problems: [CredentialProblem] = []
        if now > notAfter { problems.append(.expired(at: notAfter)) }
        if now < notBefore { problems.append(.notYetValid(from: notBefore)) }
        if !topics.contains(where: { $0.name == topic }) {
            problems.append(.topicMissing(topic, found: topicNames))
        }
        if !environments.isEmpty, !environments.contains(environment) {
            problems.append(.wrongEnvironment(environment, found: Array(environments)))
        }
        return problems
    }

    /// True when the certificate is no longer valid `seconds` after `now` (both in seconds, `now` since 1970).
    package func expires(within seconds: Int64, of now: Int64) -> Bool {
        Int128(notAfter) < Int128(now) + Int128(seconds)
    }

    /// The distinct topic names, in the certificate's order.
    package var topicNames: [String] {
        var seen = Set<String>()
        return topics.map(\.name).filter { seen.insert($0).inserted }
    }
}

// MARK: - Reading

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

/// The topics and environments that Apple writes into a push certificate.
///
/// Source: the extensions under 1.2.840.113635.100.6.3, and the subject's UID and common name.
struct AppleExtensions {
    var topics: [CertificateIdentity.Topic] = []
    var environments: Set<PushEnvironment> = []
    let commonName: String?
    let uid: String?

    init(of certificate: Certificate) {
        commonName = certificate.subject.first(of: .RDNAttributeType.commonName)
        uid = certificate.subject.first(of: .userID)
        for oid in [ASN1ObjectIdentifier.pushTopics, .pushAdditionalTopics] {
            guard let value = certificate.extensions[oid: oid]?.value else { continue }
            add(Self.topics(in: value))
        }
        if certificate.extensions[oid: .pushDevelopment] != nil { environments.insert(.development) }
        if certificate.extensions[oid: .pushProduction] != nil { environments.insert(.production) }
        let named = commonName.flatMap(SubjectName.init)
        if environments.isEmpty, let named { environments = named.environments }
        if let uid {
            addUnlessNamed(uid)
        } else if let named {
            addUnlessNamed(named.topic)
        }
    }

    private mutating func add(_ found: [CertificateIdentity.Topic]) {
        for topic in found where !topics.contains(topic) { topics.append(topic) }
    }

    private mutating func addUnlessNamed(_ name: String) {
        if !topics.contains(where: { $0.name == name }) { topics.append(.init(name: name)) }
    }

    /// The topics with their kinds. Older certificates carry a bare marker here: no topics, but not an error.
    private static func topics(in value: ArraySlice<UInt8>) -> [CertificateIdentity.Topic] {
        guard let root = try? DER.parse(value), root.identifier == .sequence,
            case .constructed(let children) = root.content
        else { return [] }
        var topics: [CertificateIdentity.Topic] = []
        var name: String?
        for node in children {
            if let text = string(node) {
                if let name { topics.append(.init(name: name)) }
                name = text
            } else if let topic = name, case .constructed(let kinds) = node.content {
                let texts = kinds.compactMap(string)
                topics += texts.isEmpty ? [.init(name: topic)] : texts.map { .init(name: topic, kind: $0) }
                name = nil
            }
        }
        if let name { topics.append(.init(name: name)) }
        return topics
    }

    private static func string(_ node: ASN1Node) -> String? {
        (try? ASN1UTF8String(derEncoded: node)).map { String($0) }
    }
}

/// The topic and environments named by the common name of a certificate without extensions or UID, such as
/// `Apple Development IOS Push Services: com.example.app`.
private struct SubjectName {
    let topic: String
    let environments: Set<PushEnvironment>

    init?(_ commonName: String) {
        guard let colon = commonName.firstIndex(of: ":") else { return nil }
        let service = commonName[..<colon]
        let id = commonName[commonName.index(after: colon)...].drop { $0 == " " }
        guard let (suffix, environments) = Self.meaning(of: service), !id.isEmpty else { return nil }
        topic = id.hasSuffix(suffix) ? String(id) : id + suffix
        self.environments = environments
    }

    private static func meaning(of service: Substring) -> (String, Set<PushEnvironment>)? {
        switch service {
        case "Pass Type ID", "Website Push ID": return ("", [.production])
        case "VoIP Services": return (".voip", [.development, .production])
        case "WatchKit Services": return (".complication", [.development, .production])
        default: break
        }
        guard service.hasPrefix("Apple "), service.hasSuffix("Push Services") else { return nil }
        let words = service.split(separator: " ")
        if words.contains("Development") || words.contains("Sandbox") { return ("", [.development]) }
        if words.contains("Production") { return ("", [.production]) }
        return ("", [.development, .production])
    }
}

extension DistinguishedName {
    fileprivate func first(of type: ASN1ObjectIdentifier) -> String? {
        for name in self {
            for attribute in name where attribute.type == type { return String(attribute.value) }
        }
        return nil
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let userID: Self = [0, 9, 2342, 19_200_300, 100, 1, 1]
    fileprivate static let pushDevelopment: Self = [1, 2, 840, 113_635, 100, 6, 3, 1]
    fileprivate static let pushProduction: Self = [1, 2, 840, 113_635, 100, 6, 3, 2]
    fileprivate static let pushAdditionalTopics: Self = [1, 2, 840, 113_635, 100, 6, 3, 4]
    fileprivate static let pushTopics: Self = [1, 2, 840, 113_635, 100, 6, 3, 6]
}
