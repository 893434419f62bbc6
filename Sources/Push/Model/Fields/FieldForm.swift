internal import Base

/// The form of a property in a file: its type, and how its value is read, written and hashed.
package struct FieldForm<Value: Sendable>: Sendable {
    let type: FieldType
    /// Converts a checked value; nil when it cannot be used.
    let read: @Sendable (FieldValue) -> Value?
    let write: @Sendable (Value) -> FieldValue
    let hash: @Sendable (Value, String, inout ContentWriter) -> Void

    /// A form of the same type whose values convert to and from this form's values.
    func map<Other>(
        _ read: @escaping @Sendable (Value) -> Other?, _ write: @escaping @Sendable (Other) -> Value
    ) -> FieldForm<Other> {
        FieldForm<Other>(
            type: type, read: { self.read($0).flatMap(read) }, write: { self.write(write($0)) },
            hash: { self.hash(write($0), $1, &$2) })
    }
}

extension FieldForm<String> {
    /// A string of the given type.
    static func string(_ type: FieldType) -> Self {
        FieldForm(
            type: type, read: { if case .text(let text) = $0 { text } else { nil } }, write: { .text($0) },
            hash: { $2.write($1, $0) })
    }

    /// A string of at least one byte.
    static let text = string(.text)
    /// A string of any length.
    static let anyText = string(.text(FieldType.anyCount))

    /// A string whose length in bytes is in the range.
    static func text(_ range: ClosedRange<Int>) -> Self { string(.text(range)) }

    /// A name that follows a rule.
    static func name(_ rule: NameRule) -> Self { string(.name(rule)) }
}

extension FieldForm where Value: CaseIterable & RawRepresentable<String> {
    /// One of an enum's cases; files accept a new case without further changes.
    static func choice(_: Value.Type) -> Self {
        FieldForm<String>.string(.choice(Value.allCases.map(\.rawValue))).map(Value.init(rawValue:), \.rawValue)
    }
}

extension FieldForm {
    /// A list of an enum's cases.
    static func choices<Case: CaseIterable & RawRepresentable<String>>(_: Case.Type) -> Self where Value == [Case] {
        FieldForm<[String]>.list(.list(of: .choice(Case.allCases.map(\.rawValue))))
            .map({ $0.compactMap(Case.init) }, { $0.map(\.rawValue) })
    }
}

extension FieldForm<[String]> {
    /// A list of strings.
    static func list(_ type: FieldType) -> Self {
        FieldForm(
            type: type, read: { if case .list(let texts) = $0 { texts } else { nil } }, write: { .list($0) },
            hash: { $2.write($1, $0) })
    }
}

extension FieldForm<Bool> {
    /// `true` or `false`.
    static let flag = flag(.boolean)

    /// A Boolean of the given type.
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

    /// An integer of the given type.
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

    /// A percentage such as `20%`, with at most four decimal places.
    static let percentage = FieldForm<String>.string(.percentage)
        .map(FieldType.fraction) { "\(($0 * 1_000_000).rounded() / 10_000)%" }
}

extension FieldForm<Duration> {
    /// A duration.
    static let duration = FieldForm(
        type: .duration(FieldType.anyDuration), read: { if case .duration(let length) = $0 { length } else { nil } },
        write: { .duration($0) }, hash: { $2.write($1, Int($0.wholeSeconds)) })
}

extension FieldForm<OffsetInstant> {
    /// A point in time, with its offset.
    static let instant = FieldForm(
        type: .instant, read: { if case .instant(let moment) = $0 { moment } else { nil } }, write: { .instant($0) },
        hash: { $2.write($1, $0.instant.text) })
}

extension FieldForm<JSONValue> {
    /// A condition on installations.
    static let condition = json(.condition(on: .installations))

    /// A mapping whose keys follow a rule.
    static func object(keys rule: NameRule) -> Self { json(.object(keys: rule)) }

    private static func json(_ type: FieldType) -> Self {
        FieldForm(
            type: type, read: { if case .json(let value) = $0 { value } else { nil } }, write: { .json($0) },
            hash: { $2.write($1, $0) })
    }
}

extension FieldForm<JSONObject> {
    /// A mapping whose keys follow a rule, as an object's members.
    static func members(keys rule: NameRule) -> Self {
        FieldForm<JSONValue>.object(keys: rule).map(\.object, JSONValue.object)
    }
}

extension FieldForm<[String: String]> {
    /// A mapping from names to strings.
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
    /// A list of mappings with the fields of a table.
    static func maps<Element>(_ table: FieldTable<Element>) -> Self where Value == [Element] {
        let map = FieldForm<Element>.map(table)
        return FieldForm(
            type: .list(of: map.type),
            read: { value in
                guard case .maps(let maps) = value else { return nil }
                return maps.compactMap { map.read(.fields($0)) }
            }, write: { .maps($0.map(table.values)) },
            hash: { elements, name, writer in for element in elements { map.hash(element, name, &writer) } })
    }

    /// A mapping with the fields of a table.
    static func map(_ table: FieldTable<Value>) -> Self {
        FieldForm(
            type: .map(table.description),
            read: { if case .fields(let values) = $0 { table.record(of: values) } else { nil } },
            write: { .fields(table.values(of: $0)) },
            hash: { value, name, writer in writer.group(name) { table.hash(value, to: &$0) } })
    }
}
