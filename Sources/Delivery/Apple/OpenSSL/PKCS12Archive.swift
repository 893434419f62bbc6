internal import COpenSSL

/// The certificates and keys of a PKCS#12 file (`.p12`, `.pfx`).
///
/// Source: RFC 7292; https://docs.openssl.org/3.0/man3/PKCS12_parse/. The parts are walked one by one because
/// `PKCS12_parse` returns only the first key and does not report others.
struct PKCS12Archive {
    /// The certificates as DER, in the file's order.
    private(set) var certificates: [[UInt8]] = []
    /// The keys, in the file's order.
    private(set) var keys: [PrivateKey] = []

    private let library: OpenSSLLibrary

    /// True when the bytes start like PKCS#12: a SEQUENCE whose first element is the INTEGER 3.
    static func isPKCS12(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2, bytes[0] == 0x30 else { return false }
        let lengthBytes = bytes[1] > 0x80 ? Int(bytes[1] & 0x7F) : 0
        return bytes.dropFirst(2 + lengthBytes).starts(with: [0x02, 0x01, 0x03])
    }

    /// Opens a file. No passphrase and an empty one are the same; both encodings that PKCS#12 has for it are tried.
    init(_ bytes: [UInt8], passphrase: [UInt8]?, library: OpenSSLLibrary) throws(CredentialError) {
        self.library = library
        let archive = try Self.decode(bytes, library)
        let given: [UInt8]? = passphrase.flatMap { $0.isEmpty ? nil : $0 }
        let forms: [[UInt8]?] = given.map { [$0] } ?? [nil, []]
        // Unsafe: the archive lives through the call.
        guard unsafe archive.withPointer({ unsafe PKCS12_mac_present($0) }) == 1 else {
            try readTrying(forms, archive)
            return
        }
        // Unsafe: the archive lives through the call.
        guard unsafe archive.withPointer({ unsafe KeyDerivation.isBearable(bugle_mac_iterations($0)) }) else {
            throw CredentialError(.unsupportedEncryption)
        }
        let form = try Self.verified(archive, forms, library)
        do throws(PartError) {
            try readAll(archive, passphrase: form)
        } catch {
            // The passphrase is right, so what does not open is broken.
            throw error.credentialError(whenClosed: .damaged, library)
        }
    }

    /// Without a MAC, only decrypting the parts shows whether the passphrase is right.
    private mutating func readTrying(_ forms: [[UInt8]?], _ archive: OpenSSLHandle) throws(CredentialError) {
        for (index, form) in forms.enumerated() {
            do throws(PartError) {
                (certificates, keys) = ([], [])
                return try readAll(archive, passphrase: form)
            } catch {
                if case .closed = error, index + 1 < forms.count { continue }
                throw error.credentialError(whenClosed: Self.refusal(forms), library)
            }
        }
    }

    /// The encoding of the passphrase that the file's MAC was computed with.
    private static func verified(
        _ archive: OpenSSLHandle, _ forms: [[UInt8]?], _ library: OpenSSLLibrary
    ) throws(CredentialError) -> [UInt8]? {
        for form in forms {
            // Unsafe: archive and passphrase live through the call.
            let fits = unsafe [UInt8].withPassphrase(form) { text, length in
                // Unsafe: see above.
                unsafe archive.withPointer { unsafe PKCS12_verify_mac($0, text, length) }
            }
            let failure = library.failure()
            if fits == 1 { return form }
            // A MAC mismatch leaves no error in the queue; a MAC that cannot be computed does.
            switch failure {
            case .none: continue
            case .unsupported: throw library.unsupported
            case .other: throw CredentialError(.damaged)
            }
        }
        throw CredentialError(refusal(forms))
    }

    private static func refusal(_ forms: [[UInt8]?]) -> CredentialError.Code {
        forms.count > 1 ? .passphraseNeeded : .wrongPassphrase
    }

