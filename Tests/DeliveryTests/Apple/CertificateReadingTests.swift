import Base
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import Delivery

@Suite struct CertificateReadingTests {
    /// How a `.p12` may be encrypted: by Keychain, by old and by new programs.
    static let encryptions: [[String]] = [
        [], ["-legacy"], ["-legacy", "-keypbe", "PBE-SHA1-RC2-40"],
        ["-legacy", "-certpbe", "PBE-SHA1-RC2-128", "-keypbe", "PBE-SHA1-RC4-128"],
        ["-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES", "-macalg", "sha1"],
        ["-certpbe", "AES-128-CBC", "-keypbe", "AES-192-CBC", "-macalg", "sha512"],
        ["-certpbe", "NONE", "-keypbe", "NONE"], ["-nomac"],
        // Without a checksum the program leaves certificates plain unless told otherwise.
        ["-nomac", "-certpbe", "AES-256-CBC"], ["-legacy", "-nomac", "-certpbe", "PBE-SHA1-RC2-40"],
    ]

    @Test(arguments: encryptions, ["secret", "", "пароль 密码 €"])
    func everyEncryptionIsRead(_ options: [String], _ passphrase: String) throws {
        let key = try TestKey.ec()
        let certificate = try TestCertificate().make(for: key)
        let pem = try certificate.serializeAsPEM().pemString + "\n" + key.pem
        let file = try OpenSSLCommand.pkcs12(pem, passphrase: passphrase, options)
        let identity = try CertificateIdentity.read(file, passphrase: Secret(passphrase))
        #expect(identity.fingerprint == SHA256.hash(data: try certificate.der).hexadecimal)
        let readKey = try Certificate.PrivateKey(pemEncoded: identity.keyPEM.revealedText)
        #expect(readKey.publicKey == certificate.publicKey)
        #expect(try Certificate(pemEncoded: identity.chainPEM.revealedText) == certificate)
    }

    @Test func anEmptyPassphraseMayBeAbsent() throws {
        let pem = try TestCertificate().pemWithKey()
        for options in [
            [], ["-legacy"], ["-nomac"], ["-nomac", "-certpbe", "AES-256-CBC"],
            ["-certpbe", "NONE", "-keypbe", "NONE", "-nomac"],
        ] {
            #expect(code(try OpenSSLCommand.pkcs12(pem, passphrase: "", options)) == nil, "\(options)")
        }
    }

    @Test(arguments: [nil, ""] as [String?])
    func theNullPassphraseIsReadToo(_ given: String?) throws {
        let key = try TestKey.ec()
        let file = try assembledPKCS12(
            certificates: [try TestCertificate().make(for: key).der], keys: [key.pem], passphrase: nil)
        #expect(code(file, passphrase: given) == nil)
    }

    @Test func anIndefiniteLengthIsReadToo() throws {
        let file = try OpenSSLCommand.pkcs12(try TestCertificate().pemWithKey(), passphrase: "x")
        #expect(file.starts(with: [0x30, 0x82]))
        #expect(code([0x30, 0x80] + file.dropFirst(4) + [0, 0], passphrase: "x") == nil)
    }

    @Test func aPlainFileNeedsNoPassphraseAndTakesAny() throws {
        let pem = try TestCertificate().pemWithKey()
        let file = try OpenSSLCommand.pkcs12(
            pem, passphrase: "", ["-certpbe", "NONE", "-keypbe", "NONE", "-nomac"])
        #expect(code(file, passphrase: "any") == nil)
        #expect(code(Array(pem.utf8), passphrase: "any") == nil)
    }

    @Test func anRSAKeyIsReadFromPKCS12AndFromEveryPEM() throws {
        let key = try TestKey.rsa.get()
        let certificate = try TestCertificate().pem(for: key)
        let traditional = try OpenSSLCommand.run(["rsa", "-in", "k", "-traditional"], files: ["k": key.pem])
        #expect(traditional.hasPrefix("-----BEGIN RSA PRIVATE KEY"))
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY"))
        #expect(code(try OpenSSLCommand.pkcs12(certificate + key.pem, passphrase: "x"), passphrase: "x") == nil)
        for text in [traditional + certificate, certificate + key.pem] {
            let identity = try CertificateIdentity.read(Array(text.utf8), passphrase: nil)
            #expect(identity.keyPEM.revealedText.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
            let read = try Certificate.PrivateKey(pemEncoded: identity.keyPEM.revealedText)
            #expect(read.publicKey == key.key.publicKey)
        }
    }

    /// How a PEM key may be encrypted: PKCS#8 with new and old schemes, and the traditional form.
    static let keyEncryptions: [[String]] = [
        ["pkcs8", "-topk8", "-v2", "aes-256-cbc"], ["pkcs8", "-topk8", "-v2", "des3", "-v2prf", "hmacWithSHA1"],
        ["pkcs8", "-topk8", "-scrypt"],
        ["pkcs8", "-topk8", "-v1", "PBE-SHA1-RC2-40", "-provider", "legacy", "-provider", "default"],
        ["ec", "-aes256"], ["ec", "-des3"],
    ]

