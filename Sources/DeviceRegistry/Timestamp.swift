internal import FoundationEssentials
internal import PushModel

/// An instant in whole milliseconds of UTC, like LeanCloud's.
///
/// Source: <doc:/PushModel/LeanCloudDevices#Fields>.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    package let milliseconds: Int64

    /// The instant `milliseconds` after 1970-01-01T00:00:00Z.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The machine's time.
    package static var system: Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The instant `seconds` later; earlier when negative.
    package func advanced(bySeconds seconds: Double) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64((seconds * 1000).rounded()))
    }

    /// The instant `days` days of 24 hours later; earlier when negative.
    package func advanced(byDays days: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds + days * 86_400_000)
    }
}

extension Timestamp {
    /// The text in LeanCloud's format: `2015-06-21T18:02:52.249Z`.
    package var isoText: String { Instant(milliseconds: milliseconds).textWithMilliseconds }

    /// Parses `2015-06-21T18:02:52Z`, with or without a fraction, with `Z` or an offset such as `+08:00` or `+0800`.
    ///
    /// `nil` when the text is not such an instant, or its day or hour does not exist.
    package init?(iso text: String) {
        let offset = text.utf8.suffix(5)
        let lacksColon = offset.first == UInt8(ascii: "+") || offset.first == UInt8(ascii: "-")
        // RFC 3339 requires the colon, ISO 8601 does not.
        guard let instant = Instant(lacksColon ? "\(text.dropLast(2)):\(text.suffix(2))" : text) else { return nil }
        self.init(milliseconds: instant.milliseconds)
    }
}
