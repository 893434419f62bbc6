/// The hours of a day in which no send starts, in one time zone or by each device's own clock.
package struct QuietHours: Hashable, Sendable {
    /// The first quiet minute, counted from midnight.
    package let from: Int
    /// The first minute that is no longer quiet; before ``from`` when the hours span midnight.
    package let to: Int
    /// The IANA name of the time zone; ``device`` when each device's own clock decides.
    package let timeZone: String
    private let clock: ZoneClock?

    /// The time zone of hours by each device's own clock.
    package static let device = "device"

    /// Makes quiet hours from minutes after midnight; nil when the time zone does not exist.
    package init?(from: Int, to: Int, timeZone: String) {
        let clock = timeZone == Self.device ? nil : ZoneClock(timeZone)
        guard clock != nil || timeZone == Self.device else { return nil }
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.clock = clock
    }

    /// True when each device's own clock decides: then an instant is in quiet hours for some devices only.
    package var isByDevice: Bool { clock == nil }

    /// True when a send at this instant would start in quiet hours for all; equal ends mean no quiet hours at all.
    package func contain(_ instant: Instant) -> Bool {
        clock.map { contain(minute: $0.reading(at: instant).minuteOfDay) } ?? false
    }

    /// True when clocks that show this minute, counted from midnight, show quiet hours.
    package func contain(minute: Int) -> Bool {
        from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// The time from a minute that is not quiet until the quiet hours begin; nil when there are none.
    package func begin(after minute: Int) -> Duration? {
        from == to ? nil : .seconds(60 * ((from - minute + 1440) % 1440))
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
                required: "timeZone", .string(.either([.timeZone, .constant(QuietHours.device)])),
                "The time zone of these hours; device: each device's own clock, for campaigns with zone: device",
                "以哪个时区的时钟为准；device 指每台设备自己的时钟，用于 zone: device 的推送活动", { $0.timeZone }, { $0.timeZone = $1 }),
        ])
}
