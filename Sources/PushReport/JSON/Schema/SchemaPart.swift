internal import JSONValue
internal import PushPlan

/// The building blocks of the JSON Schemas of reports.
enum SchemaPart {
    /// A member of an object.
    struct Member {
        let name: String
        let schema: OrderedJSON
        let isRequired: Bool

        /// A member that is always there.
        init(_ name: String, _ schema: OrderedJSON) {
            self.name = name
            self.schema = schema
            isRequired = true
        }

        /// A member that may be left out.
        init(optional name: String, _ schema: OrderedJSON) {
            self.name = name
            self.schema = schema
            isRequired = false
        }
    }

    /// An object; later minor versions may add members, so others are allowed.
    static func object(_ description: String, _ members: [Member], orNull: Bool = false) -> OrderedJSON {
        .object(
            type("object", description, orNull: orNull) + [
                ("required", .array(members.filter(\.isRequired).map { .string($0.name) })),
                ("properties", .object(members.map { ($0.name, $0.schema) })),
            ])
    }

    /// An object of any members.
    static func anyObject(_ description: String, orNull: Bool = false) -> OrderedJSON {
        .object(type("object", description, orNull: orNull))
    }

    /// A list; `minimum` elements at least.
    static func list(_ description: String, of items: OrderedJSON, minimum: Int? = nil) -> OrderedJSON {
        .object(
            type("array", description) + (minimum.map { [("minItems", .integer($0))] } ?? []) + [("items", items)])
    }

    /// A text.
    static func text(_ description: String, orNull: Bool = false, pattern: String? = nil) -> OrderedJSON {
        .object(
            type("string", description, orNull: orNull) + (pattern.map { [("pattern", .string($0))] } ?? []))
    }

    /// RFC 3339, with an offset or in UTC.
    static func time(_ description: String, orNull: Bool = false) -> OrderedJSON {
        .object(
            type("string", description, orNull: orNull) + [
                ("format", .string("date-time")), ("pattern", .string("^" + timePattern + "$")),
            ])
    }

    /// A SHA-256.
    static func digest(_ description: String) -> OrderedJSON {
        text(description, pattern: "^sha256:[0-9a-f]{64}$")
    }

    /// The id of a delivery.
    static func delivery(_ description: String, orNull: Bool = false) -> OrderedJSON {
        text(description, orNull: orNull, pattern: "^[0-9A-Za-z]{1,16}$")
    }

    /// A length of time such as `1h`.
    static func duration(_ description: String) -> OrderedJSON { text(description, pattern: "^[0-9]+[smhdw]$") }

    /// A whole number, not below `minimum`.
    static func integer(_ description: String, orNull: Bool = false, minimum: Int? = 0) -> OrderedJSON {
        .object(
            type("integer", description, orNull: orNull) + (minimum.map { [("minimum", .integer($0))] } ?? []))
    }

    /// `true` or `false`.
    static func flag(_ description: String) -> OrderedJSON { .object(type("boolean", description)) }

    /// One of an enum's values: a new one of the program is one of the schema.
    static func choice<Value: CaseIterable & RawRepresentable>(
        _ description: String, of type: Value.Type, orNull: Bool = false
    ) -> OrderedJSON where Value.RawValue == String {
        [
            "description": .string(description),
            "enum": .array(type.allCases.map { .string($0.rawValue) } + (orNull ? [.null] : [])),
        ]
    }

    /// One of these texts.
    static func choice(_ values: [String]) -> OrderedJSON { ["enum": .array(values.map { .string($0) })] }

    /// A definition of the document.
    static func reference(_ name: String) -> OrderedJSON { ["$ref": .string("#/$defs/\(name)")] }

    /// The pattern of a time, without anchors.
    static let timePattern =
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{3})?(Z|[+-][0-9]{2}:[0-9]{2})"

    private static func type(_ name: String, _ description: String, orNull: Bool = false) -> [(String, OrderedJSON)] {
        [
            ("description", .string(description)),
            ("type", orNull ? .array([.string(name), .string("null")]) : .string(name)),
        ]
    }
}
