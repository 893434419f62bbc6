package import Base

/// The JSON Schema of a configuration's documents, generated only from the tables of fields.
///
/// Every document of a workspace that `validate` accepts is valid. Of the documents that `validate` refuses, the schema
/// rejects all that a schema of one document can: it cannot know that a name is declared elsewhere, that a time zone
/// exists, or that a path leads out through a link.
package enum ConfigurationSchema {
    /// The draft of JSON Schema that it follows.
    package static let draft = "https://json-schema.org/draft/2020-12/schema"
    /// The schema's identifier, independent of its location.
    package static let identifier = "urn:bugle:schema:configuration"

    /// The schema; the same for every run of one version.
    package static var document: OrderedJSON {
        let kinds = DocumentKind.allCases
        return [
            "$schema": .string(draft), "$id": .string(identifier), "title": .string("bugle configuration"),
            "description": .string("One YAML document of a workspace; its kind says what it declares."),
            // A document with nothing but `---` declares nothing.
            "type": [.string("object"), .string("null")], "required": [.string("kind")],
            "properties": [
                "kind": [
                    "description": .string("The kind of the document."),
                    "enum": .array(kinds.map { .string($0.rawValue) }),
                ]
            ],
            "allOf": .array(kinds.map(choice)), "$defs": .object(definitions),
        ]
    }

    private static func choice(of kind: DocumentKind) -> OrderedJSON {
        [
            "if": FieldTest.equals(["kind"], .string(kind.rawValue)).schema,
            "then": .object(FieldType.map(kind.description).schema),
        ]
    }

    private static var definitions: [(String, OrderedJSON)] {
        var collection = DefinitionCollection()
        for kind in DocumentKind.allCases { collection.add(kind.description) }
        collection.add(.secret)
        collection.add(.reference)
        for map in ConditionSchema.maps { collection.add(map) }
        return collection.definitions + ConditionSchema.definitions
    }
}

/// The mappings reachable from one another, each once.
private struct DefinitionCollection {
    private(set) var definitions: [(String, OrderedJSON)] = []
    private var names: Set<String> = []

    mutating func add(_ map: MapDescription) {
        guard names.insert(map.name).inserted else { return }
        definitions.append((FieldType.definitionName(map.name), Self.schema(of: map)))
        for inner in map.fields.flatMap(\.type.maps) { add(inner) }
    }

    private static func schema(of map: MapDescription) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [
            ("description", .string(map.documentation + ".")), ("type", .string("object")),
        ]
        let required = map.fields.filter { $0.presence == .required }
        if !required.isEmpty { members.append(("required", .array(required.map { .string($0.name) }))) }
        members.append(("properties", .object(map.fields.map { ($0.name, $0.schema) })))
        members.append(("additionalProperties", .value(false)))
        if !map.rules.isEmpty { members.append(("allOf", .array(map.rules.map(\.schema)))) }
        return .object(members)
    }
}
