internal import SwiftASN1
internal import X509

/// The contents of a certificate file, before certificates and keys are matched.
struct CredentialFile {
    /// The distinct certificates as DER, in the file's order.
    private(set) var certificates: [[UInt8]] = []
    /// The private keys, in the file's order.
    var keys: [PrivateKey] = []

    /// The largest file accepted, in bytes; a certificate with its chain and key has about 10,000.
    static let maximumSize = 1 << 20

    /// The most keys accepted in a file, which bounds the passphrase derivations; an export has one or a few.
    static let maximumKeys = 16

    /// The most certificates accepted in a file: each is tried with each key.
    static let maximumCertificates = 256

    /// Reads PKCS#12, PEM or one DER certificate; PEM keys are skipped unless `readsKeys`.
    init(_ bytes: [UInt8], passphrase: [UInt8]?, readsKeys: Bool, library: OpenSSLLibrary) throws(CredentialError) {
        guard bytes.count <= Self.maximumSize else { throw CredentialError(.unsupportedFormat) }
        if PEMBlock.isPEM(bytes) {
            try read(PEMBlock.blocks(in: bytes), passphrase: passphrase, readsKeys: readsKeys, library: library)
        } else if PKCS12Archive.isPKCS12(bytes) {
            let archive = try PKCS12Archive(bytes, passphrase: passphrase, library: library)
            for certificate in archive.certificates { try add(certificate) }
            keys = archive.keys
        } else if (try? Certificate(derEncoded: bytes)) != nil {
            certificates = [bytes]
        } else {
            throw CredentialError(.unsupportedFormat)
        }
    }

    /// Reads the keys of a separate key file, PEM or DER.
    static func keys(
        in bytes: [UInt8], passphrase: [UInt8]?, library: OpenSSLLibrary
    ) throws(CredentialError) -> [PrivateKey] {
        guard bytes.count <= maximumSize else { throw CredentialError(.keyDamaged) }
        guard PEMBlock.isPEM(bytes) else { return [try PrivateKey(der: bytes, library: library)] }
        var keys: [PrivateKey] = []
        for block in PEMBlock.blocks(in: bytes) where PrivateKey.isPrivateKey(block.label) {
            guard keys.count < maximumKeys else { throw CredentialError(.severalKeys) }
            keys.append(try PrivateKey(block, passphrase: passphrase, library: library))
        }
        return keys
    }

    private mutating func read(
        _ blocks: [PEMBlock], passphrase: [UInt8]?, readsKeys: Bool, library: OpenSSLLibrary
    ) throws(CredentialError) {
        for block in blocks {
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE":
                guard let der = block.der else { throw CredentialError(.damaged) }
                try add(der)
            case "": throw CredentialError(.damaged)
            case let label where readsKeys && PrivateKey.isPrivateKey(label):
                guard keys.count < Self.maximumKeys else { throw CredentialError(.severalKeys) }
                keys.append(try PrivateKey(block, passphrase: passphrase, library: library))
            default: break
            }
        }
    }

    private mutating func add(_ certificate: [UInt8]) throws(CredentialError) {
        if certificates.contains(certificate) { return }
        guard certificates.count < Self.maximumCertificates else { throw CredentialError(.severalKeys) }
        certificates.append(certificate)
    }
}
