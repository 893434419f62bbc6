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

    /// The `kind` of a document.
    static func kind(_ name: String) -> FieldRow {
        FieldRow(
            required: "kind", .string(.constant(name)), "The kind of the document", "文档声明的资源类型", { _ in name },
            { _, _ in })
    }

    /// The purpose of a resource.
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

    /// Creates a table; `blank` is the record when nothing is said.
    init(
        _ name: String, _ documentation: String, _ chinese: String, blank: Root, rules: [FieldRule] = [],
        _ rows: [FieldRow<Root>]
    ) {
        self.init(MapDescription(name, documentation, chinese, rules: rules, rows.map(\.spec)), blank: blank, rows)
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

    /// The record with what another one sets put over it.
    func overridden(_ root: Root, by other: Root) -> Root {
        var result = root
        for row in rows { row.take(other, &result) }
        return result
    }
}
