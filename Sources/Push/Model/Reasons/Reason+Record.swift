package import Base

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
        return Field(
            group: WrittenReason.record(name, text), { WrittenReason(get($0)) }, { set(&$0, $1.reason) })
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
