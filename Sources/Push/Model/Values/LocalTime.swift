/// A reading of wall clocks without a zone: `2026-12-01T09:00:00`.
package struct LocalTime: Hashable, Comparable, Sendable {
    /// The seconds since 1970 at which a clock in UTC shows the reading.
    package let seconds: Int64

    package init(seconds: Int64) { self.seconds = seconds }

    /// The minutes since midnight.
    package var minuteOfDay: Int { Int(((seconds % 86_400) + 86_400) % 86_400 / 60) }

    /// Parses `2026-12-01T09:00:00`, without an offset; nil when it is anything else, or no such day exists.
    package init?(_ text: String) {
        guard text.utf8.count == 19, let instant = Instant(text + "Z") else { return nil }
        seconds = instant.seconds
    }

    /// The reading as in files: `2026-12-01T09:00:00`.
    package var text: String {
        let time = CivilTime(Instant(seconds: seconds), offset: 0)
        return "\(time.date)T\(time.time)"
    }

    /// The form of ``init(_:)`` as a regular expression.
    package static let pattern =
        "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$"

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.seconds < rhs.seconds }
}
