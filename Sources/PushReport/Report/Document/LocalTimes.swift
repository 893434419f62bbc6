internal import Push

/// The times of a report by one clock, to the minute. An offset that they share stands in the heading.
struct LocalTimes {
    private let language: Language
    private let zone: ZoneClock?
    private let shared: String?

    /// The times by a zone's clock; nil: in UTC.
    init(_ instants: [Instant], by zone: ZoneClock?, in language: Language) {
        self.language = language
        self.zone = zone
        let offsets = Set(instants.map { zone?.offset(at: $0) ?? 0 })
        shared =
            offsets.count > 1
            ? nil
            : offsets.first.map { $0 == 0 ? " UTC" : String(Self.text(Instant(seconds: 0), $0, language).suffix(7)) }
    }

    /// The heading of a column of times.
    func heading(_ label: Phrase) -> String { language.say(label) + (shared ?? "") }

    /// A time below its heading.
    func cell(_ instant: Instant) -> String {
        shared == nil ? text(instant) : String(text(instant).dropLast(7))
    }

    /// A time with its offset.
    func text(_ instant: Instant) -> String { Self.text(instant, zone?.offset(at: instant) ?? 0, language) }

    private static func text(_ instant: Instant, _ offset: Int, _ language: Language) -> String {
        let seconds = instant.seconds
        return language.time(OffsetInstant(Instant(seconds: seconds - (seconds % 60 + 60) % 60), offset: offset))
    }
}
