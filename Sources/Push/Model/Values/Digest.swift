internal import Crypto
package import Base

/// A SHA-256 hash, written `sha256:` and 64 hexadecimal digits.
package struct Digest: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 32 bytes, first in the highest byte of the first word: ledgers hold hashes by the tens of thousands, and
    /// packed hashes need no allocation.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The 64 lower-case hexadecimal digits.
    package var hexadecimal: String {
        withUnsafeBytes(of: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)) { bytes in
            bytes.hexadecimal
        }
    }

    /// Hashes bytes.
    package init(of bytes: [UInt8]) { self.init(of: bytes[...]) }

    /// Hashes a slice of bytes without copying it.
    package init(of bytes: ArraySlice<UInt8>) {
        var words: [UInt64] = [0, 0, 0, 0]
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        for (index, byte) in hash.finalize().enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// Hashes the canonical text of a value.
    package init(of value: JSONValue) { self.init(of: value.canonicalBytes) }

    /// Reads `sha256:…`; nil when it is anything else.
    package init?(_ text: String) { self.init(utf8: Array(text.utf8)[...]) }

    /// Reads the UTF-8 bytes of `sha256:…`; nil when they are anything else.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        guard bytes.count == 71, bytes.starts(with: "sha256:".utf8) else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in bytes.dropFirst(7).enumerated() {
            // Capitals lack bit 5: a hash has one spelling.
            guard byte & 0x20 != 0, let digit = byte.hexadecimalValue else { return nil }
            words[index / 16] = words[index / 16] << 4 | UInt64(digit)
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// `sha256:` and all digits.
    package var description: String { "sha256:" + hexadecimal }

    /// `sha256:` and the first six digits, for people.
    package var shortText: String { "sha256:" + hexadecimal.prefix(6) + "…" }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.words == rhs.words }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.words < rhs.words }

    // The bytes are spread evenly already.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
