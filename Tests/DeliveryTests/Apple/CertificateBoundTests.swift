import Base
import BaseTesting
import Foundation
import Testing

@testable import Delivery

/// No file keeps its reader busy for long.
@Suite(.serialized) struct CertificateBoundTests {
    /// 33,000 in DER, which has as many bytes as 1,000,001.
    private static let count: [UInt8] = [0x02, 0x03, 0x00, 0x80, 0xE8]
    private static let tooMany: [UInt8] = [0x02, 0x03, 0x0F, 0x42, 0x41]

    @Test(arguments: [[], ["-v1", "PBE-SHA1-3DES"]])
    func aKeyOfMoreThanAMillionIterationsIsRefused(options: [String]) throws {
        let key = try TestKey.ec()
        let certificate = Array(try TestCertificate().pem(for: key).utf8)
        let encrypted = try OpenSSLCommand.run(
            ["pkcs8", "-topk8", "-in", "k", "-outform", "DER", "-out", "o", "-passout", "pass:x", "-iter", "33000"]
                + options,
            files: ["k": key.pem], output: "o")
        #expect(code(certificate + Self.pem("ENCRYPTED PRIVATE KEY", encrypted), passphrase: "x") == nil)
        let slow = try #require(Self.slowed(encrypted).first)
        #expect(
            code(certificate + Self.pem("ENCRYPTED PRIVATE KEY", slow), passphrase: "x") == .unsupportedEncryption)
    }

    @Test(arguments: [
        ["-nomac", "-certpbe", "AES-256-CBC"], ["-legacy", "-nomac", "-certpbe", "PBE-SHA1-RC2-40"],
        ["-certpbe", "NONE", "-keypbe", "NONE"],
    ])
    func aPKCS12FileOfMoreThanAMillionIterationsIsRefused(options: [String]) throws {
        let key = try TestKey.ec()
        let file = try OpenSSLCommand.pkcs12(
            try TestCertificate().pem(for: key) + key.pem, passphrase: "x", ["-iter", "33000"] + options)
        #expect(code(file, passphrase: "x") == nil)
        let slow = Self.slowed(file)
        // The certificate and the key, or the checksum of a file in clear.
        #expect(slow.count == (options.contains("-nomac") ? 2 : 1))
        for file in slow { #expect(code(file, passphrase: "x") == .unsupportedEncryption) }
    }

    @Test func aFileWithVeryManyKeysOrCertificatesIsRefused() throws {
        let key = try TestKey.ec()
        let certificate = try TestCertificate().make(for: key)
        let pem = Self.pem("CERTIFICATE", try certificate.der)
        let keys = { (count: Int) in (0..<count).flatMap { _ in Array(key.pem.utf8 + [0x0A]) } }
        #expect(code(pem + keys(CredentialFile.maximumKeys)) == nil)
        #expect(code(pem + keys(CredentialFile.maximumKeys + 1)) == .severalKeys)
        #expect(code(pem, key: String(decoding: keys(CredentialFile.maximumKeys + 1), as: UTF8.self)) == .severalKeys)
        let others = (0..<CredentialFile.maximumCertificates).flatMap {
            Self.pem("CERTIFICATE", [0x30, 0x02, UInt8($0), 0])
        }
        #expect(code(pem + others + keys(1)) == .severalKeys)
        let archive = { (count: Int) in
            try assembledPKCS12(
                certificates: [certificate.der], keys: Array(repeating: key.pem, count: count), passphrase: "x")
        }
        #expect(code(try archive(CredentialFile.maximumKeys), passphrase: "x") == nil)
        #expect(code(try archive(CredentialFile.maximumKeys + 1), passphrase: "x") == .severalKeys)
    }

    @Test(arguments: [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "-----BEGIN ", "-----BEGIN -----", "-----",
        "-----BEGIN A-----\n-----END B-----\n", "-----BEGIN A-----\nAAAA\n-----END A-----\n",
    ])
    func twiceThePEMTakesTwiceTheTime(piece: String) {
        let excess = Growth.excess(
            { Array(String(repeating: piece, count: $0 / piece.utf8.count).utf8) },
            { PEMBlock.blocks(in: $0) })
        #expect(excess == nil)
    }

    @Test func aBlockEndsBeforeTheNextBegins() {
        let text = "-----BEGIN A-----\nAAAA\n-----BEGIN A-----\nAAEC\n-----END A-----\n"
        #expect(PEMBlock.blocks(in: Array(text.utf8)).map(\.der) == [nil, [0, 1, 2]])
    }

    private static func pem(_ label: String, _ der: [UInt8]) -> [UInt8] {
        Array("-----BEGIN \(label)-----\n\(Data(der).base64EncodedString())\n-----END \(label)-----\n".utf8)
    }

    /// The file once for each number of iterations in it, with that one too large.
    private static func slowed(_ file: [UInt8]) -> [[UInt8]] {
        file.indices.filter { file[$0...].starts(with: count) }.map {
            var slow = file
            slow.replaceSubrange($0..<$0 + count.count, with: tooMany)
            return slow
        }
    }
}
