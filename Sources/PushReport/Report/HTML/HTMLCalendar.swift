internal import Push

/// The view for the calendar's template: columns of days, and a row for each campaign with its pushes in percent of the
/// width.
struct HTMLCalendar {
    private let calendar: PlanCalendar
    private let now: Instant
    private let items: HTMLItems
    private let days: CalendarDays
    /// The number of deliveries that are too close to a campaign and certainly share devices with it.
    private let close: [String: Int]
    private var language: Language { items.language }

    /// The maximum number of campaigns with a row of their own.
    private static let mostRows = 100
    /// The maximum number of times that a row tells of.
    private static let mostTimes = 50

    init(_ calendar: PlanCalendar, now: Instant, _ items: HTMLItems) {
        self.calendar = calendar
        self.now = now
        self.items = items
        days = CalendarDays(calendar, now: now)
        close = calendar.close
    }

    var view: HTMLTemplates.View {
        var (order, groups) = ([String](), [String: [PlanCalendar.Entry]]())
        for entry in calendar.entries {
            let name = entry.campaign ?? ""
            if groups[name] == nil { order.append(name) }
            groups[name, default: []].append(entry)
        }
        let rest = order.count - Self.mostRows
        let quiet = days.gradient(of: calendar.quietHours)
        return [
            "quiet": quiet ?? "none", "hasQuiet": quiet != nil, "hasClose": !close.isEmpty, "dayCount": days.count,
            "now": days.place(of: now).orNothing, "zone": days.zone.map { language.say(.timesOfZone($0)) }.orNothing,
            "days": days.midnights.enumerated().map { index, midnight in
                // On a narrow screen only each seventh has room.
                [
                    "label": index % (days.count > 14 ? 7 : 1) == 0 ? language.tick(midnight, .day) as Any : false,
                    "isMinor": index % (days.count > 7 ? 7 : 2) != 0,
                ] as HTMLTemplates.View
            },
            "rows": order.prefix(Self.mostRows).compactMap { groups[$0].map(row) },
            "rowsRest": rest > 0 ? "… " + language.say(.more(rest)) as Any : false,
        ]
    }

    private func row(_ entries: [PlanCalendar.Entry]) -> HTMLTemplates.View {
        let campaign = entries.first?.campaign
        let collisions = close[campaign ?? ""] ?? 0
        let rest = entries.count - Self.mostTimes
        return [
            "tone": entries.first?.tone ?? "plain", "campaign": campaign ?? language.say(.notOurs),
            "anchorOfRow": campaign.flatMap(items.anchor(ofCampaign:)).orNothing,
            "first": entries.first.map { shortTime(of: $0) }.orNothing,
            "others": entries.count > 1 ? "+" + (entries.count - 1).grouped as Any : false,
            "collides": collisions > 0 ? language.say(.closeTo(collisions)) as Any : false,
            "dots": entries.compactMap { dot(of: $0, isClose: collisions > 0) },
            "isLater": entries.contains { days.place(of: days.reading(of: $0)) == nil },
            "times": entries.prefix(Self.mostTimes).map(times),
            "timesRest": rest > 0 ? "… " + language.say(.more(rest)) as Any : false,
        ]
    }

    /// The time by the clocks of the zone, without the year where the days show it.
    private func shortTime(of entry: PlanCalendar.Entry) -> String {
        let time = days.reading(of: entry)
        guard days.place(of: time) != nil else { return language.time(time) }
        return language.tick(time.instant + .seconds(time.offset), .hour)
    }

    private func dot(of entry: PlanCalendar.Entry, isClose: Bool) -> HTMLTemplates.View? {
        let time = days.reading(of: entry)
        guard let place = days.place(of: time) else { return nil }
        let end = entry.expiresAt ?? entry.latestStart
        return [
            "left": place, "dotTone": entry.tone, "hits": isClose, "maybe": entry.isEstimate,
            "width": end.map { days.length(from: time, to: $0) } ?? "0",
        ]
    }

    /// The time of one push in every zone that is known.
    private func times(of entry: PlanCalendar.Entry) -> HTMLTemplates.View {
        var what = [entry.part, entry.time(in: language), language.say(entry.label)].compactMap(\.self)
            .joined(separator: language.say(.comma))
        if let expiry = entry.expiry { what = language.say(.until(what, language.time(expiry))) }
        return ["what": what, "local": entry.localTimes.map { $0.words(in: language) }]
    }
}

