/// Why something is so, as a value: a code, which has its words in every language, and the values in their places.
///
/// Decisions ask for the code; the words are for people only.
package struct Reason: Hashable, Sendable {
    /// The code.
    package let code: Code
    /// The values in the places of its words, in their English order.
    package let values: [Value]

    /// A value in a place of a reason's words.
    package indirect enum Value: Hashable, Sendable {
        /// Somebody's own words, a name or a command: the same in every language.
        case text(String)
        /// A number of things, which is read with separators.
        case count(Int)
        /// A number that says which, such as a revision.
        case number(Int)
        /// An instant in UTC.
        case instant(Instant)
        /// A time by a clock.
        case time(OffsetInstant)
        /// A day.
        case day(CivilDate)
        /// An exact duration, as files have it.
        case duration(Duration)
        /// A rounded duration, kept in whole seconds.
        case age(seconds: Int64)
        /// A reason within a reason.
        case reason(Reason)

        /// A rounded duration.
        package static func age(_ duration: Duration) -> Value { .age(seconds: duration.wholeSeconds) }

        /// The value in English.
        package var text: String {
            switch self {
            case .text(let text): text
            case .count(let number): number.grouped
            case .number(let number): String(number)
            case .instant(let instant): instant.text
            case .time(let time): time.displayText
            case .day(let day): day.text
            case .duration(let duration): duration.configurationText
            case .age(let seconds): Duration.seconds(seconds).roundedText
            case .reason(let reason): reason.text
            }
        }
    }

    /// A row of a table.
    package struct Code: Hashable, Sendable {
        /// The name in machine formats.
        package let name: String
        /// The words in English and in Chinese.
        package let english, chinese: String

        init(_ row: some ReasonCode) {
            name = row.rawValue
            (english, chinese) = row.words
        }

        /// The code of this name; nil when no table has it.
        init?(named name: String) {
            guard let known = Self.named[name] else { return nil }
            self = known
        }

        /// Every code of every table.
        package static let all: [Code] =
            codes(Shape.self) + codes(Setting.self) + codes(Planned.self) + codes(Progress.self) + codes(Obstacle.self)
            + codes(Note.self) + codes(Remedy.self) + codes(Result.self) + codes(Move.self)

        private static func codes<Table: ReasonCode>(_ table: Table.Type) -> [Code] { table.allCases.map(Code.init) }

        private static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

        /// The number of places in its words.
        package var places: Int { english.ranges(of: "{}").count }
    }

    init(_ code: Code, _ values: [Value]) {
        assert(code.places == values.count, "'\(code.english)' has \(values.count) values")
        self.code = code
        self.values = values
    }

    /// The words of a language with their places filled, in order or by number, by the values as `say` says them.
    package func filled(_ words: String, _ say: (Value) -> String) -> String {
        var (text, rest, next) = ("", words[...], 0)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let inside = rest[rest.index(after: open)..<close]
            text += rest[..<open]
            if let place = inside.isEmpty ? next : Int(inside) {
                text += say(values[place])
                next += 1
            } else {
                text += rest[open...close]
            }
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }

    /// In English, as plans and ledgers keep it.
    package var text: String { filled(code.english, \.text) }

    /// True if it is, or contains, a reason of this code.
    package func has(_ row: some ReasonCode) -> Bool {
        code.name == row.rawValue
            || values.contains { if case .reason(let reason) = $0 { reason.has(row) } else { false } }
    }

    /// True if it is of one of these codes.
    package func isAny<Table: ReasonCode>(of rows: [Table]) -> Bool { rows.contains { $0.rawValue == code.name } }
}

/// A table of reasons: a case is a code with its words in every language, in which `{}` is a place, and `{1}` the place
/// of the second value.
package protocol ReasonCode: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The words.
    var words: (english: String, chinese: String) { get }
}

extension Reason: CustomStringConvertible {
    package var description: String { text }
}

extension Reason: Comparable {
    /// The order of the English words.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.text < rhs.text }
}

// MARK: Making reasons

extension Reason {
    /// Somebody's own words, which are the same in every language.
    package static func verbatim(_ text: String) -> Reason { Reason(.verbatim, .text(text)) }

    /// Reasons one after the other, joined by the words of a code with two places; nil when there are none.
    package static func joined(_ reasons: [Reason], by joint: Shape = .also) -> Reason? {
        guard let first = reasons.first else { return nil }
        return reasons.dropFirst().reduce(first) { Reason(joint, .reason($0), .reason($1)) }
    }

    /// The reason and another clause; only the reason without one.
    package func also(_ other: Reason?) -> Reason { other.map { Reason(.also, .reason(self), .reason($0)) } ?? self }

    /// Makes a reason of other reasons and somebody's words.
    package init(_ code: Shape, _ values: Value...) { self.init(Code(code), values) }
    /// Makes a reason about what files set.
    package init(_ code: Setting, _ values: Value...) { self.init(Code(code), values) }
    /// Makes a reason of a planned change.
    package init(_ code: Planned, _ values: Value...) { self.init(Code(code), values) }
    /// Makes a reason about how a delivery stands.
    package init(_ code: Progress, _ values: Value...) { self.init(Code(code), values) }
    /// Makes a reason that blocks a change.
    package init(_ code: Obstacle, _ values: Value...) { self.init(Code(code), values) }
    /// Makes the message of a plan's diagnostic.
    package init(_ code: Note, _ values: Value...) { self.init(Code(code), values) }
    /// Makes the help of a plan's diagnostic.
    package init(_ code: Remedy, _ values: Value...) { self.init(Code(code), values) }
    /// Makes the reason of a result.
    package init(_ code: Result, _ values: Value...) { self.init(Code(code), values) }
    /// Makes a finding about a migration.
    package init(_ code: Move, _ values: Value...) { self.init(Code(code), values) }
}
