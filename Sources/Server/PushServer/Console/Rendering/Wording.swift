internal import DeviceRegistry
internal import JSONValue
internal import Phrasebook
internal import PushModel

/// The viewer of a page: the time, the language, and the person's rights.
struct Viewer: Sendable {
    let now: Instant
    let language: Language
    /// True if the person may send, cancel and see whole tokens.
    var mayAct = true
}

extension Instant {
    /// `12:00`, in UTC.
    var hourAndMinute: String { String(isoText.dropFirst(11).prefix(5)) }

    /// The same time as an `Instant`.
    var instant: Instant { Instant(milliseconds: milliseconds) }

    /// `Saturday, 21 November`, in UTC.
    func weekdayAndDay(in language: Language) -> String {
        let (weekday, month, day) = date
        return language.say(.weekdayAndDay(weekday: weekday, month: month, day: day))
    }

    /// The time relative to now, in the largest unit that fits: `now`, `5 min ago`, `in 2 h`, `3 d ago`.
    func distance(for viewer: Viewer) -> String {
        let seconds = Int((milliseconds - viewer.now.milliseconds) / 1000)
        let (amount, isPast) = (abs(seconds), seconds < 0)
        let phrase: Phrase =
            switch amount {
            case ..<60: isPast || seconds == 0 ? .label(.now) : .inAMoment
            case ..<3600: isPast ? .minutesAgo(amount / 60) : .inMinutes(amount / 60)
            case ..<86_400: isPast ? .hoursAgo(amount / 3600) : .inHours(amount / 3600)
            default: isPast ? .daysAgo(amount / 86_400) : .inDays(amount / 86_400)
            }
        return viewer.language.say(phrase)
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
