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

    /// What an operator works on.
    package enum Operand: Sendable {
        /// A list of conditions; stands beside fields rather than in one.
        case conditions
        /// An object and the key of its relation; stands beside fields rather than in one.
        case relation
        /// Any value but null.
        case value
        /// A number, a string or a Date.
        case ordered
        /// A list of values.
        case values
        /// `true` or `false`.
        case boolean
        /// A whole number from 0.
        case count
        /// A string.
        case text
        /// Letters of `i`, `m`, `x`, `s`.
        case regexOptions
        /// A GeoPoint.
        case point
        /// A number from 0.
        case distance
        /// Two corners.
        case box
        /// A condition on another class, or a condition.
        case query
        /// A condition on another class and one of its fields.
        case selection
    }

    /// What the operator works on.
    package var operand: Operand {
        switch self {
        case .or, .and: .conditions
        case .relatedTo: .relation
        case .ne: .value
        case .gt, .gte, .lt, .lte: .ordered
        case .in, .nin, .all: .values
        case .exists: .boolean
        case .size: .count
        case .regex: .text
        case .options: .regexOptions
        case .nearSphere: .point
        case .maxDistanceInKilometers, .maxDistanceInMiles, .maxDistanceInRadians, .maxDistance, .minDistance: .distance
        case .within: .box
        case .inQuery, .notInQuery: .query
        case .select, .dontSelect: .selection
        }
    }

    /// The operator that must stand beside it; nil: none.
    package var companion: Self? {
        switch self {
        case .options: .regex
        case .maxDistanceInKilometers, .maxDistanceInMiles, .maxDistanceInRadians, .maxDistance, .minDistance:
            .nearSphere
        case .or, .and, .relatedTo, .ne, .gt, .gte, .lt, .lte, .in, .nin, .all, .exists, .size, .regex, .nearSphere,
            .within, .inQuery, .notInQuery, .select, .dontSelect:
            nil
        }
    }

    /// Whether it stands beside fields rather than in one.
    package var isTopLevel: Bool {
        switch operand {
        case .conditions, .relation: true
        case .value, .ordered, .values, .boolean, .count, .text, .regexOptions, .point, .distance, .box, .query,
            .selection:
            false
        }
    }
}
