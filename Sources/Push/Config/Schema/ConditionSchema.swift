internal import Base

extension ConditionSubject {
    /// The name of the definition of conditions on this subject.
    var definition: String {
        switch self {
        case .installations: "where"
        case .otherClass: "where.otherClass"
        }
    }
}

/// The definitions of conditions, as ``ConditionReader`` reads them.
enum ConditionSchema {
    private static let fieldNames = "^(?![0-9])[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*$"
    private static let withoutOperators: OrderedJSON = ["propertyNames": ["pattern": .string("^(?!\\$)")]]

    /// All definitions, by name.
    static var definitions: [(String, OrderedJSON)] {
        [
            (ConditionSubject.installations.definition, condition(on: .installations)),
            (ConditionSubject.otherClass.definition, condition(on: .otherClass)), ("where.constraint", constraint),
            ("where.operators", operators), ("where.value", value), ("where.typed", typed),
        ]
    }

    /// The mappings that conditions use.
    static var maps: [MapDescription] {
        [
            .date, .geoPoint, .pointer,
            .relatedTo, .inQuery, .select,
            .within,
        ]
    }

    private static func condition(on subject: ConditionSubject) -> OrderedJSON {
        var properties = ConditionOperator.allCases.filter(\.isTopLevel).map {
            ($0.rawValue, schema(of: $0, in: subject))
        }
        if subject == .installations {
            let name: OrderedJSON = [
                "description": .string("Devices with this profile; equality only."), "type": .string("string"),
                "minLength": .integer(1),
            ]
            properties.append(("deviceProfile", name))
        }
        return [
            "description": .string("A condition in LeanCloud's query language; every field must fit."),
            "type": .string("object"), "minProperties": .integer(1), "properties": .object(properties),
            "patternProperties": .object([(fieldNames, .object(FieldType.reference("where.constraint")))]),
            "additionalProperties": .value(false),
        ]
    }

    /// The constraint on one field: operators, or a value to equal.
    private static var constraint: OrderedJSON {
        let operators = OrderedJSON.object(FieldType.reference("where.operators"))
        let value = OrderedJSON.object(FieldType.reference("where.value"))
        return ["anyOf": .array([operators, ["allOf": .array([value, withoutOperators])]])]
    }

    private static var operators: OrderedJSON {
        let known = ConditionOperator.allCases.filter { !$0.isTopLevel }
        let companions = known.compactMap { known in
            known.companion.map { (known.rawValue, OrderedJSON.array([.string($0.rawValue)])) }
        }
        return [
            "description": .string("Tests of the field; every operator must hold."),
            "type": .string("object"), "minProperties": .integer(1),
            "properties": .object(known.map { ($0.rawValue, schema(of: $0, in: .installations)) }),
            "dependentRequired": .object(companions), "additionalProperties": .value(false),
        ]
    }

    private static var value: OrderedJSON {
        let simple: OrderedJSON = ["type": [.string("string"), .string("number"), .string("boolean")]]
        let list: OrderedJSON = ["type": .string("array"), "items": .object(FieldType.reference("where.value"))]
        let mapping: OrderedJSON = [
            "type": .string("object"), "minProperties": .integer(1), "if": ["required": [.string("__type")]],
            "then": .object(FieldType.reference("where.typed")),
        ]
        return [
            "description": .string("A value to compare with; anything but null."),
            "anyOf": .array([simple, list, mapping]),
        ]
    }

    private static var typed: OrderedJSON {
        let tables: [MapDescription] = [.date, .geoPoint, .pointer]
        return ["oneOf": .array(tables.map { .object(FieldType.map($0).schema) })]
    }

    private static func schema(of known: ConditionOperator, in subject: ConditionSubject) -> OrderedJSON {
        .object([("description", .string(known.documentation + "."))] + operand(known.operand, in: subject))
    }

    private static func operand(
        _ operand: ConditionOperator.Operand, in subject: ConditionSubject
    ) -> [(String, OrderedJSON)] {
        switch operand {
        case .conditions:
            return FieldType.list(of: .condition(on: subject), ListRule(allowsRepeats: true)).schema
        case .relation: return FieldType.map(.relatedTo).schema
        case .value: return FieldType.reference("where.value")
        case .ordered:
            let simple: OrderedJSON = ["type": [.string("number"), .string("string")]]
            return [("anyOf", .array([simple, .object(FieldType.map(.date).schema)]))]
        case .values:
            return [
                ("type", .string("array")), ("items", .object(FieldType.reference("where.value"))),
                ("minItems", .integer(1)),
            ]
        case .boolean: return FieldType.boolean.schema
        case .count: return FieldType.integer(FieldType.anyCount).schema
        case .text: return FieldType.text.schema
        case .regexOptions: return [("type", .string("string")), ("pattern", .string("^(?!.*(.).*\\1)[imxs]+$"))]
        case .point: return FieldType.map(.geoPoint).schema
        case .distance: return [("type", .string("number")), ("minimum", .integer(0))]
        case .box: return FieldType.map(.within).schema
        case .query:
            let query = MapDescription.inQuery
            return [
                ("if", FieldTest.hasAny(query.fields.map(\.name)).schema),
                ("then", .object(FieldType.map(query).schema)),
                ("else", .object(FieldType.condition(on: .otherClass).schema)),
            ]
        case .selection: return FieldType.map(.select).schema
        }
    }
}
