internal import Base

extension FieldRule {
    /// The rule as members of a schema of the mapping.
    var schema: OrderedJSON {
        switch self {
        case .exactlyOne(let names): ["oneOf": .array(names.map { FieldTest.has([$0]).schema })]
        case .notEmpty: ["minProperties": .integer(1)]
        case .always(let test): test.schema
        case .when(let premise, let consequence): ["if": premise.schema, "then": consequence.schema]
        }
    }
}

extension FieldTest {
    /// The test as a schema of the mapping.
    var schema: OrderedJSON {
        switch self {
        case .has(let path): Self.below(path) { nil }
        case .lacks(let names, let path):
            Self.optional(path) { ["properties": .object(names.map { ($0, .value(false)) })] }
        case .equals(let path, let value): Self.below(path) { ["const": .value(value)] }
        case .matches(let path, let pattern):
            Self.below(path) { ["type": .string("string"), "pattern": .string(pattern)] }
        case .count(let path, let range): Self.below(path) { Self.bounds(range) }
        case .elements(let path, let pattern):
            Self.optional(path) { ["items": ["pattern": .string(pattern)]] }
        case .not(let test): ["not": test.schema]
        case .allOf(let tests): ["allOf": .array(tests.map(\.schema))]
        case .anyOf(let tests): ["anyOf": .array(tests.map(\.schema))]
        }
    }

    /// The schema for a value that must be present.
    private static func below(_ path: [String], _ value: () -> OrderedJSON?) -> OrderedJSON {
        guard let name = path.first else { return value() ?? .value(true) }
        let inner = path.count == 1 ? value() : below(Array(path.dropFirst()), value)
        var members: [(String, OrderedJSON)] = [("type", .string("object")), ("required", [.string(name)])]
        if let inner { members.append(("properties", .object([(name, inner)]))) }
        return .object(members)
    }

    /// The schema for a value that may be absent.
    private static func optional(_ path: [String], _ value: () -> OrderedJSON) -> OrderedJSON {
        guard let name = path.first else { return value() }
        return ["properties": .object([(name, optional(Array(path.dropFirst()), value))])]
    }

    /// The bounds for elements and entries alike: each keyword applies to one kind of value only.
    private static func bounds(_ range: ClosedRange<Int>) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [
            ("minItems", .integer(range.lowerBound)), ("minProperties", .integer(range.lowerBound)),
        ]
        if range.upperBound < Int.max {
            members += [("maxItems", .integer(range.upperBound)), ("maxProperties", .integer(range.upperBound))]
        }
        return .object(members)
    }
}