    private static func decode(_ bytes: [UInt8], _ library: OpenSSLLibrary) throws(CredentialError) -> OpenSSLHandle {
        // Unsafe: made for the library context; d2i frees it and sets nil when the bytes cannot be read.
        var object = unsafe PKCS12_init_ex(NID_pkcs7_data, library.context, nil)
        // Unsafe: the bytes live through the call, and the cursor starts at them.
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            // Unsafe: see above; the length is the buffer's.
            unsafe _ = d2i_PKCS12(&object, &cursor, buffer.count)
        }
        ERR_clear_error()
        // Unsafe: the object is handed over.
        guard let archive = unsafe OpenSSLHandle(object, release: { unsafe PKCS12_free($0) }) else {
            throw CredentialError(.damaged)
        }
        return archive
    }
}

/// The reason one part of a file cannot be read.
private enum PartError: Error {
    /// The passphrase does not decrypt it.
    case closed
    /// No provider supports its encryption.
    case unsupported
    /// Its passphrase derivation would take too long.
    case excessive
    /// Its content is not what PKCS#12 allows here.
    case damaged
    /// A key in it cannot be used.
    case key(CredentialError)

    func credentialError(whenClosed code: CredentialError.Code, _ library: OpenSSLLibrary) -> CredentialError {
        switch self {
        case .closed: CredentialError(code)
        case .unsupported: library.unsupported
        case .excessive: CredentialError(.unsupportedEncryption)
        case .damaged: CredentialError(.damaged)
        case .key(let error): error
        }
    }
}

// MARK: - The parts

extension PKCS12Archive {
    private mutating func readAll(_ archive: OpenSSLHandle, passphrase: [UInt8]?) throws(PartError) {
        // Unsafe: the archive lives through the call; the parts are handed over.
        let stack = unsafe archive.withPointer { unsafe PKCS12_unpack_authsafes($0) }
        // Unsafe: freed once, by its owner.
        let parts = unsafe OpenSSLHandle(stack) { unsafe bugle_PKCS7_stack_free($0) }
        ERR_clear_error()
        guard let parts else { throw .damaged }
        // Unsafe: each use inside says why.
        try unsafe parts.withPointer { (stack) throws(PartError) in
            // Each encrypted part costs a key derivation, as an encrypted key does.
            // Unsafe: the parts live through the call.
            guard unsafe bugle_PKCS7_stack_count(stack) <= CredentialFile.maximumKeys else {
                throw .key(CredentialError(.severalKeys))
            }
            // Unsafe: the parts live to the end of the loop.
            for index in unsafe 0..<bugle_PKCS7_stack_count(stack) {
                // Unsafe: the index is below the count.
                guard let part = unsafe bugle_PKCS7_stack_value(stack, index) else { continue }
                // Unsafe: the part belongs to the stack.
                let bags = try unsafe bags(of: part, passphrase: passphrase)
                // Unsafe: the bags live through the call.
                try unsafe bags.withPointer { (bags) throws(PartError) in
                    try unsafe read(bags: bags, passphrase: passphrase)
                }
            }
        }
    }

    private func bags(of part: UnsafeMutablePointer<PKCS7>, passphrase: [UInt8]?) throws(PartError) -> OpenSSLHandle {
        // Unsafe: the part lives through the calls below; what they return is handed over.
        let stack: OpaquePointer?
        switch unsafe bugle_PKCS7_type(part) {
        case NID_pkcs7_data:
            // Unsafe: see above.
            unsafe stack = PKCS12_unpack_p7data(part)
        case NID_pkcs7_encrypted:
            // Unsafe: see above.
            guard unsafe KeyDerivation.isBearable(bugle_part_iterations(part)) else { throw .excessive }
            // Unsafe: see above; the passphrase lives through the call.
            unsafe stack = [UInt8].withPassphrase(passphrase) { unsafe PKCS12_unpack_p7encdata(part, $0, $1) }
        default: throw .unsupported
        }
        let failure = library.failure()
        // Unsafe: the bags are handed over, and freed once by their owner.
        if let bags = unsafe OpenSSLHandle(stack, release: { unsafe bugle_safebag_stack_free($0) }) { return bags }
        // Unsafe: the part lives through the call.
        if unsafe bugle_PKCS7_type(part) == NID_pkcs7_data { throw .damaged }
        throw failure == .unsupported ? .unsupported : .closed
    }

