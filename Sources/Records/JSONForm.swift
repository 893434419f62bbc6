package import JSONValue

/// How a value stands in JSON: how it is written, read back, and described by a JSON Schema.
package struct JSONForm<Value>: Sendable {
    /// The schema where the value stands, with a sentence on what it means there, and whether `null` may stand for it.
    package let schema: @Sendable (_ sentence: String, _ orNull: Bool) -> OrderedJSON
    /// Writes the value.
    package let write: @Sendable (Value) -> OrderedJSON
    /// Reads it.
    ///
    /// - Throws: ``RecordError`` when it is something else.
    package let read: @Sendable (JSONValue) throws(RecordError) -> Value

    /// Joins the three.
    @inlinable package init(
        schema: @escaping @Sendable (String, Bool) -> OrderedJSON, write: @escaping @Sendable (Value) -> OrderedJSON,
        read: @escaping @Sendable (JSONValue) throws(RecordError) -> Value
    ) {
        self.schema = schema
        self.write = write
        self.read = read
    }
}

// MARK: What JSON has

extension JSONForm<String> {
    /// A text; the pattern is for readers of the schema.
    @inlinable package static func text(pattern: String? = nil) -> Self {
        JSONForm(schema: { SchemaPart.text($0, orNull: $1, pattern: pattern) }, write: { .string($0) }) {
            value throws(RecordError) in
            guard let text = value.string else { throw RecordError(.type) }
            return text
        }
    }

    /// A text.
    @inlinable package static var text: Self { text() }
}

extension JSONForm<Bool> {
    /// `true` or `false`.
    @inlinable package static var flag: Self {
        JSONForm(schema: { sentence, _ in SchemaPart.flag(sentence) }, write: { .value(.bool($0)) }) {
            value throws(RecordError) in
            guard case .bool(let flag) = value else { throw RecordError(.type) }
            return flag
        }
    }
}

extension JSONForm<Int> {
    /// A whole number that is not below `minimum`.
    @inlinable package static func integer(minimum: Int? = 0) -> Self {
        JSONForm(schema: { SchemaPart.integer($0, orNull: $1, minimum: minimum) }, write: { .integer($0) }) {
            value throws(RecordError) in
            guard let number = value.integer.flatMap({ Int(exactly: $0) }) else { throw RecordError(.type) }
            return number
        }
    }

    /// A number of devices, pairs or lines, as it can be: sums and shares of such numbers are safe to make.
    @inlinable package static func count(minimum: Int = 0) -> Self {
        integer(minimum: minimum).checked { number throws(RecordError) in
            guard (minimum...1_000_000_000_000).contains(number) else { throw RecordError(.number(number)) }
            return number
        }
    }

    /// A number of devices.
    @inlinable package static var count: Self { count() }
}

extension JSONForm<JSONValue> {
    /// An object of any members.
    @inlinable package static var object: Self {
        JSONForm(schema: { SchemaPart.anyObject($0, orNull: $1) }, write: { .value($0) }) { $0 }
    }
}

// MARK: What texts and numbers mean

extension JSONForm {
    /// The form of what is read with another check.
    @inlinable package func checked(
        _ check: @escaping @Sendable (Value) throws(RecordError) -> Value
    ) -> Self {
        JSONForm(schema: schema, write: write) { value throws(RecordError) in try check(try read(value)) }
    }

    /// One of an enum's values: a new one of the program is one of the schema.
    @inlinable package static func choice(_ type: Value.Type) -> Self
    where Value: CaseIterable & RawRepresentable<String> & Sendable {
        JSONForm(schema: { SchemaPart.choice($0, of: type, orNull: $1) }, write: { .string($0.rawValue) }) {
            value throws(RecordError) in
            guard let text = value.string else { throw RecordError(.type) }
            guard let known = Value(rawValue: text) else { throw RecordError(.unknown(text)) }
            return known
        }
    }

    /// A text that means something.
    ///
    /// - Parameter read: nil: it means nothing to this version.
    @inlinable package static func text(
        schema: @escaping @Sendable (String, Bool) -> OrderedJSON, write: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (String) -> Value?
    ) -> Self {
        JSONForm(schema: schema, write: { .string(write($0)) }) { value throws(RecordError) in
            guard let text = value.string else { throw RecordError(.type) }
            guard let known = read(text) else { throw RecordError(.unknown(text)) }
            return known
        }
    }

    /// The form of a value that stands as another.
    ///
    /// - Parameter read: throws ``RecordError`` where that other means nothing.
    @inlinable package func standing<Meant>(
        for write: @escaping @Sendable (Meant) -> Value,
        read: @escaping @Sendable (Value) throws(RecordError) -> Meant
    ) -> JSONForm<Meant> {
        let form = self
        return JSONForm<Meant>(schema: schema, write: { form.write(write($0)) }) { value throws(RecordError) in
            try read(try form.read(value))
        }
    }

    /// The form of what is written on one line.
    package var onOneLine: Self { JSONForm(schema: schema, write: { .line(write($0)) }, read: read) }

    // MARK: What holds others

    /// A list.
    ///
    /// - Parameters:
    ///   - item: what an element is, in the schema.
    ///   - minimum: so many elements are there at least, in the schema.
    ///   - maximum: so many are read at most.
    @inlinable package static func list<Element>(
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

    /// Numbers of devices by name.
    ///
    /// - Parameter names: those that there are, in the schema; nil: any.
    @inlinable package static func counts<Name: Hashable & Sendable>(
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

    /// What a record of members is written and read as, described where it stands.
    @inlinable package static func record(_ record: Record<Value>) -> Self where Value: Sendable {
        JSONForm(schema: { record.schema($0, orNull: $1) }, write: { record.json(of: $0) }) {
            value throws(RecordError) in try record.read(value)
        }
    }

    /// What a record of members is written and read as, described once among the schema's definitions.
    @inlinable package static func record(_ record: Record<Value>, definedAs name: String) -> Self
    where Value: Sendable {
        JSONForm(schema: { _, _ in SchemaPart.reference(name) }, write: { record.json(of: $0) }) {
            value throws(RecordError) in try record.read(value)
        }
    }
}

extension JSONForm<[String: Int]> {
    /// Numbers by any name.
    @inlinable package static var counts: Self { counts(write: { $0 }, read: { $0 }) }
}

extension JSONForm {
    /// Numbers by the values of an enum.
    @inlinable package static func counts<Name>(of type: Name.Type) -> Self
    where Value == [Name: Int], Name: Hashable & Sendable & CaseIterable & RawRepresentable<String> {
        counts(names: type.allCases.map(\.rawValue), write: { $0.rawValue }, read: { Name(rawValue: $0) })
    }
}
