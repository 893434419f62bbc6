import Base
import COpenSSL
import Crypto
import Foundation
import SwiftASN1
import X509

@testable import Delivery

/// A key made for one test, with the forms that files have it in.
struct TestKey {
    let pem: String
    let key: Certificate.PrivateKey

    static func ec() throws -> TestKey { try TestKey(pem: P256.Signing.PrivateKey().pemRepresentation) }

    /// RSA 2048, as most of Apple's push certificates have; made once.
    static let rsa = Result { try TestKey(pem: OpenSSLCommand.run(["genrsa", "2048"])) }

    init(pem: String) throws {
        self.pem = pem
        key = try Certificate.PrivateKey(pemEncoded: pem)
    }
}

/// Makes certificates that look like Apple's.
struct TestCertificate {
    var subject: [(ASN1ObjectIdentifier, String)] = [
        (.RDNAttributeType.commonName, "Apple Push Services: com.example.app")
    ]
    var issuer: [(ASN1ObjectIdentifier, String)] = [(.RDNAttributeType.commonName, "Example WWDR")]
    var notBefore: Int64 = 1_700_000_000
    var notAfter: Int64 = 1_731_536_000
    var extensions: [Certificate.Extension] = []

    static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]

    static func apple(_ last: UInt, _ value: [UInt8] = [0x05, 0x00]) -> Certificate.Extension {
        .init(oid: [1, 2, 840, 113_635, 100, 6, 3, last], critical: false, value: value[...])
    }

    /// The value of 6.3.6: topics with their kinds.
    static func topics(_ topics: [(String, [String])]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { list in
            for (name, kinds) in topics {
                try list.serialize(ASN1UTF8String(name))
                try list.appendConstructedNode(identifier: .sequence) { inner in
                    for kind in kinds { try inner.serialize(ASN1UTF8String(kind)) }
                }
            }
        }
        return serializer.serializedBytes
    }

    /// A certificate for `key`, signed by `signer` (a key of its own when nil).
    func make(for key: TestKey, signedBy signer: TestKey? = nil) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.key.publicKey,
            notValidBefore: Date(timeIntervalSince1970: Double(notBefore)),
            notValidAfter: Date(timeIntervalSince1970: Double(notAfter)), issuer: Self.name(issuer),
            subject: Self.name(subject), signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(extensions),
            issuerPrivateKey: (signer ?? TestKey.ec()).key)
    }

    func pem(for key: TestKey) throws -> String { try make(for: key).serializeAsPEM().pemString + "\n" }

    /// A certificate for a new key, and the key.
    func pemWithKey() throws -> String {
        let key = try TestKey.ec()
        return try pem(for: key) + key.pem
    }

    private static func name(_ parts: [(ASN1ObjectIdentifier, String)]) throws -> DistinguishedName {
        try DistinguishedName(parts.map { .init(type: $0.0, utf8String: $0.1) })
    }
}

extension Certificate {
    var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }
}

/// Runs the `openssl` program in a folder of its own, which is removed afterwards.
enum OpenSSLCommand {
    struct Failure: Error { let text: String }

    /// Runs a command with files in its folder; returns what it prints.
    static func run(_ arguments: [String], files: [String: String] = [:]) throws -> String {
        String(decoding: try run(arguments, files: files, output: nil), as: UTF8.self)
    }

    /// Runs a command with files in its folder; returns the file `output`, or what it prints.
    static func run(_ arguments: [String], files: [String: String], output: String?) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        let (out, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (out, errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let printed = out.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(text: String(decoding: complaint, as: UTF8.self))
        }
        return try output.map { [UInt8](try Data(contentsOf: folder.appendingPathComponent($0))) } ?? [UInt8](printed)
    }

    /// A `.p12` of what `pem` holds.
    static func pkcs12(_ pem: String, passphrase: String, _ options: [String] = []) throws -> [UInt8] {
        try run(
            ["pkcs12", "-export", "-in", "all.pem", "-out", "all.p12", "-passout", "pass:" + passphrase] + options,
            files: ["all.pem": pem], output: "all.p12")
    }
}

/// A `.p12` with any certificates and keys, which the program refuses to make: several keys, mismatched ones, or the
/// null passphrase.
func assembledPKCS12(certificates: [[UInt8]], keys: [String], passphrase: String?) throws -> [UInt8] {
    var bags: OpaquePointer?
    var safes: OpaquePointer?
    for certificate in certificates {
        let parsed = certificate.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_X509(nil, &cursor, buffer.count)
        }
        defer { X509_free(parsed) }
        PKCS12_add_cert(&bags, parsed)
    }
    for key in keys {
        let bytes = Array(key.utf8)
        let bio = BIO_new_mem_buf(bytes, CInt(bytes.count))
        let parsed = PEM_read_bio_PrivateKey(bio, nil, nil, nil)
        BIO_free(bio)
        defer { EVP_PKEY_free(parsed) }
        PKCS12_add_key(&bags, parsed, 0, 2048, NID_aes_256_cbc, passphrase)
    }
    PKCS12_add_safe(&safes, bags, NID_aes_256_cbc, 2048, passphrase)
    bugle_safebag_stack_free(bags)
    let archive = PKCS12_add_safes(safes, 0)
    bugle_PKCS7_stack_free(safes)
    defer { PKCS12_free(archive) }
    PKCS12_set_mac(archive, passphrase, passphrase == nil ? 0 : -1, nil, 0, 2048, EVP_sha256())
    return [UInt8](
        unsafeUninitializedCapacity: Int(i2d_PKCS12(archive, nil)),
        initializingWith: { buffer, count in
            var cursor = buffer.baseAddress
            count = Int(i2d_PKCS12(archive, &cursor))
        })
}

/// Reads a certificate and returns the code of the error, nil when it can be read.
func code(
    _ bytes: [UInt8], passphrase: String? = nil, key: String? = nil
) -> CredentialError.Code? {
    do throws(CredentialError) {
        _ = try CertificateIdentity.read(
            bytes, passphrase: passphrase.map { Secret($0) }, separateKey: key.map { Array($0.utf8) })
        return nil
    } catch {
        return error.code
    }
}
