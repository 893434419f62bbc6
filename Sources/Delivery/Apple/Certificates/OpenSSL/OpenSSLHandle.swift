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
    static func encoded(
        by encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt
    ) -> [UInt8]? {
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
