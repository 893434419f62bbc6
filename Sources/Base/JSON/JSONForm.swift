/// The form of a value in JSON: how it is written, read back, and described by a JSON Schema.
public struct JSONForm<Value>: Sendable {
    /// The schema of the value at a place: `sentence` is its meaning there, and with `orNull` it may be `null`.
    public let schema: @Sendable (_ sentence: String, _ orNull: Bool) -> OrderedJSON
    /// Writes the value.
    public let write: @Sendable (Value) -> OrderedJSON
    /// Reads the value.
    ///
    /// - Throws: ``RecordError`` when the JSON does not fit.
    public let read: @Sendable (JSONValue) throws(RecordError) -> Value

    /// Creates a form from its three sides.
    @inlinable public init(
        schema: @escaping @Sendable (String, Bool) -> OrderedJSON, write: @escaping @Sendable (Value) -> OrderedJSON,
        read: @escaping @Sendable (JSONValue) throws(RecordError) -> Value
    ) {
        self.schema = schema
        self.write = write
        self.read = read
    }
}

// MARK: JSON types

extension JSONForm<String> {
    /// A string; the pattern is only for readers of the schema.
    @inlinable public static func text(pattern: String? = nil) -> Self {
        JSONForm(schema: { SchemaPart.text($0, orNull: $1, pattern: pattern) }, write: { .string($0) }) {
            value throws(RecordError) in
            guard let text = value.string else { throw RecordError(.type) }
            return text
        }
    }

    /// A string.
    @inlinable public static var text: Self { text() }
}

extension JSONForm<Bool> {
    /// `true` or `false`.
    @inlinable public static var flag: Self {
        JSONForm(schema: { sentence, _ in SchemaPart.flag(sentence) }, write: { .value(.bool($0)) }) {
            value throws(RecordError) in
            guard case .bool(let flag) = value else { throw RecordError(.type) }
            return flag
        }
    }
}

extension JSONForm<Int> {
    /// A whole number that is not below `minimum`.
    @inlinable public static func integer(minimum: Int? = 0) -> Self {
        JSONForm(schema: { SchemaPart.integer($0, orNull: $1, minimum: minimum) }, write: { .integer($0) }) {
            value throws(RecordError) in
            guard let number = value.integer.flatMap({ Int(exactly: $0) }) else { throw RecordError(.type) }
            return number
        }
    }

    /// A number of devices, pairs or lines, bounded so that sums and shares of such numbers are safe to compute.
    @inlinable public static func count(minimum: Int = 0) -> Self {
        integer(minimum: minimum).checked { number throws(RecordError) in
            guard (minimum...1_000_000_000_000).contains(number) else { throw RecordError(.number(number)) }
            return number
        }
    }

    /// A number of devices.
    @inlinable public static var count: Self { count() }
}

extension JSONForm<JSONValue> {
    /// An object with any members.
    @inlinable public static var object: Self {
        JSONForm(schema: { SchemaPart.anyObject($0, orNull: $1) }, write: { .value($0) }) { $0 }
    }
}

// MARK: Meanings of strings and numbers

extension JSONForm {
    /// The form with an additional check when reading.
    @inlinable public func checked(_ check: @escaping @Sendable (Value) throws(RecordError) -> Value) -> Self {
        JSONForm(schema: schema, write: write) { value throws(RecordError) in try check(try read(value)) }
    }

    /// One of an enum's values: a case added to the enum is added to the schema.
    @inlinable public static func choice(_ type: Value.Type) -> Self
    where Value: CaseIterable & RawRepresentable<String> & Sendable {
        text(
            schema: { SchemaPart.choice($0, of: type, orNull: $1) }, write: { $0.rawValue },
            read: { Value(rawValue: $0) })
    }

    /// A string with a meaning; `read` returns nil for one that means nothing to this version.
    @inlinable public static func text(
        schema: @escaping @Sendable (String, Bool) -> OrderedJSON, write: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (String) -> Value?
    ) -> Self {
        JSONForm(schema: schema, write: { .string(write($0)) }) { value throws(RecordError) in
            guard let text = value.string else { throw RecordError(.type) }
            guard let known = read(text) else { throw RecordError(.unknown(text)) }
            return known
        }
    }

    /// The form of a value that is represented by another; `read` throws ``RecordError`` when the other means nothing.
    @inlinable public func standing<Meant>(
        for write: @escaping @Sendable (Meant) -> Value,
        read: @escaping @Sendable (Value) throws(RecordError) -> Meant
    ) -> JSONForm<Meant> {
        let form = self
        return JSONForm<Meant>(schema: schema, write: { form.write(write($0)) }) { value throws(RecordError) in
            try read(try form.read(value))
        }
    }

    /// The form written on one line.
    public var onOneLine: Self { JSONForm(schema: schema, write: { .line(write($0)) }, read: read) }

    // MARK: Containers

    /// An array.
    ///
    /// - Parameters:
    ///   - form: the form of an element.
    ///   - item: the description of an element in the schema.
    ///   - minimum: the minimum number of elements, in the schema.
    ///   - maximum: the largest number of elements that is read.
    /// - Returns: the form of the array; the error of an element has its index.
    @inlinable public static func list<Element>(
        of form: JSONForm<Element>, _ item: String = "", minimum: Int? = nil, maximum: Int = .max
    ) -> Self where Value == [Element], Element: Sendable {
        JSONForm(
            schema: { sentence, _ in SchemaPart.list(sentence, of: form.schema(item, false), minimum: minimum) },
            write: { elements in .list(elements.count) { form.write(elements[$0]) } }
        ) { value throws(RecordError) in
            guard let values = value.array else { throw RecordError(.type) }
            guard values.count <= maximum else { throw RecordError(.other("has more than \(maximum) elements")) }
            var elements: [Element] = []
            elements.reserveCapacity(values.count)
            for (index, value) in values.enumerated() {
                do throws(RecordError) {
                    elements.append(try form.read(value))
                } catch {
                    throw error.at(index)
                }
            }
            return elements
        }
    }

