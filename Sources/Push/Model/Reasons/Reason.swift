package import Base

/// Why something is so, as a value: a code, which has its words in every language, and the values in their places.
///
/// Decisions ask for the code; the words are for people only.
package struct Reason: Hashable, Sendable {
    package let code: Code
    /// The values in the places of its words, in their English order.
    package let values: [Value]

    /// A value in a place of a reason's words.
    package indirect enum Value: Hashable, Sendable {
        /// Somebody's own words, a name or a command: the same in every language.
        case text(String)
        /// A number of things, which is read with separators.
        case count(Int)
        case number(Int)
        /// An instant in UTC.
        case instant(Instant)
        case time(OffsetInstant)
        case day(CivilDate)
        /// An exact duration, as files have it.
        case duration(Duration)
        /// A rounded duration, kept in whole seconds.
        case age(seconds: Int64)
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
            (english, chinese) = (row.words.english, row.words.chinese)
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
    var words: Phrase { get }
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

// MARK: - Shape

extension Reason {
    /// How reasons and somebody's words are put together, and the kinds of resources.
    package enum Shape: String, ReasonCode {
        case verbatim, both, also, says, remarked, andMore
        case deviceProfileKind, channelKind, segmentKind, campaignKind

        package var words: Phrase {
            switch self {
            case .verbatim: Phrase("{}", "{}")
            case .both: Phrase("{}, {}", "{}，{}")
            case .also: Phrase("{}; {}", "{}；{}")
            case .says: Phrase("{}: {}", "{}：{}")
            case .remarked: Phrase("{} ({})", "{}（{}）")
            case .andMore: Phrase("{} and {} more", "{}，另有 {} 个")
            case .deviceProfileKind: Phrase("deviceProfile", "deviceProfile")
            case .channelKind: Phrase("channel", "频道")
            case .segmentKind: Phrase("segment", "分群")
            case .campaignKind: Phrase("campaign", "推送活动")
            }
        }
    }
}

extension ResourceKind {
    /// The kind within other words.
    package var reason: Reason {
        switch self {
        case .deviceProfile: Reason(.deviceProfileKind)
        case .channel: Reason(.channelKind)
        case .segment: Reason(.segmentKind)
        case .campaign: Reason(.campaignKind)
        }
    }
}

/// A finding of a plan, which every language says in its own words.
package typealias PlanDiagnostic = DiagnosticOf<Reason>

extension Diagnostic {
    /// The finding in a plan: what is said of files is English there, too.
    package var planned: PlanDiagnostic { map(Reason.verbatim) }
}

// MARK: - Record

extension Field {
    /// A reason as its English text, and beside it, in members whose names go on with `Code` and `Values`, what other
    /// languages and programs need of it.
    package static func reason(
        _ name: String, _ sentence: String, _ get: @escaping @Sendable (Root) -> Reason,
        _ set: @escaping @Sendable (inout Root, Reason) -> Void
    ) -> Field {
        let text = Field<WrittenReason>(name, .text, sentence, { $0.text ?? "" }, { $0.text = $1 })
        return Field(
            group: WrittenReason.record(name, text), { WrittenReason(get($0)) },
            { root, written in if let reason = written.reason { set(&root, reason) } })
    }

    /// A reason that may be missing: `null`, or left out altogether where `isOptional`.
    package static func reason(
        _ name: String, orNull sentence: String, isOptional: Bool = false,
        _ get: @escaping @Sendable (Root) -> Reason?, _ set: @escaping @Sendable (inout Root, Reason?) -> Void
    ) -> Field {
        let text =
            isOptional
            ? Field<WrittenReason>(optional: name, .text, sentence, { $0.text }, { $0.text = $1 })
            : Field<WrittenReason>(name, orNull: .text, sentence, { $0.text }, { $0.text = $1 })
        return Field(group: WrittenReason.record(name, text), { WrittenReason(get($0)) }, { set(&$0, $1.reason) })
    }
}

extension Reason {
    /// The form of a reason within another.
    package static let form: JSONForm<Reason> = JSONForm<WrittenReason>.record(
        WrittenReason.record(
            "text", Field("text", .text, "The words in English.", { $0.text ?? "" }, { $0.text = $1 }), code: "code",
            values: "values")
    ).standing(for: { (reason: Reason) in WrittenReason(reason) }) { written throws(RecordError) in
        guard let reason = written.reason else { throw RecordError(.missing).under("text") }
        return reason
    }

    /// The schema of a value in a place of the words.
    package static var valueSchema: OrderedJSON {
        let kinds: [(String, OrderedJSON)] = [
            ("text", SchemaPart.text("Somebody's own words, a name or a command.")),
            ("count", SchemaPart.integer("A number of things.", minimum: nil)),
            ("number", SchemaPart.integer("A number that says which.", minimum: nil)),
            ("instant", SchemaPart.time("An instant in UTC.")), ("time", SchemaPart.time("A time by a clock.")),
            ("day", SchemaPart.text("A day.")), ("duration", SchemaPart.text("An exact duration.")),
            ("seconds", SchemaPart.integer("A duration that the words round.")),
            ("reason", SchemaPart.reference("reason")),
        ]
        return SchemaPart.object(
            "A value in a place of the words; its one member has its kind.",
            kinds.map { RecordProperty(name: $0.0, schema: $0.1, isRequired: false) })
    }
}

/// A reason as machine formats have it; somebody's own words have no code.
private struct WrittenReason: Sendable {
    var text: String?
    var code: String?
    var values: [Reason.Value] = []

    init(_ reason: Reason?) {
        text = reason?.text
        guard let reason, reason.code != Self.verbatim else { return }
        (code, values) = (reason.code.name, reason.values)
    }

    private static let verbatim = Reason.Code(Reason.Shape.verbatim)

    /// The reason; of a code that another version added, the words.
    var reason: Reason? {
        guard let text else { return nil }
        guard let code = code.flatMap(Reason.Code.init(named:)), code.places == values.count else {
            return .verbatim(text)
        }
        return Reason(code, values)
    }

    static func record(_ name: String, _ text: Field<WrittenReason>) -> Record<WrittenReason> {
        record(name, text, code: name + "Code", values: name + "Values")
    }

    static func record(
        _ name: String, _ text: Field<WrittenReason>, code: String, values: String
    ) -> Record<WrittenReason> {
        Record(
            WrittenReason(nil),
            [
                text,
                Field(
                    optional: code, .text, "The code of '\(name)'; left out: the words are somebody's own.",
                    { $0.code }, { $0.code = $1 }),
                Field(
                    optional: values, .list(of: .value).onOneLine, "The values in the places of '\(name)', in order.",
                    unless: [],
                    { $0.values }, { $0.values = $1 }),
            ])
    }
}

extension JSONForm<Reason.Value> {
    /// An object whose one member is named by the value's kind.
    fileprivate static var value: Self {
        JSONForm(
            schema: { _, _ in SchemaPart.reference("value") },
            write: { value in
                switch value {
                case .text(let text): ["text": .string(text)]
                case .count(let number): ["count": .integer(number)]
                case .number(let number): ["number": .integer(number)]
                case .instant(let instant): ["instant": .string(instant.exactText)]
                case .time(let time): ["time": .string(time.exactText)]
                case .day(let day): ["day": .string(day.text)]
                case .duration(let duration): ["duration": .string(duration.configurationText)]
                case .age(let seconds): ["seconds": .value(.integer(seconds))]
                case .reason(let reason): ["reason": Reason.form.write(reason)]
                }
            }
        ) { json throws(RecordError) in
            guard let (kind, member) = json.object?.first else { throw RecordError(.type) }
            if kind == "reason" { return .reason(try Reason.form.read(member)) }
            let value: Reason.Value? =
                switch kind {
                case "text": member.string.map { .text($0) }
                case "count": member.integer.flatMap { Int(exactly: $0) }.map { .count($0) }
                case "number": member.integer.flatMap { Int(exactly: $0) }.map { .number($0) }
                case "instant": member.string.flatMap { Instant($0) }.map { .instant($0) }
                case "time": member.string.flatMap { OffsetInstant($0) }.map { .time($0) }
                case "day": member.string.flatMap { CivilDate($0) }.map { .day($0) }
                case "duration": member.string.flatMap { Duration(configurationText: $0) }.map { .duration($0) }
                case "seconds": member.integer.map { .age(seconds: $0) }
                default: nil
                }
            guard let value else { throw RecordError(.unknown(kind)) }
            return value
        }
    }
}
