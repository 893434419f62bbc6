/// The hours of a day in which no send starts, in one time zone.
package struct QuietHours: Hashable, Sendable {
    /// The first quiet minute, counted from midnight.
    package let from: Int
    /// The first minute that is no longer quiet; before ``from`` when the hours span midnight.
    package let to: Int
    /// The IANA name of the time zone.
    package let timeZone: String
    private let clock: ZoneClock

    /// Makes quiet hours from minutes after midnight; nil when the time zone does not exist.
    package init?(from: Int, to: Int, timeZone: String) {
        guard let clock = ZoneClock(timeZone) else { return nil }
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.clock = clock
    }

    /// True when a send at this instant would start in quiet hours; equal ends mean no quiet hours at all.
    package func contain(_ instant: Instant) -> Bool {
        let minute = clock.reading(at: instant).minuteOfDay
        return from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// The end of the quiet hours that an instant lies in; nil when they never end.
    package func end(after instant: Instant) -> Instant? {
        // A day on which clocks are set back has 25 hours.
        let minutes = (1...25 * 60).lazy.map { Instant(seconds: instant.seconds / 60 * 60) + .seconds(60 * $0) }
        return minutes.first { !contain($0) }
    }

    /// For people: `22:00–08:00 Asia/Shanghai`.
    package var text: String { "\(Self.timeOfDay(from))–\(Self.timeOfDay(to)) \(timeZone)" }

    /// A time of day from minutes after midnight: `08:05`.
    package static func timeOfDay(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension FieldForm<QuietHours> {
    /// Two times of day and their time zone.
    static let quietHours = FieldForm<QuietHoursText>.map(QuietHoursText.fields).map(
        { QuietHours(from: $0.from, to: $0.to, timeZone: $0.timeZone) },
        { QuietHoursText(from: $0.from, to: $0.to, timeZone: $0.timeZone) })
}

/// Quiet hours as written in a file.
private struct QuietHoursText: Sendable {
    var from = 0
    var to = 0
    var timeZone = ""

    static let fields = FieldTable(
        "Workspace.policy.quietHours", "Hours in which no send starts", "不发起推送的免打扰时段", blank: QuietHoursText(),
        [
            FieldRow(required: "from", .timeOfDay, "The time they begin", "开始时间", { $0.from }, { $0.from = $1 }),
            FieldRow(
                required: "to", .timeOfDay, "The time they end; on the next day if it is the earlier one",
                "结束时间；早于开始时间则指次日", { $0.to }, { $0.to = $1 }),
            FieldRow(
                required: "timeZone", .string(.timeZone), "The time zone of these hours", "以哪个时区的时钟为准", { $0.timeZone },
                { $0.timeZone = $1 }),
        ])
}
