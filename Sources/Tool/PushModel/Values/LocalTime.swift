/// A reading of wall clocks without a zone: `2026-12-01T09:00:00`.
package struct LocalTime: Hashable, Comparable, Sendable {
    /// The seconds since 1970 at which a clock in UTC shows the reading.
    package let seconds: Int64

    package init(seconds: Int64) { self.seconds = seconds }

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

    /// The day, `2026-12-01`.
    package var date: String { CivilTime(Instant(seconds: seconds), offset: 0).date }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.seconds < rhs.seconds }
}

extension ZoneClock {
    /// The instant at which the zone's clocks show a local time.
    ///
    /// A time that occurs twice is the first of the two; one that the clocks skip is the first moment after the gap.
    package func instant(of local: LocalTime) -> Instant {
        // No offset reaches 26 hours, and no zone changes its clocks twice within two days.
        let (before, after) = (Instant(seconds: local.seconds - 93_600), Instant(seconds: local.seconds + 93_600))
        let candidates = [offset(at: before), offset(at: after)].map { Instant(seconds: local.seconds - Int64($0)) }
        let shown = candidates.filter { local.seconds - $0.seconds == Int64(offset(at: $0)) }
        return shown.min() ?? change(after: before, until: after)?.at ?? candidates[0]
    }
}
