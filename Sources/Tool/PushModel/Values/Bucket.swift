internal import Crypto

/// Sorts devices into 10,000 buckets, by which stages, variants and holdouts divide an audience.
///
/// The bucket of a device depends on its installation's objectId and a salt alone: another salt gives other people.
package struct Buckets: Hashable, Sendable {
    /// The text that sets this division apart: a delivery's id, or a word from the files.
    package let salt: String

    package init(salt: String) { self.salt = salt }

    /// The bucket of a key, from 0 to 9,999.
    ///
    /// The first 8 bytes, big-endian, of SHA-256 over `bugle-bucket\n`, the salt, `\n` and the key, modulo 10,000.
    package func bucket(of key: String) -> Int {
        var hash = SHA256()
        hash.update(data: Array("bugle-bucket\n\(salt)\n\(key)".utf8))
        let first = hash.finalize().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(first % UInt64(Share.whole.parts))
    }
}
