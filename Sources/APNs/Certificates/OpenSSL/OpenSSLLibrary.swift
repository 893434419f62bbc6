internal import COpenSSL

/// OpenSSL's own library context for reading certificates: providers `default` and, where installed, `legacy`.
///
/// A context of its own leaves libcurl's TLS, which runs in OpenSSL's default context, without the old ciphers.
/// Source: https://docs.openssl.org/3.0/man3/OSSL_LIB_CTX/ ("legacy" holds RC2, which Keychain exports use).
// Unchecked: both handles are set once in `init`; a library context may be used by any number of threads.
@safe
final class OpenSSLLibrary: @unchecked Sendable {
    /// The one that all reading uses, made at first use; nil when OpenSSL cannot be set up.
    static let shared = OpenSSLLibrary(legacy: true)

    /// The context to give to OpenSSL's functions.
    let context: OpaquePointer
    /// Whether the `legacy` provider is there.
    // Unsafe: only counted.
    var hasLegacy: Bool { unsafe providers.count > 1 }

    private let providers: [OpaquePointer]

    /// Makes a context; nil without memory or without the default provider.
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

    /// What OpenSSL's queue of errors says about a failed call, and empties it.
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

    /// The error for an algorithm that no provider has.
    var unsupported: CredentialError {
        CredentialError(hasLegacy ? .unsupportedEncryption : .legacyProviderMissing)
    }
}

/// What the queue of errors holds after a call that failed.
enum OpenSSLFailure {
    /// Nothing: the call says no without an error.
    case none
    /// An algorithm that is not known, or that no provider has.
    case unsupported
    /// Anything else.
    case other
}
