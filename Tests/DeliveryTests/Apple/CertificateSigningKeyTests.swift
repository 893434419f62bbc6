import Base
import Crypto
import Foundation
import Testing

@testable import Delivery

@Suite struct CertificateSigningKeyTests {
    func code(_ text: String) -> CredentialError.Code? {
        do throws(CredentialError) {
            _ = try SigningKey.read(Array(text.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    func converted(_ command: [String], _ pem: String) throws -> String {
        try OpenSSLCommand.run(command + ["-in", "k"], files: ["k": pem])
    }

    @Test func aP8FileIsReadAndSignsForItsPublicKey() throws {
        let key = P256.Signing.PrivateKey()
        let read = try SigningKey.read(Array(key.pemRepresentation.utf8))
        let signature = try read.signature(of: Array("header.claims".utf8))
        #expect(signature.count == 64)
        let parsed = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        #expect(key.publicKey.isValidSignature(parsed, for: Data("header.claims".utf8)))
        #expect(read.fingerprint == SHA256.hash(data: key.publicKey.derRepresentation).hexadecimal)
        #expect(read == (try SigningKey.read(Array(("text\r\n" + key.pemRepresentation).utf8))))
        #expect(read != (try SigningKey.read(Array(P256.Signing.PrivateKey().pemRepresentation.utf8))))
    }

    @Test func aP8FileAsOpenSSLMakesItIsRead() throws {
        let key = P256.Signing.PrivateKey().pemRepresentation
        #expect(code(try converted(["pkcs8", "-topk8", "-nocrypt"], key)) == nil)
        #expect(code(key.replacingOccurrences(of: "\n", with: " ")) == nil)
    }

    @Test func otherKeysAreToldApart() throws {
        let key = P256.Signing.PrivateKey().pemRepresentation
        #expect(code("") == .keyNotPEM)
        #expect(code("MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEH") == .keyNotPEM)
        #expect(code(String(repeating: "-----BEGIN ", count: 1 << 18)) == .keyNotPEM)
        #expect(code(try converted(["ec"], key)) == .keyNotPKCS8)
        #expect(code(try converted(["ec", "-pubout"], key)) == .keyNotPKCS8)
        let encrypt = ["pkcs8", "-topk8", "-passout", "pass:x"]
        #expect(code(try converted(encrypt, key)) == .keyEncrypted)
        #expect(code(try converted(["ec", "-aes256", "-passout", "pass:x"], key)) == .keyEncrypted)
        #expect(code(P384.Signing.PrivateKey().pemRepresentation) == .keyNotP256)
        #expect(code(try TestKey.rsa.get().pem) == .keyNotP256)
        #expect(code(try OpenSSLCommand.run(["genpkey", "-algorithm", "ed25519"])) == .keyNotP256)
    }

    @Test func brokenKeysAreDamaged() throws {
        #expect(code("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----") == .keyDamaged)
        #expect(code("-----BEGIN PRIVATE KEY-----\n!!\n-----END PRIVATE KEY-----") == .keyDamaged)
        #expect(code("-----BEGIN PRIVATE KEY-----\nMIGT") == .keyDamaged)
        // Right algorithm, but the inner key is not one.
        let der = Array(P256.Signing.PrivateKey().derRepresentation)
        var broken = der
        broken[30] ^= 0xFF
        let text = "-----BEGIN PRIVATE KEY-----\n\(Data(broken).base64EncodedString())\n-----END PRIVATE KEY-----"
        #expect(code(text) == .keyDamaged)
    }

    @Test func nothingThatShowsAKeyShowsItsContent() throws {
        let key = P256.Signing.PrivateKey()
        let read = try SigningKey.read(Array(key.pemRepresentation.utf8))
        var dumped = ""
        dump(read, to: &dumped)
        let shown = [String(describing: read), String(reflecting: read), "\(read)", dumped]
        for text in shown { #expect(text.contains(read.fingerprint)) }
        #expect(Mirror(reflecting: read).children.map(\.label) == ["fingerprint"])
        #expect(String(describing: read) == "SigningKey(sha256:\(read.fingerprint))")
    }

    @Test func nothingThatShowsAnIdentityShowsItsKey() throws {
        let pem = try TestCertificate().pemWithKey()
        let identity = try CertificateIdentity.read(Array(pem.utf8), passphrase: nil)
        var dumped = ""
        dump(identity, to: &dumped)
        for text in [String(describing: identity), String(reflecting: identity), "\(identity)", dumped] {
            #expect(!text.contains("BEGIN") && text.contains("<redacted>") && text.contains(identity.fingerprint))
        }
    }
}
