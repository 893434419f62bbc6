internal import Base
internal import FoundationEssentials
// Named time zones are looked up at run time in this module's data.
internal import FoundationInternationalization

/// A day of the proleptic Gregorian calendar.
///
/// Source of the arithmetic: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
package struct CivilDate: Hashable, Comparable, Sendable {
    package let year: Int
    /// The month, from 1.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int

    /// The number of days of a month.
    package static func daysInMonth(year: Int, month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Whole days since 1970-01-01.
    package var daysSince1970: Int {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The day of the week, from 0 for Monday to 6 for Sunday.
    package var weekday: Int { ((daysSince1970 + 3) % 7 + 7) % 7 }

    /// Makes a day from its parts, which must be those of a day.
    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Makes a day from whole days since 1970-01-01.
    package init(daysSince1970 days: Int) {
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// Reads a day of the years 1970 to 9999, such as `2026-12-01`; nil when it is anything else.
    package init?(_ text: String) {
        guard text.utf8.count == 10, let midnight = Instant(text + "T00:00:00Z") else { return nil }
        self.init(daysSince1970: Int(midnight.seconds / 86_400))
        guard year >= 1970, self.text == text else { return nil }
    }

    /// The last year that a file may name: a later one is a typing error. A rule with many days goes on beyond it.
    static let lastYearOfFiles = 2199

    /// The day as ``init(_:)`` reads it.
    package var text: String {
        "\(CivilTime.padded(year, 4))-\(CivilTime.padded(month, 2))-\(CivilTime.padded(day, 2))"
    }

    /// The day this many days later.
    package func adding(days: Int) -> CivilDate { CivilDate(daysSince1970: daysSince1970 + days) }

    package static func < (lhs: CivilDate, rhs: CivilDate) -> Bool {
        (lhs.year, lhs.month, lhs.day) < (rhs.year, rhs.month, rhs.day)
    }
}

/// The wall-clock reading of an instant at a fixed offset.
struct CivilTime {
    private let days: Int
    private let secondOfDay: Int
    private let seconds: Int

    init(_ instant: Instant, offset seconds: Int) {
        let local = instant.seconds + Int64(seconds)
        days = Int(local >= 0 ? local / 86_400 : (local - 86_399) / 86_400)
        secondOfDay = Int(local) - days * 86_400
        self.seconds = seconds
    }

    var second: Int { secondOfDay % 60 }
    /// Minutes since midnight.
    var minuteOfDay: Int { secondOfDay / 60 }
    var time: String { "\(QuietHours.timeOfDay(minuteOfDay)):\(Self.padded(second, 2))" }
    var day: CivilDate { CivilDate(daysSince1970: days) }
    var date: String { day.text }
    var offset: String { (seconds < 0 ? "-" : "+") + QuietHours.timeOfDay(abs(seconds) / 60) }

    static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

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

/// The clock of a time zone in the IANA database.
package struct ZoneClock: Hashable, Sendable {
    /// The zone's name, such as `Asia/Shanghai`.
    package let name: String
    private let zone: TimeZone

    /// Finds a zone; nil when there is none of this name, or the name cannot be a zone's.
    package init?(_ name: String) {
        // Devices report any text as their zone: only names that a zone could have are looked up.
        let isName = name.utf8.allSatisfy { $0.isLetterOrDigit || "/_+-".utf8.contains($0) }
        guard isName, (1...64).contains(name.utf8.count), let zone = TimeZone(identifier: name) else { return nil }
        self.name = name
        self.zone = zone
    }

    /// The zone's offset from UTC at an instant, in seconds.
    package func offset(at instant: Instant) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.seconds)))
    }

    /// The zone's local time at an instant.
    package func reading(at instant: Instant) -> OffsetInstant {
        OffsetInstant(instant, offset: offset(at: instant))
    }

    /// The clock change after `start` and not after `end` that ends the offset of `start`; nil when both have the same
    /// offset.
    package func change(after start: Instant, until end: Instant) -> ClockChange? {
        let before = offset(at: start)
        guard start < end, offset(at: end) != before else { return nil }
        var (low, high) = (start.seconds, end.seconds)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: Instant(seconds: middle)) == before { low = middle } else { high = middle }
        }
        let at = Instant(seconds: high)
        return ClockChange(at: at, before: before, after: offset(at: at))
    }

    /// The first instant at which the zone's clock shows a time of a day, in minutes after midnight, or a later one.
    ///
    /// When clocks skip the time, that is the first moment after the gap; when they show it twice, the first of the two.
    package func firstInstant(showing date: CivilDate, minute: Int) -> Instant {
        firstInstant(showing: LocalTime(seconds: Int64(date.daysSince1970) * 86_400 + Int64(minute) * 60))
    }

    /// The first instant at which the zone's clock shows a local time, or a later one.
    package func firstInstant(showing local: LocalTime) -> Instant {
        let reading = Instant(seconds: local.seconds)
        // Offsets are between -12 and +14 hours, and no zone changes its clocks twice in such a time.
        let (early, late) = (reading - .seconds(15 * 3600), reading + .seconds(13 * 3600))
        let first = reading - .seconds(offset(at: early))
        guard let change = change(after: early, until: late), first >= change.at else { return first }
        return max(change.at, reading - .seconds(change.after))
    }

    /// The names of all zones, for suggestions.
    package static var names: [String] { TimeZone.knownTimeZoneIdentifiers }

    /// The last clock change before an instant, within nine months and after `start`; nil when there is none.
    package func lastChange(before instant: Instant, after start: Instant) -> ClockChange? {
        // No period between two changes is shorter than these steps.
        for months in 1...9 {
            let earlier = max(start, instant - .seconds(Int64(months) * 30 * 86_400))
            if let change = change(after: earlier, until: instant) { return change }
        }
        return nil
    }
}

/// A clock change in a time zone.
package struct ClockChange: Hashable, Sendable {
    /// The first instant with the new offset.
    package var at: Instant
    /// The offset from UTC before the change, in seconds.
    package var before: Int
    /// The offset from UTC after the change, in seconds.
    package var after: Int

    /// The amount by which the clocks go forward; negative when they go back.
    package var step: Duration { .seconds(after - before) }

    /// The day of the change by the clock before it, such as `2026-03-29`.
    package var day: String { CivilTime(at, offset: before).date }

    /// True when a time of that day, in minutes after midnight, is skipped or occurs twice.
    package func affects(minute: Int) -> Bool {
        let (first, last) = (min(before, after), max(before, after))
        let start = CivilTime(at, offset: first).minuteOfDay
        // Minutes wrap around at midnight.
        return (minute - start + 1440) % 1440 < (last - first) / 60
    }
}

extension OffsetInstant {
    /// The day, as written.
    package var date: CivilDate { CivilTime(instant, offset: offset).day }

    /// Minutes after midnight, as written.
    package var minuteOfDay: Int { CivilTime(instant, offset: offset).minuteOfDay }
}