extension PlanCalendar.Entry {
    /// The name of its colour in the style sheet.
    fileprivate var tone: String {
        if isBlocked { return "bad" }
        return switch action {
        case nil, .wait: "plain"
        case .cancel, .missed, .delete: "warn"
        case .some(.none): "bad"
        case .send, .schedule, .reschedule, .resume, .create, .update: "go"
        }
    }
}

/// The days of a calendar side by side, by the clocks of the time zone in which most of its devices are.
struct CalendarDays {
    /// The name of the zone; nil where no audience says any: then the offset of the first push is used.
    let zone: String?
    /// The number of days: 7, 14 or 31.
    let count: Int
    /// The first day, since 1970-01-01.
    private let first: Int64
    /// The zone's offset from UTC, in seconds.
    private let offset: Int

    private static let day: Int64 = 86_400_000
    /// Quiet hours are drawn to a quarter of an hour.
    private static let step: Int64 = 900_000

    init(_ calendar: PlanCalendar, now: Instant) {
        var devices: [String: Int] = [:]
        for time in calendar.entries.flatMap(\.localTimes) {
            devices[time.timeZone, default: 0] += time.devices ?? 0
        }
        let zone = devices.filter { $0.value > 0 }.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        let times = calendar.entries.map { Self.reading(of: $0, in: zone) }
        let offset = times.first?.offset ?? 0
        let days: [Int64] = ([OffsetInstant(now, offset: offset)] + times).map(Self.dayNumber)
        let first: Int64 = days.min() ?? 0
        let needed: Int64 = days.map { $0 - first + 1 }.filter { $0 <= 31 }.max() ?? 1
        count = [7, 14].first { Int64($0) >= needed } ?? 31
        (self.zone, self.first, self.offset) = (zone, first, offset)
    }

    /// The time of a push by the clocks of the zone.
    func reading(of entry: PlanCalendar.Entry) -> OffsetInstant { Self.reading(of: entry, in: zone) }

    private static func reading(of entry: PlanCalendar.Entry, in zone: String?) -> OffsetInstant {
        entry.localTimes.first { $0.timeZone == zone }?.at ?? entry.at
    }

    private static func dayNumber(_ time: OffsetInstant) -> Int64 { clock(time) / day }

    /// What clocks show, in milliseconds since their 1970-01-01.
    private static func clock(_ time: OffsetInstant) -> Int64 { time.instant.milliseconds + Int64(time.offset) * 1000 }

    /// The midnights with which the days begin, as clocks show them.
    var midnights: [Instant] { (0..<Int64(count)).map { Instant(milliseconds: (first + $0) * Self.day) } }

    /// The place of a time in percent of the width, such as `12.34`; nil when it is on no day of these.
    func place(of time: OffsetInstant) -> String? {
        let fraction = fraction(of: time)
        return (0..<1).contains(fraction) ? Self.text(of: fraction) : nil
    }

    /// The length of a time span that begins on one of the days, up to the end of the last, in percent.
    func length(from start: OffsetInstant, to end: Instant) -> String {
        let end = OffsetInstant(end, offset: start.offset)
        return Self.text(of: max(0, min(1, fraction(of: end)) - fraction(of: start)))
    }

    /// The place of an instant in percent, by the zone's offset.
    func place(of instant: Instant) -> String? { place(of: OffsetInstant(instant, offset: offset)) }

    private func fraction(of time: OffsetInstant) -> Double {
        Double(Self.clock(time) - first * Self.day) / Double(Int64(count) * Self.day)
    }

    /// A fraction in percent, with two decimal places.
    static func text(of fraction: Double) -> String {
        let hundredths = Int((fraction * 10_000).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// The quiet hours as a CSS gradient from left to right; nil when there are none.
    func gradient(of quietHours: QuietHours?) -> String? {
        guard let quietHours, quietHours.from != quietHours.to, !quietHours.isByDevice else { return nil }
        let (start, end) = (first * Self.day, (first + Int64(count)) * Self.day)
        func isQuiet(_ clock: Int64) -> Bool {
            quietHours.contain(Instant(milliseconds: clock - Int64(offset) * 1000))
        }
        var stops: [String] = []
        var (begin, quiet) = (start, isQuiet(start))
        for clock in stride(from: start + Self.step, through: end, by: Int64.Stride(Self.step)) {
            let next = isQuiet(clock)
            guard next != quiet || clock == end else { continue }
            let places = [begin, clock].map { Self.text(of: Double($0 - start) / Double(end - start)) }
            stops.append("\(quiet ? "var(--quiet-ground)" : "transparent") \(places[0])% \(places[1])%")
            (begin, quiet) = (clock, next)
        }
        return "linear-gradient(to right, \(stops.joined(separator: ", ")))"
    }
}
