internal import FoundationEssentials

/// An instant in whole milliseconds of UTC, as LeanCloud keeps it.
///
/// Source: leancloud.md section 2.2 (`YYYY-MM-DDTHH:MM:SS.MMMZ`).
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
    /// The calendar fields of this instant, in UTC.
    package struct Calendar: Hashable, Sendable {
        /// The year, the month from 1, the day of the month from 1, the weekday from 0 for Sunday.
        package let year, month, day, weekday: Int
        /// The time of the day.
        package let hour, minute, second, millisecond: Int
    }

    /// The calendar fields of this instant, in UTC.
    package var calendar: Calendar {
        let day = milliseconds.floorDivided(by: 86_400_000)
        let rest = Int(milliseconds - day * 86_400_000)
        // Days are counted from 0000-03-01, so that the leap day is a year's last.
        let shifted = Int(day) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return Calendar(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1,
            weekday: Int((day + 4) - (day + 4).floorDivided(by: 7) * 7),
            hour: rest / 3_600_000, minute: rest / 60_000 % 60, second: rest / 1000 % 60, millisecond: rest % 1000)
    }

    /// The text that LeanCloud shows: `2015-06-21T18:02:52.249Z`.
    package var isoText: String {
        let now = calendar
        return "\(padded(now.year, 4))-\(padded(now.month, 2))-\(padded(now.day, 2))"
            + "T\(padded(now.hour, 2)):\(padded(now.minute, 2)):\(padded(now.second, 2)).\(padded(now.millisecond, 3))Z"
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

extension Timestamp {
    /// Reads `2015-06-21T18:02:52Z`, with or without a fraction, with `Z` or an offset such as `+08:00`.
    ///
    /// `nil` when the text is not such an instant or names a day or an hour that does not exist.
    package init?(iso text: String) {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let fraction = reader.skip(".") ? reader.fraction() : 0
        guard let fraction, let offset = reader.offset(), reader.isAtEnd else { return nil }
        let seconds = Self.dayNumber(year, month, day) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        self.init(milliseconds: seconds * 1000 + Int64(fraction))
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return Int64(era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
    }
}

/// Reads fixed runs of ASCII digits.
private struct DigitReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, UInt32(bytes[index]) == character.value else { return false }
        index += 1
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        guard index + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[index..<index + count] {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        index += count
        return value
    }

    /// Milliseconds; further digits are dropped.
    mutating func fraction() -> Int? {
        var value = 0
        var count = 0
        while index < bytes.count, (48...57).contains(bytes[index]) {
            if count < 3 { value = value * 10 + Int(bytes[index] - 48) }
            count += 1
            index += 1
        }
        guard count > 0, count <= 12 else { return nil }
        return count == 1 ? value * 100 : count == 2 ? value * 10 : value
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let east = skip("+")
        guard east || skip("-"), let hours = number(2), hours < 24 else { return nil }
        _ = skip(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        return (east ? 1 : -1) * (hours * 3600 + minutes * 60)
    }
}

extension Int64 {
    /// The quotient rounded towards minus infinity; `divisor` is positive.
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }
}
