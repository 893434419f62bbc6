import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate for this machine and its key, made for one test.
struct TestCertificate {
    let pem: String
    let keyPEM: String

    init() throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("localhost") }
        let now = Date()
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: now.addingTimeInterval(-60), notValidAfter: now.addingTimeInterval(3600), issuer: name,
            subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([.dnsName("localhost")])
            }, issuerPrivateKey: .init(key))
        pem = try certificate.serializeAsPEM().pemString + "\n"
        keyPEM = key.pemRepresentation + "\n"
    }

    /// Writes both into a folder.
    func write(to folder: URL, name: String = "server") throws -> (certificate: String, key: String) {
        let paths = [folder.appending(path: name + ".pem"), folder.appending(path: name + ".key")]
        try Data(pem.utf8).write(to: paths[0])
        try Data(keyPEM.utf8).write(to: paths[1])
        return (paths[0].path, paths[1].path)
    }
}

/// Runs a test with a folder of its own.
func inFolder(_ test: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "service-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await test(folder)
}
