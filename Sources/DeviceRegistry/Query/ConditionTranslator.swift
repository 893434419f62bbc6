internal import GRDB
internal import JSONValue

/// Turns a `where` of LeanCloud's query language into SQL.
///
/// Keys are validated and written into the text; every value is a bound parameter.
/// Source: leancloud.md section 2.4.
struct ConditionTranslator {
    /// The class that is asked.
    let table: ObjectTable
    /// The distance that `$nearSphere` orders by, when the condition has one that must hold.
    private(set) var distance: SQL?

    private let access: Access
    private let nesting: Int
    private var isOptional = false
    private var terms = 0

    /// A condition may nest this deep.
    static let deepestNesting = 16
    /// A condition may have this many tests.
    static let mostTerms = 500

    /// A translator for a query of `className` by someone; inner queries count on from `nesting`.
    init(className: ClassName, access: Access, nesting: Int = 0) {
        self.access = access
        table = ObjectTable(className: className, alias: "t\(nesting)")
        self.nesting = nesting
    }

    /// The SQL that is true for the objects that fit; a list of conditions means all of them.
    ///
    /// - Throws: ``RegistryError`` with code 102, 105, 106, 111 or 302.
    mutating func translate(_ condition: JSONValue) throws(RegistryError) -> SQL {
        try translate(condition, depth: nesting)
    }

    private mutating func translate(_ condition: JSONValue, depth: Int) throws(RegistryError) -> SQL {
        guard depth < Self.deepestNesting else {
            throw RegistryError(.invalidQuery, "The condition is nested more than \(Self.deepestNesting) deep.")
        }
        switch condition {
        case .object(let members):
            // Sorted, so that one condition is always one SQL text, which SQLite's cache of statements then knows.
            var clauses: [SQL] = []
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                clauses.append(try entry(key, value, depth))
            }
            return .all(of: clauses)
        case .array(let conditions):
            return .all(of: try each(conditions, depth))
        case .null, .bool, .integer, .number, .string:
            throw RegistryError(.invalidQuery, "A condition is an object or a list of objects.")
        }
    }

    private mutating func entry(_ key: String, _ value: JSONValue, _ depth: Int) throws(RegistryError) -> SQL {
        switch key {
        case "$and":
            return .all(of: try each(try list(value, of: key), depth))
        case "$or":
            let outer = isOptional
            isOptional = true
            defer { isOptional = outer }
            return .any(of: try each(try list(value, of: key), depth))
        case "$relatedTo":
            return try related(value)
        default:
            guard !key.hasPrefix("$") else {
                throw RegistryError(.invalidQuery, "Unknown operator '\(key.prefix(64))'.")
            }
            return try field(try FieldPath(key), value)
        }
    }

    private mutating func each(_ conditions: [JSONValue], _ depth: Int) throws(RegistryError) -> [SQL] {
        var clauses: [SQL] = []
        for condition in conditions { clauses.append(try translate(condition, depth: depth + 1)) }
        return clauses
    }

    private mutating func field(_ path: FieldPath, _ value: JSONValue) throws(RegistryError) -> SQL {
        guard let members = value.object, members.keys.contains(where: { $0.hasPrefix("$") }) else {
            try count()
            return try table.test(path, .equals(try TypedValue(value)))
        }
        if let stranger = members.keys.filter({ !$0.hasPrefix("$") }).min() {
            throw RegistryError(.invalidQuery, "'\(stranger.prefix(64))' stands among operators.")
        }
        var clauses: [SQL] = []
        if members["$nearSphere"] != nil {
            let near = try NearSphere(members)
            if !isOptional, distance == nil { distance = near.distance(table, path) }
            clauses.append(near.sql(table, path))
        }
        for (name, argument) in members.sorted(by: { $0.key < $1.key }) {
            guard let known = QueryOperator(rawValue: name) else {
                throw RegistryError(.invalidQuery, "Unknown operator '\(name.prefix(64))'.")
            }
            try count()
            if let clause = try apply(known, argument, path, members) { clauses.append(clause) }
        }
        return .all(of: clauses)
    }

    private mutating func count() throws(RegistryError) {
        terms += 1
        guard terms <= Self.mostTerms else {
            throw RegistryError(.invalidQuery, "The condition has more than \(Self.mostTerms) tests.")
        }
    }

    func list(_ value: JSONValue, of name: String) throws(RegistryError) -> [JSONValue] {
        guard let elements = value.array else { throw RegistryError(.invalidQuery, "\(name) takes a list.") }
        guard elements.count <= 10_000 else {
            throw RegistryError(.invalidQuery, "\(name) takes 10,000 values at most.")
        }
        return elements
    }

    /// The values of `$in`, `$nin` and `$all`; each that is no plain text or number is a test of its own.
    func values(_ argument: JSONValue, of name: String) throws(RegistryError) -> [TypedValue] {
        var values: [TypedValue] = []
        var tests = 0
        for element in try list(argument, of: name) {
            let value = try TypedValue(element)
            switch value {
            case .text, .number: break
            case .null, .bool, .date, .pointer, .point, .whole: tests += 1
            }
            values.append(value)
        }
        guard tests <= Self.mostTerms else {
            throw RegistryError(
                .invalidQuery, "\(name) takes \(Self.mostTerms) values at most that are no text or number.")
        }
        return values
    }

    /// What of a class a query within this one may see, or else an inner query would tell what an outer one may not.
    func readable(_ table: ObjectTable) throws(RegistryError) -> SQL? {
        if access == .client, table.className.needsMasterKey || table.className.isInstallation {
            throw RegistryError(.forbidden, "Forbidden to query class '\(table.className)' without the master key.")
        }
        return access.readable(table.alias)
    }

    /// A translator for a query within this one.
    func inner(_ className: ClassName) throws(RegistryError) -> ConditionTranslator {
        guard nesting + 1 < Self.deepestNesting else {
            throw RegistryError(.invalidQuery, "Queries are nested too deep.")
        }
        return ConditionTranslator(className: className, access: access, nesting: nesting + 1)
    }
}

/// The operators that stand below a key.
enum QueryOperator: String, CaseIterable {
    case notEqual = "$ne"
    case greater = "$gt"
    case greaterOrEqual = "$gte"
    case less = "$lt"
    case lessOrEqual = "$lte"
    case isIn = "$in"
    case notIn = "$nin"
    case all = "$all"
    case exists = "$exists"
    case size = "$size"
    case regularExpression = "$regex"
    case options = "$options"
    case nearSphere = "$nearSphere"
    case maxDistance = "$maxDistance"
    case maxDistanceInRadians = "$maxDistanceInRadians"
    case maxDistanceInMiles = "$maxDistanceInMiles"
    case maxDistanceInKilometers = "$maxDistanceInKilometers"
    case minDistance = "$minDistance"
    case within = "$within"
    case inQuery = "$inQuery"
    case notInQuery = "$notInQuery"
    case select = "$select"
    case dontSelect = "$dontSelect"
}
