/// The fields of a moment in a condition.
package enum DateField: Int, FieldKey {
    case type, iso

    package static let table = FieldTable<Self>("where.Date", "A moment in a condition")

    package var spec: FieldSpec {
        switch self {
        case .type: FieldSpec("__type", .constant("Date"), .required, "What the value is")
        case .iso: FieldSpec("iso", .instant, .required, "The moment")
        }
    }
}

/// The fields of a place in a condition.
package enum GeoPointField: Int, FieldKey {
    case type, latitude, longitude

    package static let table = FieldTable<Self>("where.GeoPoint", "A place in a condition")

    package var spec: FieldSpec {
        switch self {
        case .type: FieldSpec("__type", .constant("GeoPoint"), .required, "What the value is")
        case .latitude: FieldSpec("latitude", .number(-90...90), .required, "Degrees north")
        case .longitude: FieldSpec("longitude", .number(-180...180), .required, "Degrees east")
        }
    }
}

/// The fields of a reference to an object in a condition.
package enum PointerField: Int, FieldKey {
    case type, className, objectId

    package static let table = FieldTable<Self>("where.Pointer", "A reference to an object in a condition")

    package var spec: FieldSpec {
        switch self {
        case .type: FieldSpec("__type", .constant("Pointer"), .required, "What the value is")
        case .className: FieldSpec("className", .text, .required, "The object's class")
        case .objectId: FieldSpec("objectId", .text, .required, "The object's id")
        }
    }
}

/// The fields of `$relatedTo`.
package enum RelatedToField: Int, FieldKey {
    case object, key

    package static let table = FieldTable<Self>("where.$relatedTo", "Objects of a relation")

    package var spec: FieldSpec {
        switch self {
        case .object:
            FieldSpec("object", .map(PointerField.table.description), .required, "The object that has the relation")
        case .key: FieldSpec("key", .text, .required, "The relation's name")
        }
    }
}

/// The fields of `$inQuery`, `$notInQuery` and of the query in `$select` and `$dontSelect`.
package enum InQueryField: Int, FieldKey {
    case `where`, className

    package static let table = FieldTable<Self>("where.$inQuery", "Objects of another class that meet a condition")

    package var spec: FieldSpec {
        switch self {
        case .where: FieldSpec("where", .condition(on: .otherClass), .required, "The condition")
        case .className: FieldSpec("className", .text, .required, "The class")
        }
    }
}

/// The fields of `$select` and `$dontSelect`.
package enum SelectField: Int, FieldKey {
    case query, key

    package static let table = FieldTable<Self>("where.$select", "Values of a field of another class")

    package var spec: FieldSpec {
        switch self {
        case .query: FieldSpec("query", .map(InQueryField.table.description), .required, "The objects")
        case .key: FieldSpec("key", .text, .required, "Their field")
        }
    }
}

/// The field of `$within`.
package enum WithinField: Int, FieldKey {
    case box

    package static let table = FieldTable<Self>("where.$within", "A rectangle on the map")

    package var spec: FieldSpec {
        switch self {
        case .box:
            FieldSpec(
                "$box",
                .list(of: .map(GeoPointField.table.description), ListRule(minimum: 2, maximum: 2, allowsRepeats: true)),
                .required,
                "Its south-west and north-east corners")
        }
    }
}
