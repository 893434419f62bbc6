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
