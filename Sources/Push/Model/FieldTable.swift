package import Base

/// One field of a record: what files say of it, and where its value is.
package final class FieldRow<Root: Sendable>: Sendable {
    /// The documentation for people.
    package let spec: FieldSpec
    /// Takes what a file says; false: nothing that can be used.
    let set: @Sendable (FieldValue, inout Root) -> Bool
    /// The value as a file would say it; nil: nothing.
    let value: @Sendable (Root) -> FieldValue?
    /// Takes what another record has, if it has anything.
    let take: @Sendable (Root, inout Root) -> Void
    let hash: @Sendable (Root, inout ContentWriter) -> Void

    private init<Value>(
        _ spec: FieldSpec, _ form: FieldForm<Value>, _ get: @escaping @Sendable (Root) -> Value?,
        _ set: @escaping @Sendable (inout Root, Value) -> Void, merge: (@Sendable (Value, Value) -> Value)? = nil
    ) {
        self.spec = spec
        self.set = { value, root in
            guard let value = form.read(value) else { return false }
            set(&root, value)
            return true
        }
        value = { get($0).map(form.write) }
        take = { other, root in
            guard let value = get(other) else { return }
            if let merge, let own = get(root) { set(&root, merge(own, value)) } else { set(&root, value) }
        }
        hash = { root, writer in
            if let value = get(root) { form.hash(value, spec.name, &writer) }
        }
    }

    /// A field that must be there.
    convenience init<Value>(
        required name: String, _ form: FieldForm<Value>, _ sentence: String, _ chinese: String,
        _ get: @escaping @Sendable (Root) -> Value?, _ set: @escaping @Sendable (inout Root, Value) -> Void
    ) {
        self.init(FieldSpec(name, form.type, .required, sentence, chinese), form, get, set)
    }

    /// An optional field; `default` says what an absent one means, as it would be written or in words. `merge` combines a
    /// value with one that overrides it; without it, the other value replaces the first.
    convenience init<Value>(
        _ name: String, _ form: FieldForm<Value>, default: String? = nil, _ sentence: String, _ chinese: String,
        _ get: @escaping @Sendable (Root) -> Value?, _ set: @escaping @Sendable (inout Root, Value) -> Void,
        merge: (@Sendable (Value, Value) -> Value)? = nil
    ) {
        let presence = `default`.map(FieldSpec.Presence.byDefault) ?? .optional
        self.init(FieldSpec(name, form.type, presence, sentence, chinese), form, get, set, merge: merge)
    }

    /// An optional field that is not written where it has its usual value.
    convenience init<Value: Equatable>(
        _ name: String, _ form: FieldForm<Value>, default: String? = nil, _ sentence: String, _ chinese: String,
        unless usual: Value, _ get: @escaping @Sendable (Root) -> Value,
        _ set: @escaping @Sendable (inout Root, Value) -> Void
    ) {
        self.init(
            name, form, default: `default`, sentence, chinese,
            { root -> Value? in
                let value = get(root)
                return value == usual ? nil : value
            }, set)
    }

    static func kind(_ name: String) -> FieldRow {
        FieldRow(
            required: "kind", .string(.constant(name)), "The kind of the document", "文档声明的资源类型", { _ in name },
            { _, _ in })
    }

    static func description(
        _ get: @escaping @Sendable (Root) -> String?, _ set: @escaping @Sendable (inout Root, String) -> Void
    ) -> FieldRow {
        FieldRow("description", .anyText, "The purpose, for readers", "用途说明", get, set)
    }

    /// A mapping whose fields are the record's own.
    init(_ name: String, _ sentence: String, _ chinese: String, inside table: FieldTable<Root>) {
        spec = FieldSpec(name, .map(table.description), sentence, chinese)
        set = { value, root in
            if case .fields(let values) = value { table.put(values, into: &root) } else { false }
        }
        value = { root in
            let values = table.values(of: root)
            return values.contains { $0 != nil } ? .fields(values) : nil
        }
        take = { other, root in root = table.overridden(root, by: other) }
        hash = { root, writer in writer.group(name) { table.hash(root, to: &$0) } }
    }
}

