/// The operators of LeanCloud's query language that a condition may use.
package enum ConditionOperator: String, Sendable, CaseIterable {
    case or = "$or"
    case and = "$and"
    case relatedTo = "$relatedTo"
    case ne = "$ne"
    case gt = "$gt"
    case gte = "$gte"
    case lt = "$lt"
    case lte = "$lte"
    case `in` = "$in"
    case nin = "$nin"
    case all = "$all"
    case exists = "$exists"
    case size = "$size"
    case regex = "$regex"
    case options = "$options"
    case nearSphere = "$nearSphere"
    case maxDistanceInKilometers = "$maxDistanceInKilometers"
    case maxDistanceInMiles = "$maxDistanceInMiles"
    case maxDistanceInRadians = "$maxDistanceInRadians"
    case maxDistance = "$maxDistance"
    case minDistance = "$minDistance"
    case within = "$within"
    case inQuery = "$inQuery"
    case notInQuery = "$notInQuery"
    case select = "$select"
    case dontSelect = "$dontSelect"

    /// The kinds of operands.
    package enum Operand: Sendable {
        /// A list of conditions; written beside fields rather than in one.
        case conditions
        /// An object and the key of its relation; written beside fields rather than in one.
        case relation
        /// Any value but null.
        case value
        /// A number, a string or a Date.
        case ordered
        /// A list of values.
        case values
        /// `true` or `false`.
        case boolean
        /// An integer from 0.
        case count
        case text
        /// Letters of `i`, `m`, `x`, `s`.
        case regexOptions
        case point
        /// A number from 0.
        case distance
        /// A box given by two corners.
        case box
        /// A condition on another class, or a condition.
        case query
        /// A condition on another class and one of its fields.
        case selection
    }

    package var operand: Operand { row.operand }

    /// The values that match, in one sentence without a full stop.
    package var documentation: String { row.documentation }

    /// ``documentation`` in Chinese.
    package var chinese: String { row.chinese }

    private var row: (operand: Operand, documentation: String, chinese: String) {
        switch self {
        case .or: (.conditions, "At least one of the conditions holds", "至少满足其中一个条件")
        case .and: (.conditions, "All of the conditions hold", "同时满足所有条件")
        case .relatedTo: (.relation, "Members of an object's relation", "属于某个对象的 Relation")
        case .ne: (.value, "Another value", "不等于该值")
        case .gt: (.ordered, "Greater values, or later moments", "大于该值，或晚于该时间")
        case .gte: (.ordered, "Equal and greater values, or later moments", "大于或等于该值，或不早于该时间")
        case .lt: (.ordered, "Smaller values, or earlier moments", "小于该值，或早于该时间")
        case .lte: (.ordered, "Equal and smaller values, or earlier moments", "小于或等于该值，或不晚于该时间")
        case .in: (.values, "One of these values", "等于其中一个值")
        case .nin: (.values, "None of these values", "不等于其中任何值")
        case .all: (.values, "A list that holds all of these values", "数组包含所有这些值")
        case .exists: (.boolean, "True: the field exists; false: it does not", "字段是否存在")
        case .size: (.count, "A list of this many elements", "数组的元素个数")
        case .regex: (.text, "A text in which the regular expression is found", "文本匹配该正则表达式")
        case .options:
            (
                .regexOptions,
                "How $regex reads: i ignores case, m looks at lines, x ignores white space, s lets '.' match line breaks",
                "$regex 的匹配方式：i 忽略大小写，m 按行匹配，x 忽略空白，s 让 '.' 匹配换行"
            )
        case .nearSphere: (.point, "Places by their distance, the nearest first", "按距离由近到远的地点")
        case .maxDistanceInKilometers:
            (.distance, "At most this many kilometres from $nearSphere", "距 $nearSphere 最远多少公里")
        case .maxDistanceInMiles: (.distance, "At most this many miles from $nearSphere", "距 $nearSphere 最远多少英里")
        case .maxDistanceInRadians, .maxDistance:
            (.distance, "At most this many radians from $nearSphere", "距 $nearSphere 最远多少弧度")
        case .minDistance: (.distance, "At least this many radians from $nearSphere", "距 $nearSphere 最近多少弧度")
        case .within: (.box, "Places in a rectangle", "矩形区域内的地点")
        case .inQuery: (.query, "A reference to an object that meets a condition", "指向满足条件的对象")
        case .notInQuery: (.query, "No reference to an object that meets a condition", "不指向满足条件的对象")
        case .select: (.selection, "One of the values that a field of another class has", "等于另一个 Class 某个字段的值之一")
        case .dontSelect: (.selection, "None of the values that a field of another class has", "不等于另一个 Class 某个字段的任何值")
        }
    }

    /// The operator that must accompany this one; nil when there is none.
    package var companion: Self? {
        switch operand {
        case .regexOptions: .regex
        case .distance: .nearSphere
        case .conditions, .relation, .value, .ordered, .values, .boolean, .count, .text, .point, .box, .query,
            .selection:
            nil
        }
    }

    /// True when the operator is written beside fields rather than in one.
    package var isTopLevel: Bool { operand == .conditions || operand == .relation }
}

