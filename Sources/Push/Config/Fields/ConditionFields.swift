extension MapDescription {
    /// The fields of a Date in a condition.
    package static let date = MapDescription(
        "where.Date", "A moment in a condition", "条件中的时间",
        [
            FieldSpec("__type", .constant("Date"), .required, "The type of the value", "值的类型"),
            FieldSpec("iso", .instant, .required, "The moment", "时刻"),
        ])

    /// The fields of a GeoPoint in a condition.
    package static let geoPoint = MapDescription(
        "where.GeoPoint", "A place in a condition", "条件中的地理位置",
        [
            FieldSpec("__type", .constant("GeoPoint"), .required, "The type of the value", "值的类型"),
            FieldSpec("latitude", .number(-90...90), .required, "Degrees north", "纬度，北纬为正"),
            FieldSpec("longitude", .number(-180...180), .required, "Degrees east", "经度，东经为正"),
        ])

    /// The fields of a pointer to an object in a condition.
    package static let pointer = MapDescription(
        "where.Pointer", "A reference to an object in a condition", "条件中对另一个对象的引用",
        [
            FieldSpec("__type", .constant("Pointer"), .required, "The type of the value", "值的类型"),
            FieldSpec("className", .text, .required, "The object's class", "对象所属的 Class"),
            FieldSpec("objectId", .text, .required, "The object's id", "对象的 objectId"),
        ])

    /// The fields of `$relatedTo`.
    package static let relatedTo = MapDescription(
        "where.$relatedTo", "Objects of a relation", "某个 Relation 中的对象",
        [
            FieldSpec(
                "object", .map(.pointer), .required, "The object that has the relation",
                "拥有该 Relation 的对象"),
            FieldSpec("key", .text, .required, "The relation's name", "Relation 的字段名"),
        ])

    /// The fields of `$inQuery`, `$notInQuery` and of the query in `$select` and `$dontSelect`.
    package static let inQuery = MapDescription(
        "where.$inQuery", "Objects of another class that meet a condition", "另一个 Class 中满足条件的对象",
        [
            FieldSpec("where", .condition(on: .otherClass), .required, "The condition", "查询条件"),
            FieldSpec("className", .text, .required, "The class", "Class 名"),
        ])

    /// The fields of `$select` and `$dontSelect`.
    package static let select = MapDescription(
        "where.$select", "Values of a field of another class", "另一个 Class 某个字段的值",
        [
            FieldSpec("query", .map(.inQuery), .required, "The objects", "查询哪些对象"),
            FieldSpec("key", .text, .required, "Their field", "取其中哪个字段"),
        ])

    /// The field of `$within`.
    package static let within = MapDescription(
        "where.$within", "A rectangle on the map", "地图上的矩形区域",
        [
            FieldSpec(
                "$box",
                .list(of: .map(.geoPoint), ListRule(minimum: 2, maximum: 2, allowsRepeats: true)),
                .required,
                "Its south-west and north-east corners", "西南角与东北角")
        ])
}
