/// A day of the proleptic Gregorian calendar.
///
/// Source of the arithmetic: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
package struct CivilDate: Hashable, Comparable, Sendable {
    /// The year.
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

    /// Reads a day of the years 1970 to 2199, such as `2026-12-01`; nil when it is anything else.
    package init?(_ text: String) {
        guard text.utf8.count == 10, let midnight = Instant(text + "T00:00:00Z") else { return nil }
        self.init(daysSince1970: Int(midnight.seconds / 86_400))
        guard Self.years.contains(year), self.text == text else { return nil }
    }

    /// The years that a text may name: a later one is a typing error.
    private static let years = 1970...2199

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
