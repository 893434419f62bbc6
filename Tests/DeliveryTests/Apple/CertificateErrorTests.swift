import Base
import Foundation
import SwiftASN1
import Testing

@testable import Delivery

@Suite struct CertificateErrorTests {
    @Test func whatIsNeitherPEMNorPKCS12IsToldApart() throws {
        let file = try OpenSSLCommand.pkcs12(try TestCertificate().pemWithKey(), passphrase: "x")
        let inputs: [[UInt8]] = [
            [], [0x30], [0x30, 0x80], Array("hello".utf8), Array(Data(file).base64EncodedString().utf8),
            [UInt8](repeating: 0, count: 5000), [UInt8](repeating: 0x30, count: 3 << 20),
        ]
        for input in inputs { #expect(code(input) == .unsupportedFormat) }
    }

    @Test func aFileCutOffAnywhereIsDamagedOrUnsupported() throws {
        let file = try OpenSSLCommand.pkcs12(try TestCertificate().pemWithKey(), passphrase: "x")
        for length in stride(from: 7, to: file.count, by: 13) {
            #expect(code(Array(file[..<length]), passphrase: "x") == .damaged)
        }
    }

    @Test func noFlippedBitIsReadAsAnotherIdentity() throws {
        let pem = try TestCertificate().pemWithKey()
        let archive = try OpenSSLCommand.pkcs12(pem, passphrase: "x")
        let right = try CertificateIdentity.read(archive, passphrase: Secret("x"))
        // Iteration counts are small integers: a flipped high bit there would make one read take minutes.
        let counts = archive.indices.filter { archive[$0...].starts(with: [0x02, 0x02, 0x08, 0x00]) }
        let skipped = Set(counts.flatMap { $0...$0 + 3 })
        for place in archive.indices where !skipped.contains(place) {
            var bytes = archive
            bytes[place] ^= 1 << UInt8(place % 8)
            if let read = try? CertificateIdentity.read(bytes, passphrase: Secret("x")) { #expect(read == right) }
        }
    }

    @Test func brokenPEMIsDamaged() throws {
        let key = try TestKey.ec()
        let certificate = try TestCertificate().pem(for: key)
        let noEnd = certificate.replacingOccurrences(of: "-----END CERTIFICATE-----", with: "")
        let noBase64 = certificate.replacingOccurrences(of: "MII", with: "M!!")
        let notDER = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        for text in [noEnd, noBase64, notDER] {
            #expect(code(Array((text + key.pem).utf8)) == .damaged)
            #expect(code(Array((key.pem + text).utf8)) == .damaged)
        }
        #expect(code(Array("-----BEGIN CERT".utf8)) == .damaged)
    }

    @Test func aFileWithoutCertificateSaysSo() throws {
        let key = try TestKey.ec()
        #expect(code(Array(key.pem.utf8)) == .noCertificate)
        let archive = try OpenSSLCommand.pkcs12(key.pem, passphrase: "x", ["-nocerts"])
        #expect(code(archive, passphrase: "x") == .noCertificate)
    }

    @Test func aFileWithoutKeySaysSo() throws {
        let key = try TestKey.ec()
        let certificate = try TestCertificate().make(for: key)
        let pem = try certificate.serializeAsPEM().pemString
        #expect(code(Array(pem.utf8)) == .noKey)
        #expect(code(try certificate.der) == .noKey)
        let archive = try OpenSSLCommand.pkcs12(pem + "\n", passphrase: "x", ["-nokeys"])
        #expect(code(archive, passphrase: "x") == .noKey)
        #expect(code(archive, passphrase: "x", key: key.pem) == nil)
        #expect(code(Array(pem.utf8), key: pem) == .noKey)
    }

    @Test func aKeyOfAnotherCertificateIsAMismatch() throws {
        let (key, other) = (try TestKey.ec(), try TestKey.ec())
        let certificate = try TestCertificate().make(for: key)
        let pem = try certificate.serializeAsPEM().pemString + "\n"
        #expect(code(Array((pem + other.pem).utf8)) == .keyMismatch)
        #expect(code(Array((pem + (try TestKey.rsa.get().pem)).utf8)) == .keyMismatch)
        let archive = try assembledPKCS12(certificates: [certificate.der], keys: [other.pem], passphrase: "x")
        #expect(code(archive, passphrase: "x") == .keyMismatch)
    }

    @Test func severalIdentitiesAreNotGuessedAt() throws {
        let (key, other) = (try TestKey.ec(), try TestKey.ec())
        let certificates = try [key, other].map { try TestCertificate().make(for: $0) }
        let pem = try certificates.map { try $0.serializeAsPEM().pemString + "\n" }.joined()
        #expect(code(Array((pem + key.pem + other.pem).utf8)) == .severalKeys)
        let ders = try certificates.map { try $0.der }
        let archive = try assembledPKCS12(certificates: ders, keys: [key.pem, other.pem], passphrase: "x")
        #expect(code(archive, passphrase: "x") == .severalKeys)
        // A second key without a certificate leaves no doubt about which is meant.
        #expect(code(Array((pem + key.pem).utf8)) == nil)
        let second = try assembledPKCS12(certificates: [ders[1]], keys: [key.pem, other.pem], passphrase: "x")
        #expect(code(second, passphrase: "x") == nil)
    }

    @Test(arguments: CertificateReadingTests.encryptions.filter { !$0.contains("NONE") })
    func aWrongPassphraseAndAMissingOneAreToldApart(_ options: [String]) throws {
        let pem = try TestCertificate().pemWithKey()
        let file = try OpenSSLCommand.pkcs12(pem, passphrase: "right", options)
        #expect(code(file, passphrase: "wrong") == .wrongPassphrase)
        #expect(code(file, passphrase: "right\n") == .wrongPassphrase)
        #expect(code(file) == .passphraseNeeded)
        #expect(code(file, passphrase: "") == .passphraseNeeded)
        #expect(code(file, passphrase: "right") == nil)
    }

    @Test func anUnknownEncryptionIsToldApartFromAWrongPassphrase() throws {
        let key = try TestKey.ec()
        let certificate = try TestCertificate().pem(for: key)
        let encrypted = try OpenSSLCommand.run(
            [
                "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-in", "k", "-outform", "DER", "-out", "o", "-passout",
                "pass:x",
            ],
            files: ["k": key.pem], output: "o")
        let aes: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2A]
        let range = try #require(encrypted.firstRange(of: aes))
        var unknown = encrypted
        unknown[range.upperBound - 1] = 0x7E
        func pem(_ der: [UInt8]) -> String {
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\n" + Data(der).base64EncodedString()
                + "\n-----END ENCRYPTED PRIVATE KEY-----\n"
        }
        #expect(code(Array((certificate + pem(encrypted)).utf8), passphrase: "x") == nil)
        #expect(code(Array((certificate + pem(unknown)).utf8), passphrase: "x") == .unsupportedEncryption)
        #expect(code(Array((certificate + pem([1, 2, 3])).utf8), passphrase: "x") == .keyDamaged)
    }

    @Test func withoutTheLegacyProviderOnlyOldFilesAreRefused() throws {
        let pem = try TestCertificate().pemWithKey()
        let library = try #require(OpenSSLLibrary(legacy: false))
        #expect(!library.hasLegacy)
        #expect(try #require(OpenSSLLibrary.shared).hasLegacy)
        for options in [["-legacy"], ["-legacy", "-nomac", "-certpbe", "PBE-SHA1-RC2-40"]] {
            let old = try OpenSSLCommand.pkcs12(pem, passphrase: "x", options)
            #expect(throws: CredentialError(.legacyProviderMissing)) {
                try CertificateIdentity.read(old, passphrase: Secret("x"), separateKey: nil, library: library)
            }
        }
        let new = try OpenSSLCommand.pkcs12(pem, passphrase: "x")
        _ = try CertificateIdentity.read(new, passphrase: Secret("x"), separateKey: nil, library: library)
    }

    @Test func aBrokenKeyIsToldApart() throws {
        let key = try TestKey.ec()
        let certificate = Array(try TestCertificate().pem(for: key).utf8)
        for text in [
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n", "junk",
            "",
        ] {
            #expect(code(certificate, key: text) == .keyDamaged)
        }
    }

    @Test(arguments: CredentialError.Code.allCases)
    func everyErrorSaysWhatToDoInOneSentence(_ code: CredentialError.Code) {
        let text = CredentialError(code).description
        #expect(text.contains("; ") && !text.hasSuffix(".") && !text.contains("\n"))
        #expect(CredentialError.Code.allCases.filter { CredentialError($0).description == text } == [code])
    }
}
