package import PushModel

/// Everything that people read in one language.
///
/// A new language is one more type, for which the compiler names what is missing.
protocol Phrases {
    /// A fixed text.
    static func text(_ label: Label) -> String
    /// A text of the console.
    static func text(_ label: ConsoleLabel) -> String
    /// A sentence with its places filled.
    static func text(_ phrase: Phrase) -> String
    /// A time with its offset, to the minute where it is a whole one.
    static func time(_ time: OffsetInstant) -> String
    /// An instant in UTC.
    static func instant(_ instant: Instant) -> String
    /// A day and a time in UTC to the second, without saying so.
    static func dayAndTime(_ instant: Instant) -> String
    /// A day in UTC.
    static func day(_ instant: Instant) -> String
    /// A mark on a line of time.
    static func tick(_ instant: Instant, _ detail: TickDetail) -> String
    /// About how long.
    static func duration(_ duration: Duration) -> String
    /// What a plan says in English, which is how plans are saved.
    static func planned(_ text: String) -> String
    /// Between the texts of a list.
    static var comma: String { get }
    /// Between clauses.
    static var semicolon: String { get }
}

/// How much of a time a mark on a line of time says.
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

    /// A fixed text.
    package func say(_ label: Label) -> String { phrases.text(label) }

    /// A text of the console.
    package func say(_ label: ConsoleLabel) -> String { phrases.text(label) }

    /// A sentence with its places filled.
    package func say(_ phrase: Phrase) -> String { phrases.text(phrase) }

    /// A time with its offset: `2026-11-27 20:00 +08:00`.
    package func time(_ time: OffsetInstant) -> String { phrases.time(time) }

    /// An instant in UTC: `2026-11-27T12:00:00Z`.
    package func instant(_ instant: Instant) -> String { phrases.instant(instant) }

    /// A day and a time in UTC to the second, without saying so: `2026-11-27 12:00:00`.
    package func dayAndTime(_ instant: Instant) -> String { phrases.dayAndTime(instant) }

    /// A day in UTC: `2026-11-27`.
    package func day(_ instant: Instant) -> String { phrases.day(instant) }

    /// A mark on a line of time: `11-27 20:00`.
    package func tick(_ instant: Instant, _ detail: TickDetail) -> String { phrases.tick(instant, detail) }

    /// About how long: `2 h`.
    package func duration(_ duration: Duration) -> String { phrases.duration(duration) }

    /// What a plan says in words: whom it reaches, why, what holds it back; as it is where its sentence is not known.
    package func planned(_ text: String) -> String { phrases.planned(text) }

    /// Texts with commas between them.
    package func list(_ texts: [String]) -> String { texts.joined(separator: phrases.comma) }

    /// Clauses with semicolons between them.
    package func clauses(_ texts: [String]) -> String { texts.joined(separator: phrases.semicolon) }

    /// The fixed texts by the names that templates have for them.
    package var labels: [String: String] {
        Dictionary(uniqueKeysWithValues: Label.allCases.map { ($0.rawValue, say($0)) })
    }

    /// Those and the console's.
    package var consoleLabels: [String: String] {
        labels.merging(ConsoleLabel.allCases.map { ($0.rawValue, say($0)) }) { shared, _ in
            preconditionFailure("two texts have the name of '\(shared)'")
        }
    }
}
