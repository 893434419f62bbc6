internal import COpenSSL

/// The beginning of a SHA-256 hash, for millions of short texts: nothing is allocated for any of them.
public enum SHA256Prefix {
    /// Returns the first 8 bytes, big-endian, of SHA-256 over two runs of bytes, one after the other.
    public static func value(of start: [UInt8], _ rest: [UInt8]) -> UInt64 {
        unsafe bugle_SHA256_prefix(start, start.count, rest, rest.count)
    }
}
