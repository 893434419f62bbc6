internal import Base
internal import COpenSSL
internal import SwiftASN1

/// Limits on deriving a key from a passphrase.
enum KeyDerivation {
    /// The most iterations, about half a second; programs write 2,000 to 600,000, a file can claim 2,000,000,000.
    private static let most = 1_000_000

    /// True when that many iterations are acceptable; a negative count means one too large for the integer.
    static func isBearable(_ iterations: Int64) -> Bool { (0...Int64(most)).contains(iterations) }
}

/// A private key that OpenSSL has read, from any format and encryption.
struct PrivateKey {
    private let handle: OpenSSLHandle
    private let library: OpenSSLLibrary

    /// True when a PEM block with this label is a private key.
    static func isPrivateKey(_ label: String) -> Bool { label.hasSuffix("PRIVATE KEY") }

    /// Reads the key of one PEM block: PKCS#8, encrypted PKCS#8, or the traditional forms, encrypted or not.
    init(_ block: PEMBlock, passphrase: [UInt8]?, library: OpenSSLLibrary) throws(CredentialError) {
        if block.isTraditionallyEncrypted {
            try self.init(traditional: block.text, passphrase: passphrase, library: library)
        } else if let der = block.der {
            if block.label == "ENCRYPTED PRIVATE KEY" {
                try self.init(encrypted: der, passphrase: passphrase, library: library)
            } else {
                try self.init(der: der, library: library)
            }
        } else {
            throw CredentialError(.keyDamaged)
        }
    }

