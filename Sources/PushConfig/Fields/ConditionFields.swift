/// The fields of a moment in a condition.
package enum DateField: Int, FieldKey {
    case type, iso

    package static let table = FieldTable<Self>("where.Date", "A moment in a condition", "条件中的时间")

    package var spec: FieldSpec {
        switch self {
        case .type: FieldSpec("__type", .constant("Date"), .required, "What the value is", "值的类型")
        case .iso: FieldSpec("iso", .instant, .required, "The moment", "时刻")
        }
    }
}

/// The fields of a place in a condition.
package enum GeoPointField: Int, FieldKey {
    case type, latitude, longitude

    package static let table = FieldTable<Self>("where.GeoPoint", "A place in a condition", "条件中的地理位置")

    package var spec: FieldSpec {
        switch self {
        case .type: FieldSpec("__type", .constant("GeoPoint"), .required, "What the value is", "值的类型")
        case .latitude: FieldSpec("latitude", .number(-90...90), .required, "Degrees north", "纬度，北纬为正")
        case .longitude: FieldSpec("longitude", .number(-180...180), .required, "Degrees east", "经度，东经为正")
        }
    }
}

/// The fields of a reference to an object in a condition.
package enum PointerField: Int, FieldKey {
    case type, className, objectId

    package static let table = FieldTable<Self>(
        "where.Pointer", "A reference to an object in a condition", "条件中对另一个对象的引用")

    package var spec: FieldSpec {
        switch self {
        case .type: FieldSpec("__type", .constant("Pointer"), .required, "What the value is", "值的类型")
        case .className: FieldSpec("className", .text, .required, "The object's class", "对象所属的 Class")
        case .objectId: FieldSpec("objectId", .text, .required, "The object's id", "对象的 objectId")
        }
    }
}

/// The fields of `$relatedTo`.
package enum RelatedToField: Int, FieldKey {
    case object, key

    package static let table = FieldTable<Self>("where.$relatedTo", "Objects of a relation", "某个 Relation 中的对象")

    package var spec: FieldSpec {
        switch self {
        case .object:
            FieldSpec(
                "object", .map(PointerField.table.description), .required, "The object that has the relation",
                "拥有该 Relation 的对象")
        case .key: FieldSpec("key", .text, .required, "The relation's name", "Relation 的字段名")
        }
    }
}

/// The fields of `$inQuery`, `$notInQuery` and of the query in `$select` and `$dontSelect`.
package enum InQueryField: Int, FieldKey {
    case `where`, className

    package static let table = FieldTable<Self>(
        "where.$inQuery", "Objects of another class that meet a condition", "另一个 Class 中满足条件的对象")

    package var spec: FieldSpec {
        switch self {
        case .where: FieldSpec("where", .condition(on: .otherClass), .required, "The condition", "查询条件")
        case .className: FieldSpec("className", .text, .required, "The class", "Class 名")
        }
    }
}

/// The fields of `$select` and `$dontSelect`.
package enum SelectField: Int, FieldKey {
    case query, key

    package static let table = FieldTable<Self>(
        "where.$select", "Values of a field of another class", "另一个 Class 某个字段的值")

    package var spec: FieldSpec {
        switch self {
        case .query: FieldSpec("query", .map(InQueryField.table.description), .required, "The objects", "查询哪些对象")
        case .key: FieldSpec("key", .text, .required, "Their field", "取其中哪个字段")
        }
    }
}

/// The field of `$within`.
package enum WithinField: Int, FieldKey {
    case box

    package static let table = FieldTable<Self>("where.$within", "A rectangle on the map", "地图上的矩形区域")

    package var spec: FieldSpec {
        switch self {
        case .box:
            FieldSpec(
                "$box",
                .list(of: .map(GeoPointField.table.description), ListRule(minimum: 2, maximum: 2, allowsRepeats: true)),
                .required,
                "Its south-west and north-east corners", "西南角与东北角")
        }
    }
}
