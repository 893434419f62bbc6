package import Push

/// How one language writes times, durations, lists and reasons.
protocol Phrases {
    /// A time with its offset, to the minute unless it has seconds.
    static func time(_ time: OffsetInstant) -> String
    /// An instant in UTC.
    static func instant(_ instant: Instant) -> String
    /// A day and a time in UTC to the second, without a zone.
    static func dayAndTime(_ instant: Instant) -> String
    /// A day.
    static func day(_ day: CivilDate) -> String
    /// The label of a mark on a time line.
    static func tick(_ instant: Instant, _ detail: TickDetail) -> String
    /// An approximate duration.
    static func duration(_ duration: Duration) -> String
    /// A reason.
    static func text(_ reason: Reason) -> String
    /// The separator of list items.
    static var comma: String { get }
    /// The separator of clauses.
    static var semicolon: String { get }
}

/// The parts of a time that a mark on a time line shows.
package enum TickDetail: Sendable {
    /// The year and the month.
    case month
    /// The month and the day.
    case day
    /// The day and the time.
    case hour
}

extension Language {
    private var phrases: any Phrases.Type {
        switch self {
        case .english: English.self
        case .chinese: Chinese.self
        }
    }

    /// A text in this language.
    package func say(_ phrase: Phrase) -> String {
        switch self {
        case .english: phrase.english
        case .chinese: phrase.chinese
        }
    }

    /// A time with its offset: `2026-11-27 20:00 +08:00`.
    package func time(_ time: OffsetInstant) -> String { phrases.time(time) }

    /// An instant in UTC: `2026-11-27T12:00:00Z`.
    package func instant(_ instant: Instant) -> String { phrases.instant(instant) }

    /// A day and a time in UTC to the second, without a zone: `2026-11-27 12:00:00`.
    package func dayAndTime(_ instant: Instant) -> String { phrases.dayAndTime(instant) }

    /// A day in UTC: `2026-11-27`.
    package func day(_ instant: Instant) -> String { phrases.day(OffsetInstant(instant).date) }

    /// The label of a mark on a time line: `11-27 20:00`.
    package func tick(_ instant: Instant, _ detail: TickDetail) -> String { phrases.tick(instant, detail) }

    /// An approximate duration: `2 h`.
    package func duration(_ duration: Duration) -> String { phrases.duration(duration) }

    /// A reason with its values.
    package func say(_ reason: Reason) -> String { phrases.text(reason) }

    /// A day.
    package func day(_ day: CivilDate) -> String { phrases.day(day) }

    /// Joins texts with commas.
    package func list(_ texts: [String]) -> String { texts.joined(separator: phrases.comma) }

    /// Joins clauses with semicolons.
    package func clauses(_ texts: [String]) -> String { texts.joined(separator: phrases.semicolon) }
}

extension Language {
    /// A part of a whole in percent, with a tenth where it is small; the whole is at least 1.
    package func share(_ part: Int, of whole: Int) -> String {
        let tenths = Int((Double(part) * 1000 / Double(whole)).rounded())
        if tenths == 0, part > 0 { return say(.underShare("0.1")) }
        let isWhole = tenths % 10 == 0 || tenths >= 100
        return say(.share(isWhole ? ((tenths + 5) / 10).grouped : "\(tenths / 10).\(tenths % 10)"))
    }
}
