/// The schema of a member.
package struct RecordProperty: Sendable {
    /// The name.
    package let name: String
    /// The schema of the value.
    package let schema: OrderedJSON
    /// True if the member is always present.
    package let isRequired: Bool

    package init(name: String, schema: OrderedJSON, isRequired: Bool) {
        self.name = name
        self.schema = schema
        self.isRequired = isRequired
    }
}

/// The one description of a record: from its fields come its JSON, its reader and its schema.
///
/// Unknown members are ignored: a minor version of a format may add some.
package struct Record<Root: Sendable>: Sendable {
    @usableFromInline let blank: Root?
    @usableFromInline let fields: [Field<Root>]

    /// Creates a record that can be written and read.
    ///
    /// - Parameters:
    ///   - blank: the initial value for reading; every part of it that a field sets is replaced.
    ///   - fields: the members in the order in which they are written; each must be readable.
    package init(_ blank: Root, _ fields: [Field<Root>]) {
        precondition(fields.allSatisfy { $0.read != nil }, "a field that is not set would stay blank")
        self.blank = blank
        self.fields = fields
    }

    /// A record that is only written.
    package init(written fields: [Field<Root>]) {
        blank = nil
        self.fields = fields
    }

    /// The schemas of the members.
    package var properties: [RecordProperty] { fields.flatMap(\.properties) }

    /// The record as an object, with its members in order.
    @inlinable package func json(of root: Root) -> OrderedJSON { .object(members(of: root)) }

    /// The members to write, in order.
    @inlinable package func members(of root: Root) -> [(String, OrderedJSON)] {
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
    @inlinable package func read(_ value: JSONValue) throws(RecordError) -> Root {
        guard let object = value.object else { throw RecordError(.type) }
        return try read(object)
    }

    @inlinable func read(_ object: JSONObject) throws(RecordError) -> Root {
        guard var root = blank else { throw RecordError(.other("is only written")) }
        for field in fields { try field.read?(object, &root) }
        return root
    }

    /// The JSON Schema of the object; it allows other members, since later minor versions may add some.
    package func schema(_ sentence: String, orNull: Bool = false) -> OrderedJSON {
        SchemaPart.object(sentence, properties, orNull: orNull)
    }
}
