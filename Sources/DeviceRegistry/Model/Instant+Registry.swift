internal import FoundationEssentials
package import Push

extension Instant {
    /// The machine's time.
    package static var system: Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    /// The instant `seconds` later; earlier when negative.
    package func advanced(bySeconds seconds: Double) -> Instant {
        Instant(milliseconds: milliseconds + Int64((seconds * 1000).rounded()))
    }

    /// The instant `days` days of 24 hours later; earlier when negative.
    package func advanced(byDays days: Int64) -> Instant {
        Instant(milliseconds: milliseconds + days * 86_400_000)
    }

    /// Reads RFC 3339 as the service does, which also takes the offset without its colon, as in ISO 8601: `+0800`.
    ///
    /// Source: docs/background/leancloud/devices.md#fields.
    package init?(iso text: String) {
        let offset = text.utf8.suffix(5)
        let lacksColon = offset.first == UInt8(ascii: "+") || offset.first == UInt8(ascii: "-")
        self.init(lacksColon ? "\(text.dropLast(2)):\(text.suffix(2))" : text)
    }
}
