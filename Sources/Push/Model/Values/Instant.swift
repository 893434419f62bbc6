/// A point in time, to the millisecond, independent of any clock.
package struct Instant: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var milliseconds: Int64

    /// Makes an instant from milliseconds since 1970.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Makes an instant from whole seconds since 1970.
    package init(seconds: Int64) { milliseconds = seconds * 1000 }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.milliseconds < rhs.milliseconds }

    /// The end of the year 9999.
    package static let latest = Instant(milliseconds: 253_402_300_799_999)

    /// The instants of the years 0 to 9999: no other has a text that can be read, so none may come into a record.
    fileprivate static let written: ClosedRange<Int64> = -62_167_219_200_000...latest.milliseconds

    /// The instant that much later, from the beginning of the year 0 to the end of the year 9999.
    package static func + (lhs: Self, rhs: Duration) -> Self {
        let sum = lhs.milliseconds + rhs.milliseconds
        return Instant(milliseconds: min(max(sum, written.lowerBound), written.upperBound))
    }

    /// The instant that much earlier, within the same bounds.
    package static func - (lhs: Self, rhs: Duration) -> Self { lhs + (Duration.zero - rhs) }

    package static func - (lhs: Self, rhs: Self) -> Duration {
        .milliseconds(lhs.milliseconds - rhs.milliseconds)
    }
}

extension Duration {
    /// The length in milliseconds, truncated.
    package var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }

    /// The length in seconds, truncated.
    package var wholeSeconds: Int64 { components.seconds }
}

// MARK: - Text

/// An instant with the offset it was written in, so that people read it back as they wrote it.
package struct OffsetInstant: Hashable, Sendable {
    /// The point in time.
    package var instant: Instant
    /// The offset from UTC in seconds, as written.
    package var offset: Int

    package init(_ instant: Instant, offset: Int = 0) {
        self.instant = instant
        self.offset = offset
    }

    /// Reads RFC 3339 with an offset, such as `2026-11-27T20:00:00+08:00`; nil when it is anything else.
    ///
    /// Source: RFC 3339 section 5.6. A leap second is read as the first second after it. In UTC, too, its year has four
    /// digits.
    package init?(_ text: String) {
        var reader = DigitReader(text.utf8)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), (1...12).contains(month), hour < 24, minute < 60, second <= 60,
            (1...CivilDate.daysInMonth(year: year, month: month)).contains(day)
        else { return nil }
        var milliseconds: Int64 = 0
        if reader.skip(".") {
            guard let fraction = reader.fraction() else { return nil }
            milliseconds = fraction
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        milliseconds += seconds * 1000
        guard Instant.written.contains(milliseconds) else { return nil }
        self.init(Instant(milliseconds: milliseconds), offset: offset)
    }

    /// RFC 3339 in the offset as written, such as `2026-11-27T20:00:00+08:00`; in UTC where it is another year than 0
    /// to 9999 at that offset, which no text can say.
    package var text: String {
        let parts = CivilTime(instant, offset: offset)
        let day = parts.day
        guard offset == 0 || (0...9999).contains(day.year) else { return OffsetInstant(instant).text }
        return day.text + "T" + parts.time + (offset == 0 ? "Z" : parts.offset)
    }

    /// For people: `2026-11-27 20:00 +08:00`.
    package var displayText: String {
        let parts = CivilTime(instant, offset: offset)
        return "\(parts.date) \(parts.time.prefix(parts.second == 0 ? 5 : 8)) \(parts.offset)"
    }
}

extension Instant {
    /// Reads RFC 3339 with an offset; nil when it is anything else.
    package init?(_ text: String) {
        guard let value = OffsetInstant(text) else { return nil }
        self = value.instant
    }

    /// RFC 3339 in UTC to the second, such as `2026-11-20T12:00:00Z`.
    package var text: String { OffsetInstant(self).text }

