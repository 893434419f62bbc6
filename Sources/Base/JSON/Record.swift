/// The schema of a member.
public struct RecordProperty: Sendable {
    /// The name of the member.
    public let name: String
    /// The schema of the value.
    public let schema: OrderedJSON
    /// True if the member is always present.
    public let isRequired: Bool

    /// Creates the schema of a member.
    public init(name: String, schema: OrderedJSON, isRequired: Bool) {
        self.name = name
        self.schema = schema
        self.isRequired = isRequired
    }
}

/// The one description of a record: from its fields come its JSON, its reader and its schema.
///
/// Unknown members are ignored: a minor version of a format may add some.
public struct Record<Root: Sendable>: Sendable {
    @usableFromInline let blank: Root?
    @usableFromInline let fields: [Field<Root>]

    /// Creates a record that can be written and read.
    ///
    /// - Parameters:
    ///   - blank: the initial value for reading; every part of it that a field sets is replaced.
    ///   - fields: the members in the order in which they are written; each must be readable.
    public init(_ blank: Root, _ fields: [Field<Root>]) {
        precondition(fields.allSatisfy { $0.read != nil }, "a field that is not set would stay blank")
        self.blank = blank
        self.fields = fields
    }

    /// A record that is only written.
    public init(written fields: [Field<Root>]) {
        blank = nil
        self.fields = fields
    }

    /// The schemas of the members.
    public var properties: [RecordProperty] { fields.flatMap(\.properties) }

    /// The record as an object, with its members in order.
    @inlinable public func json(of root: Root) -> OrderedJSON { .object(members(of: root)) }

    /// The members to write, in order.
    @inlinable public func members(of root: Root) -> [(String, OrderedJSON)] {
        var members: [(String, OrderedJSON)] = []
        members.reserveCapacity(fields.count)
        write(root, &members)
        return members
    }

    @inlinable func write(_ root: Root, _ members: inout [(String, OrderedJSON)]) {
        for field in fields { field.write(root, &members) }
    }

    /// Reads an object.
    ///
    /// - Throws: ``RecordError`` that names the first invalid member.
    @inlinable public func read(_ value: JSONValue) throws(RecordError) -> Root {
        guard let object = value.object else { throw RecordError(.type) }
        return try read(object)
    }

    @inlinable func read(_ object: JSONObject) throws(RecordError) -> Root {
        guard var root = blank else { throw RecordError(.other("is only written")) }
        for field in fields { try field.read?(object, &root) }
        return root
    }

    /// The JSON Schema of the object; it allows other members, since later minor versions may add some.
    public func schema(_ sentence: String, orNull: Bool = false) -> OrderedJSON {
        SchemaPart.object(sentence, properties, orNull: orNull)
    }
}

/// A member of a record: its name, meaning, form in JSON, getter and setter.
public struct Field<Root>: Sendable {
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
    @inlinable public init<Value>(
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
    @inlinable public init<Value>(
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
    @inlinable public init<Value>(
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
    @inlinable public init<Value: Equatable & Sendable>(
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
    @inlinable public init<Value>(
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

/// The reason why a JSON value is not the expected record: the member, and the fault in it.
public struct RecordError: Error, Hashable, Sendable {
    /// The faults of a value.
    public enum Fault: Hashable, Sendable {
        /// The value is missing.
        case missing
        /// The value is `null`.
        case null
        /// The value has the wrong JSON type.
        case type
        /// The text is not JSON.
        case unreadable
        /// The value is unknown to this version.
        case unknown(String)
        /// The number is out of range.
        case number(Int)
        /// Any other fault, in words.
        case other(String)
    }

    /// What is wrong.
    public let fault: Fault
    /// The path to the value, the last step first.
    private var steps: [String] = []

    /// Creates the error of the value itself.
    public init(_ fault: Fault) { self.fault = fault }

    /// The error with a member's name added to the front of its path.
    public func under(_ name: String) -> RecordError { adding("." + name) }

    /// The error with an element's index added to the front of its path.
    public func at(_ index: Int) -> RecordError { adding("[\(index)]") }

    private func adding(_ step: String) -> RecordError {
        var error = self
        error.steps.append(step)
        return error
    }

    /// The outermost member at fault; nil when it is the value itself.
    public var member: String? { steps.last.map { String($0.drop { $0 == "." }) } }

    /// The message with the member's path, which begins with `place`: `changes[0].name is missing`.
    public func text(in place: String = "") -> String {
        let path = place + steps.reversed().joined()
        let name = path.hasPrefix(".") ? String(path.dropFirst()) : path
        return switch fault {
        case .missing: "\(name) is missing"
        case .null: "\(name) is null"
        case .type: "\(name) has the wrong type"
        case .unreadable: "\(name) has a value that cannot be read"
        case .unknown(let text): "\(name) has a value that this version does not know, '\(text)'"
        case .number(let number): "\(name) is not an allowed number, '\(number)'"
        case .other(let words): "\(name) \(words)"
        }
    }
}