    /// Reads an unencrypted key in DER: PKCS#8 or the traditional form of RSA and EC.
    init(der: [UInt8], library: OpenSSLLibrary) throws(CredentialError) {
        // Unsafe: the bytes live through the call, and the cursor starts at them.
        let key = unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            // Unsafe: see above; the length is the buffer's.
            return unsafe d2i_AutoPrivateKey_ex(nil, &cursor, buffer.count, library.context, nil)
        }
        // Unsafe: the key is handed over.
        try unsafe self.init(owning: key, library: library)
    }

    /// Reads the key of an unencrypted PKCS#8 object, which stays with its owner.
    init(info: OpaquePointer, library: OpenSSLLibrary) throws(CredentialError) {
        // Unsafe: the object lives through the call; the key is handed over.
        try unsafe self.init(owning: EVP_PKCS82PKEY_ex(info, library.context, nil), library: library)
    }

    /// Reads an encrypted PKCS#8 object in DER.
    init(encrypted der: [UInt8], passphrase: [UInt8]?, library: OpenSSLLibrary) throws(CredentialError) {
        // Unsafe: the bytes live through the call, and the cursor starts at them.
        let outer = unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            // Unsafe: see above; the length is the buffer's; the object is handed over.
            return unsafe OpenSSLHandle(d2i_X509_SIG(nil, &cursor, buffer.count)) { unsafe X509_SIG_free($0) }
        }
        ERR_clear_error()
        guard let outer else { throw CredentialError(.keyDamaged) }
        guard let passphrase else { throw CredentialError(.passphraseNeeded) }
        // Unsafe: the object lives through the call.
        guard unsafe outer.withPointer({ unsafe KeyDerivation.isBearable(bugle_key_iterations($0)) }) else {
            throw CredentialError(.unsupportedEncryption)
        }
        // Unsafe: both pointers live through the call; the object is handed over.
        let inner = unsafe [UInt8].withPassphrase(passphrase) { text, length in
            // Unsafe: see above.
            let info = unsafe outer.withPointer { unsafe PKCS8_decrypt_ex($0, text, length, library.context, nil) }
            // Unsafe: freed once, by its owner.
            return unsafe OpenSSLHandle(info) { unsafe PKCS8_PRIV_KEY_INFO_free($0) }
        }
        let failure = library.failure()
        guard let inner else {
            throw failure == .unsupported ? library.unsupported : CredentialError(.wrongPassphrase)
        }
        // Unsafe: `inner` lives through the call.
        self = try unsafe inner.withPointer { (info) throws(CredentialError) in
            try unsafe PrivateKey(info: info, library: library)
        }
    }

    /// Reads a key with a `Proc-Type: 4,ENCRYPTED` header.
    private init(traditional text: String, passphrase: [UInt8]?, library: OpenSSLLibrary) throws(CredentialError) {
        guard let passphrase else { throw CredentialError(.passphraseNeeded) }
        let bytes = Array(text.utf8)
        // Unsafe: the BIO reads from the bytes while the closure runs, and is freed before it ends.
        let key = unsafe bytes.withUnsafeBytes { buffer -> OpaquePointer? in
            // Unsafe: see above.
            guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, CInt(clamping: buffer.count)) else { return nil }
            // Unsafe: made above, freed once.
            defer { unsafe _ = BIO_free(bio) }
            // Unsafe: without a callback OpenSSL takes the last but two arguments for a zero-terminated passphrase,
            // so it never asks at the terminal.
            return unsafe [UInt8].withPassphrase(passphrase) { text, _ in
                // Unsafe: see above; OpenSSL only reads the passphrase.
                unsafe PEM_read_bio_PrivateKey_ex(
                    bio, nil, nil, UnsafeMutableRawPointer(mutating: text), library.context, nil)
            }
        }
        let failure = library.failure()
        // Unsafe: the key is handed over.
        guard let handle = unsafe OpenSSLHandle(key, release: { unsafe EVP_PKEY_free($0) }) else {
            throw failure == .unsupported ? library.unsupported : CredentialError(.wrongPassphrase)
        }
        (self.handle, self.library) = (handle, library)
    }

    private init(owning key: OpaquePointer?, library: OpenSSLLibrary) throws(CredentialError) {
        ERR_clear_error()
        // Unsafe: the key is handed over.
        guard let handle = unsafe OpenSSLHandle(key, release: { unsafe EVP_PKEY_free($0) }) else {
            throw CredentialError(.keyDamaged)
        }
        (self.handle, self.library) = (handle, library)
    }

    /// True when the certificate (DER) belongs to this key.
    func matches(certificate der: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        // Unsafe: the object is made here; d2i frees it and sets nil when the bytes cannot be read.
        var object = unsafe X509_new_ex(library.context, nil)
        // Unsafe: the bytes live through the call, and the cursor starts at them.
        unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            // Unsafe: see above; the length is the buffer's.
            unsafe _ = d2i_X509(&object, &cursor, buffer.count)
        }
        // Unsafe: the object is handed over.
        guard let certificate = unsafe OpenSSLHandle(object, release: { unsafe X509_free($0) }) else { return false }
        // Unsafe: both objects live through the call.
        return unsafe certificate.withPointer { certificate in
            // Unsafe: see above.
            unsafe handle.withPointer { unsafe X509_check_private_key(certificate, $0) == 1 }
        }
    }

    /// The key as unencrypted PKCS#8 PEM; nil for a key that PKCS#8 cannot hold.
    func pem() -> Secret? {
        defer { ERR_clear_error() }
        // Unsafe: the key lives through the call; the new object is handed over.
        let object = unsafe handle.withPointer { unsafe EVP_PKEY2PKCS8($0) }
        // Unsafe: freed once, by its owner.
        let info = unsafe OpenSSLHandle(object) { unsafe PKCS8_PRIV_KEY_INFO_free($0) }
        guard let info else { return nil }
        // Unsafe: the object lives through both calls.
        let der = unsafe info.withPointer { pointer in
            // Unsafe: see above.
            unsafe [UInt8].encoded { unsafe i2d_PKCS8_PRIV_KEY_INFO(pointer, $0) }
        }
        guard let der else { return nil }
        return Secret(PEMDocument(type: "PRIVATE KEY", derBytes: der).pemString + "\n")
    }
}
