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
