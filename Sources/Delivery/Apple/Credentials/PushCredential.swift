internal import Base
internal import Crypto
internal import FoundationEssentials
package import Push
internal import SwiftASN1
internal import X509

/// A loaded credential that authenticates pushes.
package enum PushCredential: Hashable, Sendable {
    /// A certificate with its key; the certificate names its topics and environments.
    case certificate(CertificateIdentity)
    /// A team's key, which signs provider tokens; ids of 10 characters each.
    case token(key: SigningKey, teamID: String, keyID: String)
    case serviceAccount(ServiceAccount)
    /// Another vendor's ids and secrets.
    case vendor(VendorCredential)
}

/// The ids and secrets of an app at an Android vendor, by the names of their fields.
package struct VendorCredential: Hashable, Sendable {
    package let vendor: PushVendor
    package let ids: [String: String]
    let secrets: [String: Secret]
    /// Huawei's account for HarmonyOS.
    private var account: HuaweiAccount?

    /// Joins them.
    ///
    /// - Throws: `huaweiAccountDamaged` or `keyDamaged` for an account that cannot be used.
    init(vendor: PushVendor, ids: [String: String], secrets: [String: Secret]) throws(CredentialError) {
        (self.vendor, self.ids, self.secrets) = (vendor, ids, secrets)
        if vendor == .harmony { account = try HuaweiAccount.read(secrets["serviceAccount"]?.revealedBytes ?? []) }
    }

    /// The service that they are for; nil for a vendor without one here.
    var service: (any VendorService)? {
        func id(_ name: String) -> String { ids[name] ?? "" }
        func secret(_ name: String) -> Secret { secrets[name] ?? Secret("") }
        return switch vendor {
        case .apns, .fcm: nil
        case .hms: HuaweiService(appID: id("appId"), clientSecret: secret("clientSecret"))
        case .harmony: account.map { HarmonyService(account: $0) }
        case .honor:
            HonorService(appID: id("appId"), clientID: id("clientId"), clientSecret: secret("clientSecret"))
        case .mi, .miGlobal:
            XiaomiService(package: id("package"), isGlobal: vendor == .miGlobal, appSecret: secret("appSecret"))
        case .oppo: OPPOService(appKey: id("appKey"), masterSecret: secret("masterSecret"))
        case .vivo: VivoService(appID: id("appId"), appKey: id("appKey"), appSecret: secret("appSecret"))
        }
    }

    /// SHA-256 of the ids and secrets: another secret is another credential, and none can be read from it.
    var fingerprint: String {
        var hash = SHA256()
        for (name, secret) in secrets.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Array("\(vendor.rawValue) \(name) ".utf8))
            hash.update(data: Array(secret.revealedText.utf8))
        }
        for (name, id) in ids.sorted(by: { $0.key < $1.key }) { hash.update(data: Array("\(name)=\(id) ".utf8)) }
        return hash.finalize().hexadecimal
    }
}

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

/// One `-----BEGIN X-----` … `-----END X-----` block of a text.
///
/// Text around the blocks (bag attributes, a byte order mark) and white space inside them are skipped: secrets that
/// went through an environment variable have often lost their line breaks.
struct PEMBlock {
    /// The label after BEGIN, such as `CERTIFICATE`.
    let label: String
    /// The decoded bytes; nil when they are not base64.
    let der: [UInt8]?
    /// True when a `Proc-Type: 4,ENCRYPTED` header precedes the bytes (a key in OpenSSL's traditional form).
    let isTraditionallyEncrypted: Bool
    /// The original text of the block, with its BEGIN and END lines.
    let text: String

    /// True when the bytes look like PEM.
    static func isPEM(_ bytes: [UInt8]) -> Bool { bytes.firstRange(of: opening) != nil }

    /// All blocks in order; an opening line without an end line before the next opening becomes a block without bytes.
    static func blocks(in bytes: [UInt8]) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var rest = bytes[...]
        while let begin = rest.firstRange(of: opening) {
            rest = rest[begin.lowerBound...]
            let (block, end) = first(in: rest)
            blocks.append(block)
            rest = rest[end...]
        }
        return blocks
    }

    private static let opening = Array("-----BEGIN ".utf8)
    private static let dashes = Array("-----".utf8)

    /// The block that `rest` starts with, and the index from which to look for the next.
    private static func first(in rest: ArraySlice<UInt8>) -> (PEMBlock, Int) {
        let labelStart = rest.startIndex + opening.count
        guard let labelEnd = rest[labelStart...].firstRange(of: dashes) else {
            return (PEMBlock(label: "", der: nil, isTraditionallyEncrypted: false, text: ""), rest.endIndex)
        }
        let label = String(decoding: rest[labelStart..<labelEnd.lowerBound], as: UTF8.self)
        let closing = Array("-----END \(label)-----".utf8)
        // Search only up to the next opening: otherwise unterminated openings cost quadratic time.
        let following = rest[labelEnd.upperBound...]
        let body = following[..<(following.firstRange(of: opening)?.lowerBound ?? rest.endIndex)]
        guard let end = body.firstRange(of: closing) else {
            return (PEMBlock(label: label, der: nil, isTraditionallyEncrypted: false, text: ""), labelEnd.upperBound)
        }
        let inner = String(decoding: rest[labelEnd.upperBound..<end.lowerBound], as: UTF8.self)
        let hasHeaders = inner.utf8.contains(UInt8(ascii: ":"))
        let block = PEMBlock(
            label: label, der: hasHeaders ? nil : decoded(inner),
            isTraditionallyEncrypted: hasHeaders && inner.contains("ENCRYPTED"),
            text: String(decoding: rest[..<end.upperBound], as: UTF8.self) + "\n")
        return (block, end.upperBound)
    }

    private static func decoded(_ base64: String) -> [UInt8]? {
        let plain = base64.filter { !$0.isWhitespace }
        guard !plain.isEmpty, let data = Data(base64Encoded: plain) else { return nil }
        return Array(data)
    }
}

/// A file of certificates in PEM form, one after the other.
package enum CertificateBundle {
    /// The number of readable certificates in the bundle; other blocks are skipped.
    package static func count(in bytes: [UInt8]) -> Int {
        PEMBlock.blocks(in: bytes).count { block in
            block.label.hasSuffix("CERTIFICATE") && !(block.der ?? []).isEmpty
        }
    }
}
