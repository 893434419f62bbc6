/// One field of a record: its specification in files, and access to its value.
package final class FieldRow<Root: Sendable>: Sendable {
    /// The field's specification.
    package let spec: FieldSpec
    /// Sets the property from a file's value; false when the value cannot be used.
    let set: @Sendable (FieldValue, inout Root) -> Bool
    /// The value to write to a file; nil when the field is not set.
    let value: @Sendable (Root) -> FieldValue?
    /// Overrides the property with the first record's value, if it has one.
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

    /// Creates a required field.
    convenience init<Value>(
        required name: String, _ form: FieldForm<Value>, _ sentence: String, _ chinese: String,
        _ get: @escaping @Sendable (Root) -> Value?, _ set: @escaping @Sendable (inout Root, Value) -> Void
    ) {
        self.init(FieldSpec(name, form.type, .required, sentence, chinese), form, get, set)
    }

    /// Creates an optional field.
    ///
    /// - Parameters:
    ///   - default: what holds then, as it would be written or in words.
    ///   - merge: what becomes of a value and another one that is put over it; nil: the other one.
    convenience init<Value>(
        _ name: String, _ form: FieldForm<Value>, default: String? = nil, _ sentence: String, _ chinese: String,
        _ get: @escaping @Sendable (Root) -> Value?, _ set: @escaping @Sendable (inout Root, Value) -> Void,
        merge: (@Sendable (Value, Value) -> Value)? = nil
    ) {
        let presence = `default`.map(FieldSpec.Presence.byDefault) ?? .optional
        self.init(FieldSpec(name, form.type, presence, sentence, chinese), form, get, set, merge: merge)
    }

    /// Creates an optional field that is omitted when it has its usual value.
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

    /// The `kind` field of a document.
    static func kind(_ name: String) -> FieldRow {
        FieldRow(
            required: "kind", .string(.constant(name)), "The kind of the document", "文档声明的资源类型", { _ in name },
            { _, _ in })
    }

    /// The `description` field of a resource.
    static func description(
        _ get: @escaping @Sendable (Root) -> String?, _ set: @escaping @Sendable (inout Root, String) -> Void
    ) -> FieldRow {
        FieldRow("description", .anyText, "The purpose, for readers", "用途说明", get, set)
    }

    /// Creates a mapping whose fields are properties of the record itself.
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

/// The single description of a record in files: its rows define reading, writing, hash, defaults, overrides, schema and
/// reference.
package struct FieldTable<Root: Sendable>: Sendable {
    /// The description of the mapping.
    package let description: MapDescription
    let rows: [FieldRow<Root>]
    private let blank: Root

    /// - Parameter blank: what is there when nothing is said.
    init(
        _ name: String, _ documentation: String, _ chinese: String, blank: Root, rules: [FieldRule] = [],
        _ rows: [FieldRow<Root>]
    ) {
        self.init(MapDescription(name, documentation, chinese, rules: rules, rows.map(\.spec)), blank: blank, rows)
    }

    /// - Parameter description: of these rows, and of others behind them.
    init(_ description: MapDescription, blank: Root, _ rows: [FieldRow<Root>]) {
        self.description = description
        self.rows = rows
        self.blank = blank
    }

    /// The record with these values; nil when a required one is missing.
    package func record(of values: [FieldValue?]) -> Root? {
        var root = blank
        return put(values, into: &root) ? root : nil
    }

    /// The record with those values that are set; the rest stays blank.
    package func partialRecord(of values: [FieldValue?]) -> Root {
        var root = blank
        _ = put(values, into: &root)
        return root
    }

    /// Sets the values in a record; false when a required one is missing.
    func put(_ values: [FieldValue?], into root: inout Root) -> Bool {
        // A bit for each row that took its value.
        var taken: UInt64 = 0
        for place in rows.indices {
            if let value = values[place], rows[place].set(value, &root) { taken |= 1 << UInt64(place) }
        }
        return description.required.allSatisfy { taken & 1 << UInt64($0) != 0 }
    }

    /// The values to write to a file, one per row.
    package func values(of root: Root) -> [FieldValue?] { rows.map { $0.value(root) } }

    /// Writes every field that is set, in the order of the rows.
    package func hash(_ root: Root, to writer: inout ContentWriter) {
        for row in rows { row.hash(root, &writer) }
    }

    /// The record, overridden by the values that `other` sets.
    func overridden(_ root: Root, by other: Root) -> Root {
        var result = root
        for row in rows { row.take(other, &result) }
        return result
    }
}
