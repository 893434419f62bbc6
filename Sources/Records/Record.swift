package import JSONValue

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

/// The one description of a record: from its fields come its JSON, its reader and its schema.
///
/// Members that it does not know are passed over: a minor version of a format may add some.
package struct Record<Root: Sendable>: Sendable {
    @usableFromInline let blank: Root?
    @usableFromInline let fields: [Field<Root>]

    /// - Parameters:
    ///   - blank: what is filled by what is read; none of it stays but what no field sets.
    ///   - fields: in the order in which they are written; each can be read.
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

    /// What the schema says of its members.
    package var properties: [RecordProperty] { fields.flatMap(\.properties) }

    /// The record as an object, its members in their order.
    package func json(of root: Root) -> OrderedJSON { .object(members(of: root)) }

    /// The members that are written, in their order.
    package func members(of root: Root) -> [(String, OrderedJSON)] {
        var members: [(String, OrderedJSON)] = []
        members.reserveCapacity(fields.count)
        write(root, &members)
        return members
    }

    @usableFromInline func write(_ root: Root, _ members: inout [(String, OrderedJSON)]) {
        for field in fields { field.write(root, &members) }
    }

    /// Reads an object.
    ///
    /// - Throws: ``RecordError`` that names the first member that is not as it should be.
    package func read(_ value: JSONValue) throws(RecordError) -> Root {
        guard let object = value.object else { throw RecordError(.type) }
        return try read(object)
    }

    @usableFromInline func read(_ object: JSONObject) throws(RecordError) -> Root {
        guard var root = blank else { throw RecordError(.other("is only written")) }
        for field in fields { try field.read?(object, &root) }
        return root
    }

    /// The JSON Schema of the object; later minor versions may add members, so others are allowed.
    package func schema(_ sentence: String, orNull: Bool = false) -> OrderedJSON {
        SchemaPart.object(sentence, properties, orNull: orNull)
    }
}
