internal import Crypto

/// Names one delivery, or one of its generations: 16 lower-case letters and digits.
///
/// It fits LeanCloud's `notification_id` and `req_id`, and does not depend on the content of the campaign: an edited
/// campaign keeps the id of what was delivered.
package struct DeliveryID: Hashable, Comparable, Sendable {
    /// The 16 characters.
    package let text: String

    /// Takes an id that was made before; nil unless it is 1 to 16 ASCII letters and digits.
    package init?(_ text: String) {
        guard (1...16).contains(text.utf8.count),
            text.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0)
            })
        else { return nil }
        self.text = text
    }

    /// The id of one occurrence of one revision of one campaign; with a generation above 0, of a new push of it.
    ///
    /// SHA-256 over `workspace \n campaign \n revision \n occurrence` (and `\n generation` from 1 on), as the first 16
    /// characters of lower-case RFC 4648 base32.
    package init(
        workspace: String, campaign: String, revision: Int, occurrence: Occurrence = .once, generation: Int = 0
    ) {
        var text = "\(workspace)\n\(campaign)\n\(revision)\n\(occurrence.text)"
        if generation > 0 { text += "\n\(generation)" }
        self.text = Self.base32(SHA256.hash(data: Array(text.utf8)).prefix(10))
    }

    private static func base32(_ bytes: some Sequence<UInt8>) -> String {
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
        return String(decoding: characters, as: UTF8.self)
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.text < rhs.text }
}

/// Which of a campaign's occurrences a delivery is.
package enum Occurrence: Hashable, Sendable {
    /// The only one.
    case once
    /// The one at this instant, of a recurring campaign.
    case at(Instant)

    /// `once`, or the instant in UTC.
    package var text: String {
        switch self {
        case .once: "once"
        case .at(let instant): instant.text
        }
    }

    /// Reads what ``text`` wrote.
    package init?(_ text: String) {
        if text == "once" {
            self = .once
        } else if let instant = Instant(text) {
            self = .at(instant)
        } else {
            return nil
        }
    }
}
