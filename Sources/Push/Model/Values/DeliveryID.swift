package import Base
internal import Crypto

/// The id of a delivery, or of one of its generations: 16 lower-case letters and digits.
///
/// It fits LeanCloud's `notification_id` and `req_id`, and does not depend on the content of the campaign: an edited
/// campaign keeps the id of what was delivered.
package struct DeliveryID: Hashable, Comparable, Sendable {
    /// The characters, first in the highest byte, padded with zeros: ledgers hold ids by the tens of thousands, and
    /// packed ids need no allocation.
    private let characters: (UInt64, UInt64)

    /// The 16 characters.
    package var text: String {
        let bytes = (0..<16).map { index in
            UInt8(truncatingIfNeeded: (index < 8 ? characters.0 : characters.1) >> (8 * (7 - UInt64(index & 7))))
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Parses an existing id; nil unless it is 1 to 16 ASCII letters and digits.
    package init?(_ text: String) { self.init(utf8: Array(text.utf8)[...]) }

    /// Parses the UTF-8 bytes of an existing id; nil unless they are 1 to 16 ASCII letters and digits.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        guard (1...16).contains(bytes.count), bytes.allSatisfy(\.isLetterOrDigit) else { return nil }
        self.init(packing: bytes)
    }

    private init(packing bytes: some Sequence<UInt8>) {
        var packed: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            let bits = UInt64(byte) << (8 * (7 - UInt64(index & 7)))
            if index < 8 { packed.0 |= bits } else { packed.1 |= bits }
        }
        characters = packed
    }

    /// Creates the id of one occurrence of a campaign's revision; with a generation above 0, that of a new push of it.
    ///
    /// SHA-256 over `workspace \n campaign \n revision \n occurrence` (and `\n generation` from 1 on), as the first 16
    /// characters of lower-case RFC 4648 base32.
    package init(
        workspace: String, campaign: String, revision: Int, occurrence: Occurrence = .once, generation: Int = 0
    ) {
        var text = "\(workspace)\n\(campaign)\n\(revision)\n\(occurrence.text)"
        if generation > 0 { text += "\n\(generation)" }
        self.init(packing: Self.base32(SHA256.hash(data: Array(text.utf8)).prefix(10)))
    }

    private static func base32(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var characters: [UInt8] = []
        var bits = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | Int(byte)
            count += 8
            while count >= 5 {
                count -= 5
                characters.append(alphabet[bits >> count & 31])
            }
            bits &= 0xFF
        }
        return characters
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.characters == rhs.characters }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.characters < rhs.characters }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(characters.0)
        hasher.combine(characters.1)
    }
}

/// An occurrence of a campaign.
package enum Occurrence: Hashable, Sendable {
    case once
    /// The occurrence of a recurring campaign on this day of its time zone, whatever the time of day.
    case on(CivilDate)

    /// `once`, or the day.
    package var text: String {
        switch self {
        case .once: "once"
        case .on(let date): date.text
        }
    }

    /// The day of a recurring campaign's occurrence; nil for the only one.
    package var date: CivilDate? { if case .on(let date) = self { date } else { nil } }

    /// Parses the form of ``text``; nil when it is anything else.
    package init?(_ text: String) {
        if text == "once" {
            self = .once
        } else if let date = CivilDate(text) {
            self = .on(date)
        } else {
            return nil
        }
    }
}

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