    /// RFC 3339 in UTC with milliseconds, as LeanCloud writes times: `2026-11-20T12:00:00.000Z`.
    package var isoText: String {
        let (time, rest) = (CivilTime(self, offset: 0), Int((milliseconds % 1000 + 1000) % 1000))
        let day = time.day
        // A server writes several for each request.
        var bytes = Array("0000-00-00T00:00:00.000Z".utf8)
        func write(_ number: Int, _ digits: Int, at place: Int) {
            var rest = number
            for place in (place..<place + digits).reversed() {
                bytes[place] += UInt8(rest % 10)
                rest /= 10
            }
        }
        guard (0...9999).contains(day.year) else { return "\(text.dropLast()).\(CivilTime.padded(rest, 3))Z" }
        write(day.year, 4, at: 0)
        write(day.month, 2, at: 5)
        write(day.day, 2, at: 8)
        write(time.minuteOfDay / 60, 2, at: 11)
        write(time.minuteOfDay % 60, 2, at: 14)
        write(time.second, 2, at: 17)
        write(rest, 3, at: 20)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The day in UTC, such as `2026-12-01`.
    package var day: String { CivilTime(self, offset: 0).date }
}

/// Parses the bytes of a time.
private struct DigitReader {
    // An array's slice: its first byte is at hand, whereas a string's must be looked up.
    private var rest: ArraySlice<UInt8>

    init(_ text: String.UTF8View) { rest = Array(text)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(_ digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let byte = rest.popFirst(), (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }

    mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var digits = 0
        while let byte = rest.first, (0x30...0x39).contains(byte) {
            rest.removeFirst()
            if digits < 3 { value = value * 10 + Int64(byte - 0x30) }
            digits += 1
        }
        guard digits > 0 else { return nil }
        while digits < 3 {
            value *= 10
            digits += 1
        }
        return value
    }

    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int
        if skip("+") {
            sign = 1
        } else if skip("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}

extension Instant {
    /// RFC 3339 in UTC, with milliseconds only if there are any, so that parsing gives the same instant.
    package var exactText: String { milliseconds % 1000 == 0 ? text : isoText }
}

extension OffsetInstant {
    /// RFC 3339 as written, with milliseconds only if there are any, so that parsing gives the same instant.
    package var exactText: String {
        guard instant.milliseconds % 1000 != 0 else { return text }
        let fraction = instant.isoText.dropLast().suffix(4)
        // The date and the time to the second are 19 characters; the offset follows.
        return "\(text.prefix(19))\(fraction)\(text.dropFirst(19))"
    }
}

// MARK: - HTTPDate

/// The `Date` header of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Source: RFC 9110 section 5.6.7, IMF-fixdate.
extension Instant {
    /// Reads the header; nil when it is anything else.
    package init?(httpDate text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", parts[1].utf8.count == 2,
            let month = Self.months.firstIndex(of: String(parts[2]))
        else { return nil }
        self.init("\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z")
    }

    /// The header for this time.
    package var httpDate: String {
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let date = CivilDate(daysSince1970: Int((Double(milliseconds) / 86_400_000).rounded(.down)))
        let text = isoText
        return "\(days[date.weekday]), \(text.dropFirst(8).prefix(2)) \(Self.months[date.month - 1]) \(text.prefix(4)) "
            + "\(text.dropFirst(11).prefix(8)) GMT"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

// MARK: - Text

extension Duration {
    /// Reads `90s`, `15m`, `36h`, `7d` or `2w`; nil when it is anything else or longer than 1,000 years.
    package init?(configurationText text: String) {
        guard let unit = text.utf8.last, text.utf8.count > 1 else { return nil }
        var count: Int64 = 0
        for byte in text.utf8.dropLast() {
            // Far more digits than a thousand years of seconds have.
            guard (0x30...0x39).contains(byte), count < 1_000_000_000_000 else { return nil }
            count = count * 10 + Int64(byte - 0x30)
        }
        let seconds: Int64
        switch unit {
        case UInt8(ascii: "s"): seconds = 1
        case UInt8(ascii: "m"): seconds = 60
        case UInt8(ascii: "h"): seconds = 3600
        case UInt8(ascii: "d"): seconds = 86_400
        case UInt8(ascii: "w"): seconds = 604_800
        default: return nil
        }
        let (total, overflow) = count.multipliedReportingOverflow(by: seconds)
        guard !overflow, total <= 31_622_400_000 else { return nil }
        self = .seconds(total)
    }

    /// The shortest exact form in a configuration: `7d` rather than `168h`; weeks are written as days.
    package var configurationText: String {
        let seconds = wholeSeconds
        for (unit, size) in [("d", Int64(86_400)), ("h", 3600), ("m", 60)] where seconds % size == 0 && seconds > 0 {
            return "\(seconds / size)\(unit)"
        }
        return "\(seconds)s"
    }

    /// The approximate length, for people: `2 h`, `3 d`, `45 s`.
    package var roundedText: String {
        let seconds = wholeSeconds
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7200 { return "\(seconds / 60) min" }
        if seconds < 172_800 { return "\(seconds / 3600) h" }
        return "\(seconds / 86_400) d"
    }
}