    private mutating func read(bags: OpaquePointer, passphrase: [UInt8]?) throws(PartError) {
        // Unsafe: the bags belong to the caller, who keeps them through this call; so does every use below.
        for index in unsafe 0..<bugle_safebag_stack_count(bags) {
            // Unsafe: the index is below the count.
            guard let bag = unsafe bugle_safebag_stack_value(bags, index) else { continue }
            // Unsafe: the bag belongs to `bags`.
            switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
            // Unsafe: as above.
            case NID_certBag: try unsafe readCertificate(bag)
            // Unsafe: as above.
            case NID_keyBag: try unsafe readKey(PKCS12_SAFEBAG_get0_p8inf(bag))
            // Unsafe: as above.
            case NID_pkcs8ShroudedKeyBag: try unsafe readEncryptedKey(bag, passphrase: passphrase)
            case NID_safeContentsBag:
                // Unsafe: as above; OpenSSL bounds the depth of what it decodes.
                if let nested = unsafe PKCS12_SAFEBAG_get0_safes(bag) {
                    // Unsafe: `nested` belongs to the bag.
                    try unsafe read(bags: nested, passphrase: passphrase)
                }
            default: break
            }
        }
    }

    private mutating func readCertificate(_ bag: OpaquePointer) throws(PartError) {
        // Unsafe: the bag lives through the call.
        guard unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate else { return }
        // Unsafe: the certificate is handed over.
        let certificate = unsafe OpenSSLHandle(PKCS12_SAFEBAG_get1_cert(bag)) { unsafe X509_free($0) }
        ERR_clear_error()
        guard let certificate,
            // Unsafe: the certificate lives through both calls.
            let der = unsafe certificate.withPointer({ pointer in
                unsafe [UInt8].encoded { unsafe i2d_X509(pointer, $0) }
            })
        else { throw .damaged }
        certificates.append(der)
    }

    private mutating func readEncryptedKey(_ bag: OpaquePointer, passphrase: [UInt8]?) throws(PartError) {
        guard keys.count < CredentialFile.maximumKeys else { throw .key(CredentialError(.severalKeys)) }
        // Unsafe: bag and passphrase live through the call; the object is handed over.
        guard unsafe KeyDerivation.isBearable(bugle_key_iterations(PKCS12_SAFEBAG_get0_pkcs8(bag))) else {
            throw .excessive
        }
        // Unsafe: as above.
        let info = unsafe [UInt8].withPassphrase(passphrase) { text, length in
            // Unsafe: see above.
            unsafe OpenSSLHandle(PKCS12_decrypt_skey_ex(bag, text, length, library.context, nil)) {
                // Unsafe: freed once, by its owner.
                unsafe PKCS8_PRIV_KEY_INFO_free($0)
            }
        }
        let failure = library.failure()
        guard let info else { throw failure == .unsupported ? .unsupported : .closed }
        // Unsafe: `info` lives through the call.
        try unsafe info.withPointer { (info) throws(PartError) in try unsafe readKey(info) }
    }

    private mutating func readKey(_ info: OpaquePointer?) throws(PartError) {
        // Unsafe: the object lives through this call.
        guard let info = unsafe info else { throw .damaged }
        guard keys.count < CredentialFile.maximumKeys else { throw .key(CredentialError(.severalKeys)) }
        do throws(CredentialError) {
            // Unsafe: as above.
            keys.append(try unsafe PrivateKey(info: info, library: library))
        } catch {
            throw .key(error)
        }
    }
}
