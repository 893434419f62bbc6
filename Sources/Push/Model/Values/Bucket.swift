internal import Base

/// Sorts devices into 10,000 buckets, by which stages, variants and holdouts divide an audience.
///
/// The bucket of a device depends on its installation's objectId and a salt alone: another salt gives other people.
package struct Buckets: Hashable, Sendable {
    /// The text that sets this division apart: a delivery's id, or a word from the files.
    package let salt: String
    /// The bytes before each key.
    private let start: [UInt8]

    package init(salt: String) {
        self.salt = salt
        start = Array("bugle-bucket\n\(salt)\n".utf8)
    }

    /// The bucket of a key, from 0 to 9,999.
    ///
    /// The first 8 bytes, big-endian, of SHA-256 over `bugle-bucket\n`, the salt, `\n` and the key in UTF-8, modulo
    /// 10,000.
    package func bucket(of key: [UInt8]) -> Int {
        Int(SHA256Prefix.value(of: start, key) % UInt64(Share.whole.parts))
    }
}
