internal import COpenSSL

/// An OpenSSL library context of our own for reading certificates, with providers `default` and, where installed,
/// `legacy`.
///
/// A separate context keeps the old ciphers out of libcurl's TLS, which runs in OpenSSL's default context.
/// Source: https://docs.openssl.org/3.0/man3/OSSL_LIB_CTX/ ("legacy" holds RC2, which Keychain exports use).
// Unchecked: both handles are set once in `init`; a library context may be used by any number of threads.
@safe
final class OpenSSLLibrary: @unchecked Sendable {
    /// The shared library, created at first use; nil when OpenSSL cannot be initialised.
    static let shared = OpenSSLLibrary(legacy: true)

    /// The context to pass to OpenSSL's functions.
    let context: OpaquePointer
    /// True when the `legacy` provider is loaded.
    // Unsafe: only counted.
    var hasLegacy: Bool { unsafe providers.count > 1 }

    private let providers: [OpaquePointer]

    /// Creates a context; nil when memory or the default provider is missing.
    init?(legacy: Bool) {
        // Unsafe: the context made here is released in `deinit`, or below when its provider is missing.
        guard let context = unsafe OSSL_LIB_CTX_new() else { return nil }
        // Unsafe: the context is alive.
        guard let standard = unsafe OSSL_PROVIDER_load(context, "default") else {
            // Unsafe: nothing else holds the context.
            unsafe OSSL_LIB_CTX_free(context)
            ERR_clear_error()
            return nil
        }
        // Unsafe: the context is alive.
        let old = legacy ? unsafe OSSL_PROVIDER_load(context, "legacy") : nil
        // Unsafe: both handles are kept until `deinit`.
        unsafe (self.context, self.providers) = (context, [standard] + (unsafe old.map { unsafe [$0] } ?? []))
        ERR_clear_error()
    }

    deinit {
        // Unsafe: each was loaded in `init`, and the context is released after them.
        unsafe providers.forEach { unsafe _ = OSSL_PROVIDER_unload($0) }
        // Unsafe: made in `init`, released once.
        unsafe OSSL_LIB_CTX_free(context)
    }

    /// Classifies the errors that a failed call left in OpenSSL's queue, and empties the queue.
    func failure() -> OpenSSLFailure {
        var failure = OpenSSLFailure.none
        while case let error = ERR_get_error(), error != 0 {
            if bugle_error_is_unsupported(error) == 1 {
                failure = .unsupported
            } else if failure == .none {
                failure = .other
            }
        }
        return failure
    }

    /// The error for an algorithm that no loaded provider has.
    var unsupported: CredentialError {
        CredentialError(hasLegacy ? .unsupportedEncryption : .legacyProviderMissing)
    }
}

/// The kind of error that a failed call left in OpenSSL's queue.
enum OpenSSLFailure {
    /// The queue is empty: the call failed without an error.
    case none
    /// An unknown algorithm, or one that no provider has.
    case unsupported
    /// Anything else.
    case other
}

/// Owns one OpenSSL object and frees it when the last reference goes.
@safe
final class OpenSSLHandle {
    private let pointer: OpaquePointer
    private let release: (OpaquePointer) -> Void

    /// Takes ownership of an object, with the function that frees it; nil for a null pointer.
    init?(_ pointer: OpaquePointer?, release: @escaping (OpaquePointer) -> Void) {
        // Unsafe: the caller hands the object over and keeps no reference to it.
        guard let pointer = unsafe pointer else { return nil }
        // Unsafe: kept until `deinit`.
        unsafe (self.pointer, self.release) = (pointer, release)
    }

    /// Calls the closure with the object, which stays alive until the closure returns.
    func withPointer<Result, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Unsafe: the caller of a method keeps the handle alive to its end.
        try unsafe body(pointer)
    }

    deinit {
        // Unsafe: the object was handed over in `init` and is freed here only.
        unsafe release(pointer)
    }
}

extension [UInt8] {
    /// Passes the bytes to a C function as a passphrase with its length; a null pointer and length 0 for nil.
    static func withPassphrase<Result>(
        _ passphrase: [UInt8]?, _ body: (UnsafePointer<CChar>?, CInt) -> Result
    ) -> Result {
        guard let passphrase else { return body(nil, 0) }
        // A trailing zero, so that an empty passphrase is a pointer too and string functions find its end.
        let terminated = passphrase.map { CChar(bitPattern: $0) } + [0]
        // Unsafe: the array lives through the call; the length leaves the closing zero out.
        return unsafe terminated.withUnsafeBufferPointer {
            // Unsafe: see above.
            unsafe body($0.baseAddress, CInt(clamping: passphrase.count))
        }
    }

    /// The bytes that an OpenSSL `i2d` function writes for an object; it is called once for the length, once for the
    /// bytes.
    static func encoded(by encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt) -> [UInt8]? {
        let length = encode(nil)
        guard length > 0 else { return nil }
        // Unsafe: the function writes exactly the length that it gave for the same object.
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            var cursor = buffer.baseAddress
            // Unsafe: the cursor starts at the buffer, which has room for the length.
            count = Int(unsafe encode(&cursor))
        }
    }
}