    @Test(arguments: keyEncryptions)
    func anEncryptedPEMKeyOpensWithItsPassphraseOnly(_ command: [String]) throws {
        let key = try TestKey.ec()
        let encrypted = try OpenSSLCommand.run(
            command + ["-in", "k", "-passout", "pass:open sesame"], files: ["k": key.pem])
        let certificate = try TestCertificate().pem(for: key)
        let together = Array((certificate + encrypted).utf8)
        #expect(code(together, passphrase: "open sesame") == nil)
        #expect(code(together, passphrase: "open") == .wrongPassphrase)
        #expect(code(together) == .passphraseNeeded)
        #expect(code(together, passphrase: "") == .passphraseNeeded)
        #expect(code(Array(certificate.utf8), passphrase: "open sesame", key: encrypted) == nil)
        #expect(code(Array(certificate.utf8), passphrase: "open", key: encrypted) == .wrongPassphrase)
    }

    /// One wrong passphrase in 256 opens the traditional form to something that is no key.
    @Test func everyWrongPassphraseIsCalledWrong() throws {
        let key = try TestKey.ec()
        let encrypted = try OpenSSLCommand.run(
            ["ec", "-aes256", "-in", "k", "-passout", "pass:open sesame"], files: ["k": key.pem])
        let together = Array((try TestCertificate().pem(for: key) + encrypted).utf8)
        let answers = Set((0..<2000).map { code(together, passphrase: "open \($0)") })
        #expect(answers == [.wrongPassphrase])
    }

    @Test func aKeyBesideTheFileIsUsedInsteadOfItsOwn() throws {
        let (key, other) = (try TestKey.ec(), try TestKey.ec())
        let certificate = try TestCertificate().pem(for: key)
        #expect(code(Array((certificate + other.pem).utf8), key: key.pem) == nil)
        #expect(code(Array((certificate + key.pem).utf8), key: other.pem) == .keyMismatch)
        let bare = try TestCertificate().make(for: key).der
        #expect(code(bare, key: key.pem) == nil)
        let der = try OpenSSLCommand.run(
            ["pkcs8", "-topk8", "-nocrypt", "-in", "k", "-outform", "DER", "-out", "o"], files: ["k": key.pem],
            output: "o")
        #expect(try CertificateIdentity.read(bare, passphrase: nil, separateKey: der).notAfter == 1_731_536_000)
    }

    @Test func pemThatWentThroughAnEnvironmentIsStillRead() throws {
        let pem = try TestCertificate().pemWithKey()
        let variants = [
            "\u{FEFF}Bag Attributes\n    localKeyID: 01\n" + pem, pem.replacingOccurrences(of: "\n", with: "\r\n"),
            pem.replacingOccurrences(of: "\n", with: " "), pem.trimmingCharacters(in: .whitespacesAndNewlines),
        ]
        for text in variants { #expect(code(Array(text.utf8)) == nil) }
    }

    @Test func theChainIsInOrderWithoutRootAndStrangers() throws {
        let (root, middle, key) = (try TestKey.ec(), try TestKey.ec(), try TestKey.ec())
        let names = ["Root", "Middle", "Leaf"].map { [(ASN1ObjectIdentifier.RDNAttributeType.commonName, $0)] }
        let rootCertificate = try TestCertificate(subject: names[0], issuer: names[0]).make(for: root, signedBy: root)
        let issuer = try TestCertificate(subject: names[1], issuer: names[0]).make(for: middle, signedBy: root)
        let leaf = try TestCertificate(subject: names[2], issuer: names[1]).make(for: key, signedBy: middle)
        let stranger = try TestCertificate().make(for: try TestKey.ec())
        let all = try [rootCertificate, stranger, issuer, leaf].map { try $0.serializeAsPEM().pemString + "\n" }
            .joined()
        let identity = try CertificateIdentity.read(Array((all + key.pem).utf8), passphrase: nil)
        let expected = try [leaf, issuer].map { try $0.serializeAsPEM().pemString + "\n" }.joined()
        #expect(identity.chainPEM.revealedText == expected)
        let archive = try OpenSSLCommand.pkcs12(all + key.pem, passphrase: "x", ["-legacy"])
        #expect(try CertificateIdentity.read(archive, passphrase: Secret("x")).chainPEM == identity.chainPEM)
    }

    @Test func ofTwoCertificatesForOneKeyTheOneThatLastsLongerIsTaken() throws {
        let key = try TestKey.ec()
        let old = try TestCertificate(notAfter: 1_710_000_000).pem(for: key)
        let new = try TestCertificate(notAfter: 1_790_000_000).pem(for: key)
        for text in [old + new + key.pem, new + old + key.pem] {
            let identity = try CertificateIdentity.read(Array(text.utf8), passphrase: nil)
            #expect(identity.notAfter == 1_790_000_000)
        }
    }

    @Test func concurrentReadsAgree() async throws {
        let pem = try TestCertificate().pemWithKey()
        let file = try OpenSSLCommand.pkcs12(pem, passphrase: "x", ["-legacy"])
        let right = try CertificateIdentity.read(file, passphrase: Secret("x"))
        await withTaskGroup(of: Bool.self) { group in
            for round in 0..<64 {
                group.addTask {
                    if round.isMultiple(of: 2) { return code(file, passphrase: "y") == .wrongPassphrase }
                    return (try? CertificateIdentity.read(file, passphrase: Secret("x"))) == right
                }
            }
            for await agreed in group { #expect(agreed) }
        }
    }
}
