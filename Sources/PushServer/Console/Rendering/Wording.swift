internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

/// The viewer of a page: the time, the language, the time zone, and the person's rights.
struct Viewer: Sendable {
    let now: Instant
    let language: Language
    /// The time zone of the times on the page; nil for UTC.
    var zone: ZoneClock?
    /// True if the person may send, cancel and see whole tokens.
    var mayAct = true
}

extension Instant {
    /// `12:00`, in the viewer's zone.
    func hourAndMinute(for viewer: Viewer) -> String { String(viewer.local(self).isoText.dropFirst(11).prefix(5)) }

    /// The same time as an `Instant`.
    var instant: Instant { Instant(milliseconds: milliseconds) }

    /// `Saturday, 21 November`, in the viewer's zone.
    func weekdayAndDay(for viewer: Viewer) -> String {
        let (weekday, month, day) = viewer.local(self).date
        return viewer.language.say(.weekdayAndDay(weekday: weekday, month: month, day: day))
    }

    /// The time relative to now, in the largest unit that fits: `now`, `5 min ago`, `in 2 h`, `3 d ago`.
    func distance(for viewer: Viewer) -> String {
        let seconds = Int((milliseconds - viewer.now.milliseconds) / 1000)
        let (amount, isPast) = (abs(seconds), seconds < 0)
        let phrase: Phrase =
            switch amount {
            case ..<60: isPast || seconds == 0 ? .now : .inAMoment
            case ..<3600: isPast ? .minutesAgo(amount / 60) : .inMinutes(amount / 60)
            case ..<86_400: isPast ? .hoursAgo(amount / 3600) : .inHours(amount / 3600)
            default: isPast ? .daysAgo(amount / 86_400) : .inDays(amount / 86_400)
            }
        return viewer.language.say(phrase)
    }
}

extension Viewer {
    /// The name of the time zone.
    var zoneName: String { zone?.name ?? "UTC" }

    /// An instant whose words in UTC are those of the zone's clock at another.
    func local(_ instant: Instant) -> Instant {
        instant.advanced(bySeconds: Double(zone?.offset(at: instant) ?? 0))
    }

    /// The day of an instant, such as `2026-11-21`.
    func day(_ instant: Instant) -> String { String(local(instant).isoText.prefix(10)) }

    /// The start of a day in the zone; nil when the text is not a day such as `2026-11-21`.
    func start(ofDay text: String) -> Instant? {
        guard text.utf8.count == 10, let midnight = Instant(iso: text + "T00:00:00.000Z") else { return nil }
        // The offset may be another at the start of the day than at that time of UTC.
        let guess = midnight.advanced(bySeconds: -Double(zone?.offset(at: midnight) ?? 0))
        return midnight.advanced(bySeconds: -Double(zone?.offset(at: guess) ?? 0))
    }
}

extension String {
    /// A token or id shortened to its beginning and end: enough to tell devices apart, useless to a thief.
    var shortened: String {
        count > 14 ? "\(prefix(8))…\(suffix(4))" : self
    }

    /// The text cut to at most `length` characters, with an ellipsis if there were more.
    func cut(to length: Int) -> String {
        count > length ? prefix(length - 1) + "…" : self
    }
}

extension JSONValue {
    /// The value with every device token and id shortened, fit to be shown on a page.
    var withShortTokens: JSONValue {
        switch self {
        case .object(let members):
            .object(
                JSONObject(
                    members.lazy.map { key, value in
                        (key, Self.tokenKeys.contains(key) ? value.shortenedTexts : value.withShortTokens)
                    }))
        case .array(let elements): .array(elements.map(\.withShortTokens))
        case .null, .bool, .integer, .number, .string: self
        }
    }

    private static let tokenKeys: Set<String> = ["deviceToken", "installationId", "registrationId"]

    private var shortenedTexts: JSONValue {
        switch self {
        case .string(let text): .string(text.shortened)
        case .array(let elements): .array(elements.map(\.shortenedTexts))
        case .object(let members): .object(members.mapValues { $0.shortenedTexts })
        case .null, .bool, .integer, .number: self
        }
    }
}
