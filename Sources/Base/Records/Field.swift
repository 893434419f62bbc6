/// A member of a record: its name, meaning, form in JSON, getter and setter.
package struct Field<Root>: Sendable {
    /// The schema of the member, or of each member of a group.
    @usableFromInline let properties: [RecordProperty]
    /// Appends it to the members being written.
    @usableFromInline let write: @Sendable (Root, inout [(String, OrderedJSON)]) -> Void
    /// Reads it from an object; nil for a record that is only written.
    @usableFromInline let read: (@Sendable (JSONObject, inout Root) throws(RecordError) -> Void)?

    @usableFromInline init(
        _ properties: [RecordProperty], write: @escaping @Sendable (Root, inout [(String, OrderedJSON)]) -> Void,
        read: (@Sendable (JSONObject, inout Root) throws(RecordError) -> Void)?
    ) {
        self.properties = properties
        self.write = write
        self.read = read
    }

    /// Combines reading a value with setting it.
    @inlinable static func reader<Value>(
        _ set: (@Sendable (inout Root, Value) throws(RecordError) -> Void)?,
        _ value: @escaping @Sendable (JSONObject) throws(RecordError) -> Value
    ) -> (@Sendable (JSONObject, inout Root) throws(RecordError) -> Void)? {
        guard let set else { return nil }
        return { object, root throws(RecordError) in try set(&root, try value(object)) }
    }

    /// A required member; `set` is nil for a record that is only written.
    @inlinable package init<Value>(
        _ name: String, _ form: JSONForm<Value>, _ sentence: String, _ get: @escaping @Sendable (Root) -> Value,
        _ set: (@Sendable (inout Root, Value) throws(RecordError) -> Void)? = nil
    ) {
        self.init(
            [RecordProperty(name: name, schema: form.schema(sentence, false), isRequired: true)],
            write: { root, members in members.append((name, form.write(get(root)))) },
            read: Self.reader(set) { object throws(RecordError) in
                guard let value = try form.value(name, in: object) else {
                    throw RecordError(object[name] == nil ? .missing : .null).under(name)
                }
                return value
            })
    }

    /// A required member that is `null` where there is no value.
    @inlinable package init<Value>(
        _ name: String, orNull form: JSONForm<Value>, _ sentence: String,
        _ get: @escaping @Sendable (Root) -> Value?,
        _ set: (@Sendable (inout Root, Value?) throws(RecordError) -> Void)? = nil
    ) {
        self.init(
            [RecordProperty(name: name, schema: form.schema(sentence, true), isRequired: true)],
            write: { root, members in members.append((name, get(root).map(form.write) ?? .null)) },
            read: Self.reader(set) { object throws(RecordError) in try form.value(name, in: object) })
    }

    /// A member that is omitted where there is no value.
    @inlinable package init<Value>(
        optional name: String, _ form: JSONForm<Value>, _ sentence: String,
        _ get: @escaping @Sendable (Root) -> Value?,
        _ set: (@Sendable (inout Root, Value?) throws(RecordError) -> Void)? = nil
    ) {
        self.init(
            [RecordProperty(name: name, schema: form.schema(sentence, false), isRequired: false)],
            write: { root, members in
                if let value = get(root) { members.append((name, form.write(value))) }
            },
            read: Self.reader(set) { object throws(RecordError) in try form.value(name, in: object) })
    }

    /// A member that is omitted where it has its usual value.
    @inlinable package init<Value: Equatable & Sendable>(
        optional name: String, _ form: JSONForm<Value>, _ sentence: String, unless usual: Value,
        _ get: @escaping @Sendable (Root) -> Value,
        _ set: (@Sendable (inout Root, Value) throws(RecordError) -> Void)? = nil
    ) {
        self.init(
            [RecordProperty(name: name, schema: form.schema(sentence, false), isRequired: false)],
            write: { root, members in
                let value = get(root)
                if value != usual { members.append((name, form.write(value))) }
            },
            read: Self.reader(set) { object throws(RecordError) in try form.value(name, in: object) ?? usual })
    }

    /// Members that belong together, placed inline among the others.
    @inlinable package init<Value>(
        group: Record<Value>, _ get: @escaping @Sendable (Root) -> Value,
        _ set: (@Sendable (inout Root, Value) throws(RecordError) -> Void)? = nil
    ) {
        self.init(
            group.properties, write: { root, members in group.write(get(root), &members) },
            read: Self.reader(set) { object throws(RecordError) in try group.read(object) })
    }
}

extension JSONForm {
    /// The value of a member; nil when it is missing or `null`.
    @inlinable func value(_ name: String, in object: JSONObject) throws(RecordError) -> Value? {
        guard let value = object[name], !value.isNull else { return nil }
        do throws(RecordError) {
            return try read(value)
        } catch {
            throw error.under(name)
        }
    }
}
