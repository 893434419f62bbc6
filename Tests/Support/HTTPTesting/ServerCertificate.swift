internal import Crypto
internal import FoundationEssentials
internal import NIOCore
package import NIOSSL
internal import SwiftASN1
internal import X509

/// A self-signed certificate for 127.0.0.1 and localhost, made for one run, and the file that names it as a CA.
package struct ServerCertificate {
    package let certificate: NIOSSLCertificate
    package let key: NIOSSLPrivateKey
    package let caFile: String

    /// The one that a client trusts by `caFile`.
    package static var trusted: Self { get throws { try first.get() } }
    /// Another one, which it does not.
    package static var unknown: Self { get throws { try second.get() } }

    private static let first = Result { try ServerCertificate() }
    private static let second = Result { try ServerCertificate() }

    private init() throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("bugle test") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: -3600), notValidAfter: Date(timeIntervalSinceNow: 86400),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([
                    .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                ])
            },
            issuerPrivateKey: .init(key))
        let pem = try certificate.serializeAsPEM().pemString
        self.certificate = try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
        self.key = try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
        caFile = FileManager.default.temporaryDirectory.path + "/http-testing-\(UUID().uuidString).pem"
        try Data(pem.utf8).write(to: URL(filePath: caFile))
    }

    /// The configuration of a TLS server that offers the protocols given.
    ///
    /// With `lingers`, the socket of a connection that it closes stays open for as long as the other end keeps it,
    /// after the farewell that TLS says.
    package func context(protocols: [String], lingers: Bool = false) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.applicationProtocols = protocols
        // Closing waits for the other end's farewell, which an idle client does not send.
        configuration.shutdownTimeout = lingers ? .seconds(100) : .milliseconds(1)
        return try NIOSSLContext(configuration: configuration)
    }
}