extension MapDescription {
    static let date = MapDescription(
        "where.Date", "A moment in a condition", "条件中的时间",
        [
            FieldSpec("__type", .constant("Date"), .required, "The type of the value", "值的类型"),
            FieldSpec("iso", .instant, .required, "The moment", "时刻"),
        ])

    static let geoPoint = MapDescription(
        "where.GeoPoint", "A place in a condition", "条件中的地理位置",
        [
            FieldSpec("__type", .constant("GeoPoint"), .required, "The type of the value", "值的类型"),
            FieldSpec("latitude", .number(-90...90), .required, "Degrees north", "纬度，北纬为正"),
            FieldSpec("longitude", .number(-180...180), .required, "Degrees east", "经度，东经为正"),
        ])

    static let pointer = MapDescription(
        "where.Pointer", "A reference to an object in a condition", "条件中对另一个对象的引用",
        [
            FieldSpec("__type", .constant("Pointer"), .required, "The type of the value", "值的类型"),
            FieldSpec("className", .text, .required, "The object's class", "对象所属的 Class"),
            FieldSpec("objectId", .text, .required, "The object's id", "对象的 objectId"),
        ])

    static let relatedTo = MapDescription(
        "where.$relatedTo", "Objects of a relation", "某个 Relation 中的对象",
        [
            FieldSpec(
                "object", .map(.pointer), .required, "The object that has the relation",
                "拥有该 Relation 的对象"),
            FieldSpec("key", .text, .required, "The relation's name", "Relation 的字段名"),
        ])

    /// The fields of `$inQuery`, `$notInQuery` and of the query in `$select` and `$dontSelect`.
    static let inQuery = MapDescription(
        "where.$inQuery", "Objects of another class that meet a condition", "另一个 Class 中满足条件的对象",
        [
            FieldSpec("where", .condition(on: .otherClass), .required, "The condition", "查询条件"),
            FieldSpec("className", .text, .required, "The class", "Class 名"),
        ])

    static let select = MapDescription(
        "where.$select", "Values of a field of another class", "另一个 Class 某个字段的值",
        [
            FieldSpec("query", .map(.inQuery), .required, "The objects", "查询哪些对象"),
            FieldSpec("key", .text, .required, "Their field", "取其中哪个字段"),
        ])

    static let within = MapDescription(
        "where.$within", "A rectangle on the map", "地图上的矩形区域",
        [
            FieldSpec(
                "$box",
                .list(of: .map(.geoPoint), ListRule(minimum: 2, maximum: 2, allowsRepeats: true)),
                .required,
                "Its south-west and north-east corners", "西南角与东北角")
        ])
}
