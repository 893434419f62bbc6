package import JSONValue

/// A member of a record: its name, what it means, how it stands in JSON, and where its value is found.
package struct Member<Root, Value>: Sendable {
    /// What the schema says of it; of a group, of each.
    let properties: [RecordProperty]
    let write: @Sendable (Root, inout [(String, OrderedJSON)]) -> Void
    let read: @Sendable (JSONObject) throws(RecordError) -> Value

    /// A member that is always there.
    package init(
        _ name: String, _ form: JSONForm<Value>, _ sentence: String, _ get: @escaping @Sendable (Root) -> Value
    ) {
        properties = [RecordProperty(name: name, schema: form.schema(sentence, false), isRequired: true)]
        write = { root, members in members.append((name, form.write(get(root)))) }
        read = { object throws(RecordError) in
            guard let value = try Self.value(name, object, form) else {
                throw RecordError(object[name] == nil ? .missing : .null).under(name)
            }
            return value
        }
    }

    /// A member that is always there, and `null` where there is no value.
    package init<Wrapped>(
        _ name: String, orNull form: JSONForm<Wrapped>, _ sentence: String = "",
        _ get: @escaping @Sendable (Root) -> Wrapped?
    ) where Value == Wrapped? {
        properties = [RecordProperty(name: name, schema: form.schema(sentence, true), isRequired: true)]
        write = { root, members in members.append((name, get(root).map(form.write) ?? .null)) }
        read = { object throws(RecordError) in try Member<Root, Wrapped>.value(name, object, form) }
    }

    /// A member that is left out where there is no value.
    package init<Wrapped>(
        optional name: String, _ form: JSONForm<Wrapped>, _ sentence: String = "",
        _ get: @escaping @Sendable (Root) -> Wrapped?
    ) where Value == Wrapped? {
        properties = [RecordProperty(name: name, schema: form.schema(sentence, false), isRequired: false)]
        write = { root, members in
            if let value = get(root) { members.append((name, form.write(value))) }
        }
        read = { object throws(RecordError) in try Member<Root, Wrapped>.value(name, object, form) }
    }

    /// A member that is left out where it has its usual value.
    package init(
        optional name: String, _ form: JSONForm<Value>, _ sentence: String = "", unless usual: Value,
        _ get: @escaping @Sendable (Root) -> Value
    ) where Value: Equatable & Sendable {
        properties = [RecordProperty(name: name, schema: form.schema(sentence, false), isRequired: false)]
        write = { root, members in
            let value = get(root)
            if value != usual { members.append((name, form.write(value))) }
        }
        read = { object throws(RecordError) in try Self.value(name, object, form) ?? usual }
    }

    /// Members that belong together and stand among the others.
    package init(group: Record<Value>, _ get: @escaping @Sendable (Root) -> Value) {
        properties = group.properties
        write = { root, members in group.write(get(root), &members) }
        read = group.make
    }

    /// What stands under a name; nil: nothing, or `null`.
    fileprivate static func value(
        _ name: String, _ object: JSONObject, _ form: JSONForm<Value>
    ) throws(RecordError) -> Value? {
        guard let value = object[name], !value.isNull else { return nil }
        do throws(RecordError) {
            return try form.read(value)
        } catch {
            throw error.under(name)
        }
    }
}

/// What a schema says of a member.
package struct RecordProperty: Sendable {
    /// Its name.
    package let name: String
    /// Its schema.
    package let schema: OrderedJSON
    /// Whether it is always there.
    package let isRequired: Bool

    /// Joins them.
    package init(name: String, schema: OrderedJSON, isRequired: Bool) {
        self.name = name
        self.schema = schema
        self.isRequired = isRequired
    }
}

/// The one description of a record: from its members come its JSON, its reader and its schema.
///
/// Members that it does not know are passed over: a minor version of a format may add some.
package struct Record<Root>: Sendable {
    /// What the schema says of its members.
    package let properties: [RecordProperty]
    let write: @Sendable (Root, inout [(String, OrderedJSON)]) -> Void
    let make: @Sendable (JSONObject) throws(RecordError) -> Root

    /// - Parameters:
    ///   - members: in the order in which they are written.
    ///   - make: joins their values.
    package init<each Value>(
        _ members: repeat Member<Root, each Value>,
        make: @escaping @Sendable (repeat each Value) throws(RecordError) -> Root
    ) {
        var properties: [RecordProperty] = []
        for member in repeat each members { properties += member.properties }
        self.properties = properties
        write = { root, written in
            for member in repeat each members { member.write(root, &written) }
        }
        self.make = { object throws(RecordError) in try make(repeat try (each members).read(object)) }
    }

    /// A record that is only written.
    package init<each Value>(written members: repeat Member<Root, each Value>) {
        self.init(repeat each members) { (_: repeat each Value) throws(RecordError) in
            throw RecordError(.other("is only written"))
        }
    }

    /// A record of any number of members that is only written.
    package init<Value>(written members: [Member<Root, Value>]) {
        properties = members.flatMap(\.properties)
        write = { root, written in
            for member in members { member.write(root, &written) }
        }
        make = { _ throws(RecordError) in throw RecordError(.other("is only written")) }
    }

    /// The record as an object, its members in their order.
    package func json(of root: Root) -> OrderedJSON { .object(members(of: root)) }

    /// The members that are written, in their order.
    package func members(of root: Root) -> [(String, OrderedJSON)] {
        var members: [(String, OrderedJSON)] = []
        members.reserveCapacity(properties.count)
        write(root, &members)
        return members
    }

    /// Reads an object.
    ///
    /// - Throws: ``RecordError`` that names the first member that is not as it should be.
    package func read(_ value: JSONValue) throws(RecordError) -> Root {
        guard let object = value.object else { throw RecordError(.type) }
        return try make(object)
    }

    /// The JSON Schema of the object; later minor versions may add members, so others are allowed.
    ///
    /// - Parameter more: members that stand behind its own.
    package func schema(_ sentence: String, orNull: Bool = false, and more: [RecordProperty] = []) -> OrderedJSON {
        SchemaPart.object(sentence, properties + more, orNull: orNull)
    }
}