/// The one description of a record in files: from its rows come its reading, writing, hash, defaults, overrides, schema
/// and reference.
package struct FieldTable<Root: Sendable>: Sendable {
    /// The documentation for people.
    package let description: MapDescription
    let rows: [FieldRow<Root>]
    private let blank: Root

    /// Creates a table; `blank` is the record when nothing is said, and `more` has what files say and the record does not.
    init(
        _ name: String, _ documentation: String, _ chinese: String, blank: Root, rules: [FieldRule] = [],
        more: [FieldSpec] = [], _ rows: [FieldRow<Root>]
    ) {
        self.init(
            MapDescription(name, documentation, chinese, rules: rules, rows.map(\.spec) + more), blank: blank, rows)
    }

    /// Creates a table whose description covers these rows, and others behind them.
    init(_ description: MapDescription, blank: Root, _ rows: [FieldRow<Root>]) {
        self.description = description
        self.rows = rows
        self.blank = blank
    }

    /// The record that the values are; nil without one that must be there.
    package func record(of values: [FieldValue?]) -> Root? {
        var root = blank
        return put(values, into: &root) ? root : nil
    }

    /// The record as far as the values say it.
    package func partialRecord(of values: [FieldValue?]) -> Root {
        var root = blank
        _ = put(values, into: &root)
        return root
    }

    /// Puts the values where they belong; false without one that must be there.
    func put(_ values: [FieldValue?], into root: inout Root) -> Bool {
        // A bit for each row that took its value.
        var taken: UInt64 = 0
        for place in rows.indices {
            if let value = values[place], rows[place].set(value, &root) { taken |= 1 << UInt64(place) }
        }
        return description.required.allSatisfy { taken & 1 << UInt64($0) != 0 }
    }

    /// The values as a file would say them, row by row.
    package func values(of root: Root) -> [FieldValue?] { rows.map { $0.value(root) } }

    /// Writes every field that is set, in the order of the rows.
    package func hash(_ root: Root, to writer: inout ContentWriter) {
        for row in rows { row.hash(root, &writer) }
    }

    /// The record with values put over it, and without the fields at the places in `ended`.
    func overridden(_ root: Root, by values: [FieldValue?], without ended: Set<Int>) -> Root {
        var result = blank
        for place in rows.indices where !ended.contains(place) { rows[place].take(root, &result) }
        _ = put(values, into: &result)
        return result
    }

    /// The record with what another one sets put over it.
    func overridden(_ root: Root, by other: Root) -> Root {
        var result = root
        for row in rows { row.take(other, &result) }
        return result
    }
}

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
    static func string(_ type: FieldType) -> Self {
        FieldForm(
            type: type, read: { if case .text(let text) = $0 { text } else { nil } }, write: { .text($0) },
            hash: { $2.write($1, $0) })
    }

    /// A string of at least one byte.
    static let text = string(.text)
    static let anyText = string(.text(FieldType.anyCount))

    /// A string whose length in bytes is in the range.
    static func text(_ range: ClosedRange<Int>) -> Self { string(.text(range)) }

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
    static func list(_ type: FieldType) -> Self {
        FieldForm(
            type: type, read: { if case .list(let texts) = $0 { texts } else { nil } }, write: { .list($0) },
            hash: { $2.write($1, $0) })
    }
}

extension FieldForm<Bool> {
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

    static func map(_ table: FieldTable<Value>) -> Self {
        FieldForm(
            type: .map(table.description),
            read: { if case .fields(let values) = $0 { table.record(of: values) } else { nil } },
            write: { .fields(table.values(of: $0)) },
            hash: { value, name, writer in writer.group(name) { table.hash(value, to: &$0) } })
    }
}

/// A value between a file and the model: checked, but not yet converted.
package enum FieldValue: Sendable {
    case text(String)
    /// `true` or `false`.
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case duration(Duration)
    /// A point in time, with the offset as written.
    case instant(OffsetInstant)
    /// A condition, or a mapping with arbitrary keys.
    case json(JSONValue)
    case list([String])
    /// A list of mappings with known fields.
    case maps([[FieldValue?]])
    /// A mapping from arbitrary keys to values of one type.
    case entries([(key: String, value: FieldValue)])
    /// A mapping with known fields: one slot per row of its table.
    case fields([FieldValue?])

    /// The values of a mapping of known fields.
    package var fields: [FieldValue?]? { if case .fields(let values) = self { values } else { nil } }

    /// The most bytes that its strings take in JSON; numbers and names count only inside mappings.
    var textBytes: Int {
        switch self {
        case .text(let text): text.jsonByteCount
        case .json(let value): value.canonicalByteCount
        case .list(let texts): texts.reduce(0) { $0 + $1.jsonByteCount + 1 }
        case .maps(let maps): maps.reduce(0) { $0 + FieldValue.fields($1).textBytes + 1 }
        case .entries(let entries): entries.reduce(0) { $0 + $1.key.jsonByteCount + $1.value.textBytes + 2 }
        case .fields(let values): values.reduce(0) { $0 + ($1.map { $0.textBytes + 40 } ?? 0) }
        case .flag, .integer, .number, .duration, .instant: 0
        }
    }
}

/// Encodes values unambiguously for hashing: each field has its name and length, and unset fields leave nothing.
///
/// A field added to the schema later therefore does not change the hash of a campaign that does not use it.
package struct ContentWriter: Sendable {
    private var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() { bytes.reserveCapacity(1024) }

    /// The hash of the bytes written so far.
    package var digest: Digest { Digest(of: bytes) }

    /// Writes a field unless its value is nil.
    package mutating func write(_ name: String, _ value: String?) {
        guard let value else { return }
        write(name, bytes: value.utf8)
    }

    private mutating func write(_ name: String, bytes value: some Collection<UInt8>) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "="))
        bytes.append(contentsOf: String(value.count).utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: value)
    }

    /// Writes a field unless its value is nil.
    package mutating func write(_ name: String, _ value: Int?) { write(name, value.map(String.init)) }

    /// Writes a field unless its value is nil.
    package mutating func write(_ name: String, _ value: Bool?) { write(name, value.map { $0 ? "true" : "false" }) }

    /// Writes a field unless its value is nil.
    package mutating func write(_ name: String, _ value: Double?) { write(name, value?.description) }

    /// Writes a field unless its value is nil.
    package mutating func write(_ name: String, _ value: JSONValue?) {
        if let value { write(name, bytes: value.canonicalBytes) }
    }

    /// Writes a list unless it is empty.
    package mutating func write(_ name: String, _ values: [String]) {
        guard !values.isEmpty else { return }
        for value in values { write(name, value) }
        write("count", values.count)
    }

    /// Writes the fields of a group as one nested field; an empty group writes nothing.
    package mutating func group(_ name: String, _ body: (inout ContentWriter) -> Void) {
        var inner = ContentWriter()
        body(&inner)
        if !inner.bytes.isEmpty { write(name, bytes: inner.bytes) }
    }
}
