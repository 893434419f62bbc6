internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// The certificates of a simulator: its authority's and its server's.
package struct SimulatorIdentity: Sendable {
    let authority: Certificate
    private let authorityKey: P256.Signing.PrivateKey
    private let server: Certificate
    private let serverKey: P256.Signing.PrivateKey

    /// Creates an authority and a server certificate for `localhost`, 127.0.0.1 and ::1, valid for a year from now.
    ///
    /// - Throws: swift-certificates' error when they cannot be created.
    package init() throws {
        authorityKey = P256.Signing.PrivateKey()
        serverKey = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("bugle APNs simulator CA") }
        let span = Date(timeIntervalSinceNow: -86_400)...Date(timeIntervalSinceNow: 366 * 86_400)
        authority = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(authorityKey.publicKey),
            notValidBefore: span.lowerBound, notValidAfter: span.upperBound, issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            },
            issuerPrivateKey: .init(authorityKey))
        server = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(serverKey.publicKey),
            notValidBefore: span.lowerBound, notValidAfter: span.upperBound, issuer: name,
            subject: try DistinguishedName { CommonName("localhost") }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([
                    .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                    .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
                ])
            },
            issuerPrivateKey: .init(authorityKey))
    }

    /// Reads an identity from PEM texts.
    ///
    /// - Throws: the error of swift-certificates or swift-crypto for a text that is invalid.
    package init(authority: String, authorityKey: String, server: String, serverKey: String) throws {
        self.authority = try Certificate(pemEncoded: authority)
        self.authorityKey = try P256.Signing.PrivateKey(pemRepresentation: authorityKey)
        self.server = try Certificate(pemEncoded: server)
        self.serverKey = try P256.Signing.PrivateKey(pemRepresentation: serverKey)
    }

    /// The authority's certificate, for a client's `ca:` setting.
    package var authorityPEM: String { get throws { try authority.serializeAsPEM().pemString + "\n" } }
    /// The server's certificate.
    package var serverPEM: String { get throws { try server.serializeAsPEM().pemString + "\n" } }
    /// The authority's private key; secret.
    package var authorityKeyPEM: String { authorityKey.pemRepresentation + "\n" }
    /// The server's private key; secret.
    package var serverKeyPEM: String { serverKey.pemRepresentation + "\n" }
    /// The end of the server certificate's validity, in seconds of UNIX time.
    package var validUntil: Int64 { Int64(server.notValidAfter.timeIntervalSince1970) }

    /// True if this authority signed the first certificate of a PEM text.
    func isIssuer(ofPEM text: String) -> Bool {
        guard let document = try? PEMDocument.parseMultiple(pemString: text).first,
            let certificate = try? Certificate(pemDocument: document)
        else { return false }
        return authority.publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    /// Issues a certificate signed with the authority's key.
    func issue(
        _ subject: DistinguishedName, _ key: P256.Signing.PublicKey, _ span: ClosedRange<Int64>,
        _ extensions: [Certificate.Extension]
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key),
            notValidBefore: Date(timeIntervalSince1970: Double(span.lowerBound)),
            notValidAfter: Date(timeIntervalSince1970: Double(span.upperBound)), issuer: authority.subject,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(extensions),
            issuerPrivateKey: .init(authorityKey))
    }
}