    /// Numbers of devices by name; the schema allows the names in `names`, or any when it is nil.
    @inlinable public static func counts<Name: Hashable & Sendable>(
        names: [String]? = nil, write: @escaping @Sendable (Name) -> String,
        read: @escaping @Sendable (String) -> Name?
    ) -> Self where Value == [Name: Int] {
        JSONForm(
            schema: { sentence, _ in SchemaPart.counts(sentence, names) },
            write: { counts in
                .value(.object(JSONObject(counts.map { (write($0.key), JSONValue.integer(Int64($0.value))) })))
            }
        ) { value throws(RecordError) in
            guard let members = value.object else { throw RecordError(.type) }
            var counts: [Name: Int] = [:]
            for (text, number) in members {
                guard let name = read(text) else { throw RecordError(.unknown(text)) }
                counts[name] = try JSONForm<Int>.count.read(number)
            }
            return counts
        }
    }

    /// An object described by a record, with its schema in place.
    @inlinable public static func record(_ record: Record<Value>) -> Self where Value: Sendable {
        JSONForm(schema: { record.schema($0, orNull: $1) }, write: { record.json(of: $0) }) {
            value throws(RecordError) in try record.read(value)
        }
    }

    /// An object described by a record, with its schema among the schema's definitions.
    @inlinable public static func record(_ record: Record<Value>, definedAs name: String) -> Self
    where Value: Sendable {
        JSONForm(schema: { _, _ in SchemaPart.reference(name) }, write: { record.json(of: $0) }) {
            value throws(RecordError) in try record.read(value)
        }
    }
}

extension JSONForm<[String: Int]> {
    /// Numbers by any name.
    @inlinable public static var counts: Self { counts(write: { $0 }, read: { $0 }) }
}

extension JSONForm {
    /// Numbers by the values of an enum.
    @inlinable public static func counts<Name>(of type: Name.Type) -> Self
    where Value == [Name: Int], Name: Hashable & Sendable & CaseIterable & RawRepresentable<String> {
        counts(names: type.allCases.map(\.rawValue), write: { $0.rawValue }, read: { Name(rawValue: $0) })
    }
}

/// The building blocks of JSON Schemas (draft 2020-12).
public enum SchemaPart {
    /// An object that also allows other members.
    public static func object(_ sentence: String, _ members: [RecordProperty], orNull: Bool = false) -> OrderedJSON {
        .object(
            type("object", sentence, orNull) + [
                ("required", .array(members.filter(\.isRequired).map { .string($0.name) })),
                ("properties", .object(members.map { ($0.name, $0.schema) })),
            ])
    }

    /// An object with any members.
    public static func anyObject(_ sentence: String, orNull: Bool = false) -> OrderedJSON {
        .object(type("object", sentence, orNull))
    }

    /// Numbers of devices by name.
    public static func counts(_ sentence: String, _ names: [String]?) -> OrderedJSON {
        .object(
            type("object", sentence) + [("additionalProperties", integer("Devices."))]
                + (names.map { [("propertyNames", choice($0))] } ?? []))
    }

    /// An array with at least `minimum` elements.
    public static func list(_ sentence: String, of items: OrderedJSON, minimum: Int? = nil) -> OrderedJSON {
        .object(type("array", sentence) + (minimum.map { [("minItems", .integer($0))] } ?? []) + [("items", items)])
    }

    /// A string, and the pattern that it fits.
    public static func text(_ sentence: String, orNull: Bool = false, pattern: String? = nil) -> OrderedJSON {
        .object(type("string", sentence, orNull) + (pattern.map { [("pattern", .string($0))] } ?? []))
    }

    /// A time by RFC 3339, with an offset or in UTC.
    public static func time(_ sentence: String, orNull: Bool = false) -> OrderedJSON {
        .object(
            type("string", sentence, orNull) + [
                ("format", .string("date-time")), ("pattern", .string("^" + timePattern + "$")),
            ])
    }

    /// A whole number, not below `minimum`.
    public static func integer(_ sentence: String, orNull: Bool = false, minimum: Int? = 0) -> OrderedJSON {
        .object(type("integer", sentence, orNull) + (minimum.map { [("minimum", .integer($0))] } ?? []))
    }

    /// `true` or `false`.
    public static func flag(_ sentence: String) -> OrderedJSON { .object(type("boolean", sentence)) }

    /// One of an enum's values.
    public static func choice<Value: CaseIterable & RawRepresentable<String>>(
        _ sentence: String, of type: Value.Type, orNull: Bool = false
    ) -> OrderedJSON {
        [
            "description": .string(sentence),
            "enum": .array(type.allCases.map { .string($0.rawValue) } + (orNull ? [.null] : [])),
        ]
    }

    /// One of these strings.
    public static func choice(_ values: [String]) -> OrderedJSON { ["enum": .array(values.map { .string($0) })] }

    /// A reference to a definition in the document.
    public static func reference(_ name: String) -> OrderedJSON { ["$ref": .string("#/$defs/\(name)")] }

    /// The pattern of a time, without anchors.
    public static let timePattern =
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{3})?(Z|[+-][0-9]{2}:[0-9]{2})"

    private static func type(_ name: String, _ sentence: String, _ orNull: Bool = false) -> [(String, OrderedJSON)] {
        [
            ("description", .string(sentence)),
            ("type", orNull ? .array([.string(name), .string("null")]) : .string(name)),
        ]
    }
}
