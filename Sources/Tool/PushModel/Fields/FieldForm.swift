internal import JSONValue

/// How a property stands in a file: what may be written, what it means, how it is written, and how it is hashed.
package struct FieldForm<Value: Sendable>: Sendable {
    let type: FieldType
    /// What a checked value means; nil: nothing that can be used.
    let read: @Sendable (FieldValue) -> Value?
    let write: @Sendable (Value) -> FieldValue
    let hash: @Sendable (Value, String, inout ContentWriter) -> Void

    /// Another form of the same type, for a value that stands for this one.
    func map<Other>(
        _ read: @escaping @Sendable (Value) -> Other?, _ write: @escaping @Sendable (Other) -> Value
    ) -> FieldForm<Other> {
        FieldForm<Other>(
            type: type, read: { self.read($0).flatMap(read) }, write: { self.write(write($0)) },
            hash: { self.hash(write($0), $1, &$2) })
    }
}

extension FieldForm<String> {
    /// A string of a type.
    static func string(_ type: FieldType) -> Self {
        FieldForm(
            type: type, read: { if case .text(let text) = $0 { text } else { nil } }, write: { .text($0) },
            hash: { $2.write($1, $0) })
    }

    /// A string of at least one byte.
    static let text = string(.text)
    /// A string of any length.
    static let anyText = string(.text(FieldType.anyCount))

    /// A string of so many bytes.
    static func text(_ range: ClosedRange<Int>) -> Self { string(.text(range)) }

    /// A name that keeps to a rule.
    static func name(_ rule: NameRule) -> Self { string(.name(rule)) }
}

extension FieldForm where Value: CaseIterable & RawRepresentable<String> {
    /// One of an enum's values: a new one is one of the files.
    static func choice(_: Value.Type) -> Self {
        FieldForm<String>.string(.choice(Value.allCases.map(\.rawValue))).map(Value.init(rawValue:), \.rawValue)
    }
}

extension FieldForm {
    /// A list of an enum's values.
    static func choices<Case: CaseIterable & RawRepresentable<String>>(_: Case.Type) -> Self where Value == [Case] {
        FieldForm<[String]>.list(.list(of: .choice(Case.allCases.map(\.rawValue))))
            .map({ $0.compactMap(Case.init) }, { $0.map(\.rawValue) })
    }
}

extension FieldForm<[String]> {
    /// A list of texts.
    static func list(_ type: FieldType) -> Self {
        FieldForm(
            type: type, read: { if case .list(let texts) = $0 { texts } else { nil } }, write: { .list($0) },
            hash: { $2.write($1, $0) })
    }
}

extension FieldForm<Bool> {
    /// `true` or `false`.
    static let flag = flag(.boolean)

    /// A truth value of a type.
    static func flag(_ type: FieldType) -> Self {
        FieldForm(
            type: type, read: { if case .flag(let flag) = $0 { flag } else { nil } }, write: { .flag($0) },
            hash: { $2.write($1, $0) })
    }
}

extension FieldForm<Int> {
    /// Zero or more.
    static let count = integer(.integer(FieldType.anyCount))
    /// One or more.
    static let positive = integer(.integer(1...Int.max))

    /// The minutes after midnight of a time of day.
    static let timeOfDay = FieldForm<String>.string(.timeOfDay).map(FieldType.minutes, QuietHours.timeOfDay)

    /// A whole number of a type.
    static func integer(_ type: FieldType) -> Self {
        FieldForm(
            type: type, read: { if case .integer(let number) = $0 { number } else { nil } }, write: { .integer($0) },
            hash: { $2.write($1, $0) })
    }
}

extension FieldForm<Double> {
    /// A number from 0 to 1.
    static let unit = FieldForm(
        type: .number(0...1), read: { if case .number(let number) = $0 { number } else { nil } },
        write: { .number($0) }, hash: { $2.write($1, $0) })

    /// A share such as `20%`, at most four digits behind its point.
    static let percentage = FieldForm<String>.string(.percentage)
        .map(FieldType.fraction) { "\(($0 * 1_000_000).rounded() / 10_000)%" }
}

extension FieldForm<Duration> {
    /// A length of time.
    static let duration = FieldForm(
        type: .duration(FieldType.anyDuration), read: { if case .duration(let length) = $0 { length } else { nil } },
        write: { .duration($0) }, hash: { $2.write($1, Int($0.wholeSeconds)) })
}

extension FieldForm<OffsetInstant> {
    /// A moment.
    static let instant = FieldForm(
        type: .instant, read: { if case .instant(let moment) = $0 { moment } else { nil } }, write: { .instant($0) },
        hash: { $2.write($1, $0.instant.text) })
}

extension FieldForm<JSONValue> {
    /// A condition on installations.
    static let condition = json(.condition(on: .installations))

    /// A mapping of any keys.
    static func object(keys rule: NameRule) -> Self { json(.object(keys: rule)) }

    private static func json(_ type: FieldType) -> Self {
        FieldForm(
            type: type, read: { if case .json(let value) = $0 { value } else { nil } }, write: { .json($0) },
            hash: { $2.write($1, $0) })
    }
}

extension FieldForm<JSONObject> {
    /// A mapping of any keys, member by member.
    static func members(keys rule: NameRule) -> Self {
        FieldForm<JSONValue>.object(keys: rule).map(\.object, JSONValue.object)
    }
}

extension FieldForm<[String: String]> {
    /// Texts by names.
    static func texts(keys rule: NameRule) -> Self {
        FieldForm(
            type: .entries(of: .text(FieldType.anyCount), keys: rule),
            read: {
                guard case .entries(let entries) = $0 else { return nil }
                var texts: [String: String] = Dictionary(minimumCapacity: entries.count)
                for case (let key, .text(let text)) in entries { texts[key] = text }
                return texts
            }, write: { .entries($0.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) }) },
            hash: { texts, name, writer in
                for (key, text) in texts.sorted(by: { $0.key < $1.key }) { writer.write(name, [key, text]) }
            })
    }
}

extension FieldForm {
    /// A mapping of the fields of a table.
    static func map(_ table: FieldTable<Value>) -> Self {
        FieldForm(
            type: .map(table.description),
            read: { if case .fields(let values) = $0 { table.record(of: values) } else { nil } },
            write: { .fields(table.values(of: $0)) },
            hash: { value, name, writer in writer.group(name) { table.hash(value, to: &$0) } })
    }
}
