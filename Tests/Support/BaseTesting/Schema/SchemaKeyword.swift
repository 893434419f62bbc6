internal import Base

/// The words of JSON Schema (draft 2020-12) that the checker knows; a schema with any other is refused, so that a
/// misspelt rule cannot pass for one that holds.
enum SchemaKeyword: String, CaseIterable {
    // What only people read; `format` is an annotation in this draft.
    case schema = "$schema"
    case id = "$id"
    case comment = "$comment"
    case title, description, markdownDescription, examples, deprecated, format
    case defaultValue = "default"

    case definitions = "$defs"
    case reference = "$ref"
    case type, const, pattern, required, properties, patternProperties, additionalProperties, propertyNames
    case values = "enum"
    case minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength
    case items, prefixItems, minItems, maxItems, uniqueItems, minProperties, maxProperties
    case allOf, anyOf, oneOf, not, then, dependentRequired
    case condition = "if"
    case otherwise = "else"

    /// The schemas within a keyword's value.
    enum Content {
        /// Nothing.
        case none
        /// The value is one.
        case schema
        /// Each element is one.
        case list
        /// Each member's value is one.
        case members
    }

    /// The places of schemas in its value.
    var content: Content {
        switch self {
        case .schema, .id, .comment, .title, .description, .markdownDescription, .examples, .deprecated, .format,
            .defaultValue, .reference, .type, .const, .pattern, .required, .values, .minimum, .maximum,
            .exclusiveMinimum, .exclusiveMaximum, .multipleOf, .minLength, .maxLength, .minItems, .maxItems,
            .uniqueItems, .minProperties, .maxProperties, .dependentRequired:
            .none
        case .additionalProperties, .propertyNames, .items, .not, .condition, .then, .otherwise: .schema
        case .prefixItems, .allOf, .anyOf, .oneOf: .list
        case .definitions, .properties, .patternProperties: .members
        }
    }

    /// True if its value is of the right kind.
    func accepts(_ value: JSONValue) -> Bool {
        switch self {
        case .examples, .defaultValue, .const: true
        case .schema, .id, .comment, .title, .description, .markdownDescription, .format, .reference, .pattern:
            value.string != nil
        case .deprecated, .uniqueItems: value == true || value == false
        case .type:
            (value.array ?? [value]).allSatisfy { $0.string.map { SchemaType(rawValue: $0) != nil } ?? false }
        case .required: value.array?.allSatisfy { $0.string != nil } ?? false
        case .values: !(value.array ?? []).isEmpty
        case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum, .multipleOf: value.double != nil
        case .minLength, .maxLength, .minItems, .maxItems, .minProperties, .maxProperties:
            value.integer.map { $0 >= 0 } ?? false
        case .prefixItems, .allOf, .anyOf, .oneOf: !(value.array ?? []).isEmpty
        case .definitions, .properties, .patternProperties, .dependentRequired: value.object != nil
        case .additionalProperties, .propertyNames, .items, .not, .condition, .then, .otherwise:
            value.object != nil || value == true || value == false
        }
    }
}

/// The types that JSON Schema names.
enum SchemaType: String {
    case null, boolean, integer, number, string, array, object

    /// True if a value is of it; a number without a fraction is an integer however it is written.
    func includes(_ value: JSONValue) -> Bool {
        switch self {
        case .null: value == .null
        case .boolean: value == true || value == false
        case .integer: value.integer != nil
        case .number: value.double != nil
        case .string: value.string != nil
        case .array: value.array != nil
        case .object: value.object != nil
        }
    }
}
