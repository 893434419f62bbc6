internal import Crypto
package import JSONValue

/// A SHA-256, written `sha256:` and 64 hexadecimal digits.
package struct Digest: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 64 lower-case hexadecimal digits.
    package let hexadecimal: String

    /// Hashes bytes.
    package init(of bytes: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        var characters: [UInt8] = []
        characters.reserveCapacity(64)
        for byte in SHA256.hash(data: bytes) {
            characters.append(digits[Int(byte >> 4)])
            characters.append(digits[Int(byte & 15)])
        }
        hexadecimal = String(decoding: characters, as: UTF8.self)
    }

    /// Hashes the canonical text of a value.
    package init(of value: JSONValue) { self.init(of: value.canonicalBytes) }

    /// Reads `sha256:…`; nil when it is anything else.
    package init?(_ text: String) {
        guard text.hasPrefix("sha256:"), text.utf8.count == 71,
            text.utf8.dropFirst(7).allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        hexadecimal = String(text.dropFirst(7))
    }

    /// `sha256:` and all digits.
    package var description: String { "sha256:" + hexadecimal }

    /// `sha256:` and the first six digits, for people.
    package var shortText: String { "sha256:" + hexadecimal.prefix(6) + "…" }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.hexadecimal < rhs.hexadecimal }
}
