/// A day of the proleptic Gregorian calendar.
///
/// Source of the arithmetic: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
struct CivilDate {
    var year: Int
    var month: Int
    var day: Int

    static func daysInMonth(year: Int, month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    var daysSince1970: Int {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSince1970 days: Int) {
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
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
    var date: String {
        let civil = CivilDate(daysSince1970: days)
        return "\(Self.padded(civil.year, 4))-\(Self.padded(civil.month, 2))-\(Self.padded(civil.day, 2))"
    }
    var offset: String { (seconds < 0 ? "-" : "+") + QuietHours.timeOfDay(abs(seconds) / 60) }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
