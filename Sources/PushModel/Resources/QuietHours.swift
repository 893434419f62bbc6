internal import FoundationEssentials
// Named time zones are looked up at run time in this module's data.
internal import FoundationInternationalization

/// The hours of a day in which no send starts, in one time zone.
package struct QuietHours: Hashable, Sendable {
    /// The first quiet minute of the day, from midnight.
    package let from: Int
    /// The first minute that is not quiet any more; before ``from`` when the night lies between.
    package let to: Int
    /// The IANA name of the time zone.
    package let timeZone: String
    private let zone: TimeZone

    /// Makes quiet hours from minutes after midnight; nil when the time zone does not exist.
    package init?(from: Int, to: Int, timeZone: String) {
        guard let zone = TimeZone(identifier: timeZone) else { return nil }
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.zone = zone
    }

    /// Whether a send at this instant would start inside them; equal ends mean no quiet hours at all.
    package func contain(_ instant: Instant) -> Bool {
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.seconds)))
        let minute = CivilTime(instant, offset: offset).minuteOfDay
        return from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// For people: `22:00–08:00 Asia/Shanghai`.
    package var text: String {
        func clock(_ minutes: Int) -> String {
            let (hour, minute) = (minutes / 60, minutes % 60)
            return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        }
        return "\(clock(from))–\(clock(to)) \(timeZone)"
    }
}
