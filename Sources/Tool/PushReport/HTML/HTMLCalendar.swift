internal import Phrasebook
internal import PushModel
internal import PushPlan

/// The view for the calendar's template: a time line, with positions in percent of its length.
struct HTMLCalendar {
    private let calendar: PlanCalendar
    private let items: HTMLItems
    private let scale: TimeScale
    private var language: Language { items.language }

    /// The maximum number of pushes with a row of their own.
    private static let mostEntries = 100

    init(_ calendar: PlanCalendar, _ items: HTMLItems) {
        self.calendar = calendar
        self.items = items
        scale = TimeScale(calendar)
    }

    var view: HTMLTemplates.View {
        let rest = calendar.entries.count - Self.mostEntries
        return [
            "quiet": scale.gradient(of: calendar.quietHours), "hasQuiet": scale.shows(calendar.quietHours),
            "ticks": scale.ticks.map { ["left": $0.place, "label": language.tick($0.at, $0.detail)] },
            "gaps": scale.gaps.map {
                ["left": $0.place, "width": $0.width, "label": "… " + language.tick($0.until, .month)]
            },
            "entries": calendar.entries.prefix(Self.mostEntries).map(view),
            "entriesRest": rest > 0 ? "… " + language.say(.morePushes(rest)) as Any : false,
        ]
    }

    private func view(of entry: PlanCalendar.Entry) -> HTMLTemplates.View {
        var bar: Any = false
        if let end = entry.expiresAt ?? entry.latestStart, end > entry.at.instant {
            bar = ["left": scale.place(of: entry.at.instant), "width": scale.length(from: entry.at.instant, to: end)]
        }
        let others = collisions(of: entry)
        return [
            "tone": entry.tone, "campaign": entry.name(in: language),
            "anchorOfEntry": entry.campaign.flatMap(items.anchor(ofCampaign:)).orNothing,
            "when": entry.time(in: language) + language.say(.comma) + language.say(entry.label),
            "until": entry.expiry.map(language.time).orNothing,
            "collides": others.isEmpty ? false : tooClose(others) as Any,
            "bar": bar, "dot": scale.place(of: entry.at.instant), "dotCollides": !others.isEmpty,
            "local": entry.localTimes.map { $0.words(in: language) },
        ]
    }

    /// The maximum number of campaigns named as too close.
    private static let mostNamed = 3

    private func tooClose(_ others: [String]) -> String {
        guard others.count > Self.mostNamed + 1 else { return language.say(.tooClose(to: others)) }
        let named = Array(others.prefix(Self.mostNamed))
        return language.say(.tooClose(to: [language.say(.namesAndMore(named, others.count - named.count))]))
    }

    private func collisions(of entry: PlanCalendar.Entry) -> [String] {
        guard let campaign = entry.campaign else { return [] }
        return calendar.collisions.compactMap { collision in
            collision.first == campaign ? collision.second : collision.second == campaign ? collision.first : nil
        }
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
