/// The building blocks of JSON Schemas (draft 2020-12).
package enum SchemaPart {
    /// An object that also allows other members.
    package static func object(
        _ sentence: String, _ members: [RecordProperty], orNull: Bool = false
    ) -> OrderedJSON {
        .object(
            type("object", sentence, orNull) + [
                ("required", .array(members.filter(\.isRequired).map { .string($0.name) })),
                ("properties", .object(members.map { ($0.name, $0.schema) })),
            ])
    }

    /// An object with any members.
    package static func anyObject(_ sentence: String, orNull: Bool = false) -> OrderedJSON {
        .object(type("object", sentence, orNull))
    }

    /// Numbers of devices by name.
    package static func counts(_ sentence: String, _ names: [String]?) -> OrderedJSON {
        .object(
            type("object", sentence) + [("additionalProperties", integer("Devices."))]
                + (names.map { [("propertyNames", choice($0))] } ?? []))
    }

    /// An array with at least `minimum` elements.
    package static func list(_ sentence: String, of items: OrderedJSON, minimum: Int? = nil) -> OrderedJSON {
        .object(type("array", sentence) + (minimum.map { [("minItems", .integer($0))] } ?? []) + [("items", items)])
    }

    /// A string.
    package static func text(_ sentence: String, orNull: Bool = false, pattern: String? = nil) -> OrderedJSON {
        .object(type("string", sentence, orNull) + (pattern.map { [("pattern", .string($0))] } ?? []))
    }

    /// A time by RFC 3339, with an offset or in UTC.
    package static func time(_ sentence: String, orNull: Bool = false) -> OrderedJSON {
        .object(
            type("string", sentence, orNull) + [
                ("format", .string("date-time")), ("pattern", .string("^" + timePattern + "$")),
            ])
    }

    /// A whole number, not below `minimum`.
    package static func integer(_ sentence: String, orNull: Bool = false, minimum: Int? = 0) -> OrderedJSON {
        .object(type("integer", sentence, orNull) + (minimum.map { [("minimum", .integer($0))] } ?? []))
    }

    /// `true` or `false`.
    package static func flag(_ sentence: String) -> OrderedJSON { .object(type("boolean", sentence)) }

    /// One of an enum's values.
    package static func choice<Value: CaseIterable & RawRepresentable<String>>(
        _ sentence: String, of type: Value.Type, orNull: Bool = false
    ) -> OrderedJSON {
        [
            "description": .string(sentence),
            "enum": .array(type.allCases.map { .string($0.rawValue) } + (orNull ? [.null] : [])),
        ]
    }

    /// One of these strings.
    package static func choice(_ values: [String]) -> OrderedJSON { ["enum": .array(values.map { .string($0) })] }

    /// A reference to a definition in the document.
    package static func reference(_ name: String) -> OrderedJSON { ["$ref": .string("#/$defs/\(name)")] }

    /// The pattern of a time, without anchors.
    package static let timePattern =
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{3})?(Z|[+-][0-9]{2}:[0-9]{2})"

    private static func type(_ name: String, _ sentence: String, _ orNull: Bool = false) -> [(String, OrderedJSON)] {
        [
            ("description", .string(sentence)),
            ("type", orNull ? .array([.string(name), .string("null")]) : .string(name)),
        ]
    }
}
