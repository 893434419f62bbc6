package import JSONValue

/// A member of a record: its name, what it means, how it stands in JSON, where its value is found, and where it is put.
package struct Field<Root>: Sendable {
    /// What a schema says of it; of a group, of each.
    @usableFromInline let properties: [RecordProperty]
    /// Adds it to the members that are written.
    @usableFromInline let write: @Sendable (Root, inout [(String, OrderedJSON)]) -> Void
    /// Reads it of an object; nil: it is only written.
    @usableFromInline let read: (@Sendable (JSONObject, inout Root) throws(RecordError) -> Void)?

    @usableFromInline init(
        _ properties: [RecordProperty], write: @escaping @Sendable (Root, inout [(String, OrderedJSON)]) -> Void,
        read: (@Sendable (JSONObject, inout Root) throws(RecordError) -> Void)?
    ) {
        self.properties = properties
        self.write = write
        self.read = read
    }

    /// Puts what is read where it belongs.
    @inlinable static func reader<Value>(
        _ set: (@Sendable (inout Root, Value) throws(RecordError) -> Void)?,
        _ value: @escaping @Sendable (JSONObject) throws(RecordError) -> Value
    ) -> (@Sendable (JSONObject, inout Root) throws(RecordError) -> Void)? {
        guard let set else { return nil }
        return { object, root throws(RecordError) in try set(&root, try value(object)) }
    }

    /// A member that is always there.
    ///
    /// - Parameter set: nil: the record is only written.
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

    /// A member that is always there, and `null` where there is no value.
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

    /// A member that is left out where there is no value.
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

    /// A member that is left out where it has its usual value.
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

    /// Members that belong together and stand among the others.
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
    /// What stands under a name; nil: nothing, or `null`.
    @inlinable func value(_ name: String, in object: JSONObject) throws(RecordError) -> Value? {
        guard let value = object[name], !value.isNull else { return nil }
        do throws(RecordError) {
            return try read(value)
        } catch {
            throw error.under(name)
        }
    }
}
