internal import GRDB
internal import JSONValue

/// Turns a `where` of LeanCloud's query language into SQL, for either database.
///
/// Keys are validated and written into the text; every value is a bound parameter.
/// Source: <doc:/PushModel/LeanCloudObjects#Queries>.
struct ConditionTranslator {
    /// The class that is asked.
    let table: ObjectTable
    /// The distance that `$nearSphere` orders by, when the condition has one that must hold.
    private(set) var distance: SQLText?

    private let access: Access
    private let nesting: Int
    private let deadline: Int64
    private let whole: Whole
    private var depth: Int
    private var isOptional = false

    /// A condition may nest this deep.
    static let deepestNesting = 16
    /// A condition may have this many tests, those of its inner queries among them: SQLite reads expressions of a
    /// thousand levels, and a chain of tests has a level for each.
    static let mostTerms = 500

    /// What a condition shares with its inner queries.
    private final class Whole {
        /// How many tests there are.
        var tests = 0
        /// The queries within queries within the outer one, each after those that it needs.
        var queries: [SQLText] = []
        /// How many of them had a name.
        var names = 0
    }

    /// A translator for a query of `className` by someone.
    ///
    /// - Parameter timeLimit: how long the query may look for regular expressions.
    init(className: ClassName, access: Access, timeLimit: Duration = SQLFunctions.longestQuery) {
        self.init(
            dialect: .sqlite, className: className, access: access, nesting: 0, depth: 0,
            deadline: SQLFunctions.deadline(after: timeLimit), whole: Whole())
    }

    /// A translator for a query of `className` in PostgreSQL, by the holder of the master key.
    static func postgres(_ className: ClassName) -> ConditionTranslator {
        // There a statement has a time limit of its own.
        ConditionTranslator(
            dialect: .postgres, className: className, access: .master, nesting: 0, depth: 0, deadline: .max,
            whole: Whole())
    }

    private init(
        dialect: Dialect, className: ClassName, access: Access, nesting: Int, depth: Int, deadline: Int64,
        whole: Whole
    ) {
        self.access = access
        self.nesting = nesting
        self.depth = depth
        self.deadline = deadline
        self.whole = whole
        table = ObjectTable(dialect: dialect, className: className, alias: "t\(nesting)")
    }

    /// The SQL that is true for the objects that fit; a list of conditions means all of them.
    ///
    /// - Throws: ``RegistryError`` with code 102, 105, 106, 111 or 302.
    mutating func translate(_ condition: JSONValue) throws(RegistryError) -> SQL {
        try plan(condition).clause.literal
    }

    /// The tests of a condition with the indexes that they may be led by.
    ///
    /// - Throws: ``RegistryError`` with code 102, 105, 106, 111 or 302.
    mutating func plan(_ condition: JSONValue) throws(RegistryError) -> QueryPlan {
        let terms = try terms(condition)
        return QueryPlan(table: table, terms: terms, nearness: distance)
    }

    private mutating func terms(_ condition: JSONValue) throws(RegistryError) -> [Term] {
        guard depth < Self.deepestNesting else {
            throw RegistryError(.invalidQuery, "The condition is nested more than \(Self.deepestNesting) deep.")
        }
        depth += 1
        defer { depth -= 1 }
        switch condition {
        case .object(let members):
            // Sorted, so that one condition is always read, led and refused in the same way.
            var terms: [Term] = []
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                terms += try entry(key, value)
            }
            return terms
        case .array(let conditions):
            return try each(conditions).flatMap { $0 }
        case .null, .bool, .integer, .number, .string:
            throw RegistryError(.invalidQuery, "A condition is an object or a list of objects.")
        }
    }

    private mutating func entry(_ key: String, _ value: JSONValue) throws(RegistryError) -> [Term] {
        switch key {
        case "$and":
            return try each(try list(value, of: key)).flatMap { $0 }
        case "$or":
            let outer = isOptional
            isOptional = true
            defer { isOptional = outer }
            let branches = try each(try list(value, of: key))
            let clause = SQLText.any(of: branches.map { .all(of: $0.map(\.clause)) })
            return [Term(clause: clause, leads: Lead.union(branches).map { [$0] } ?? [])]
        case "$relatedTo":
            try count()
            return [Term(clause: try related(value))]
        default:
            guard !key.hasPrefix("$") else {
                throw RegistryError(.invalidQuery, "Unknown operator '\(key.prefix(64))'.")
            }
            return try field(try FieldPath(key), value)
        }
    }

    private mutating func each(_ conditions: [JSONValue]) throws(RegistryError) -> [[Term]] {
        var branches: [[Term]] = []
        for condition in conditions {
            try count()
            branches.append(try terms(condition))
        }
        return branches
    }

    private mutating func field(_ path: FieldPath, _ value: JSONValue) throws(RegistryError) -> [Term] {
        guard let members = value.object, members.keys.contains(where: { $0.hasPrefix("$") }) else {
            try count()
            return [try term(path, .equals(try TypedValue(value)))]
        }
        if let stranger = members.keys.filter({ !$0.hasPrefix("$") }).min() {
            throw RegistryError(.invalidQuery, "'\(stranger.prefix(64))' stands among operators.")
        }
        var terms: [Term] = []
        if members["$nearSphere"] != nil {
            let near = try NearSphere(members)
            if !isOptional, distance == nil { distance = near.distance(table, path) }
            terms.append(Term(clause: near.sql(table, path)))
        }
        for (name, argument) in members.sorted(by: { $0.key < $1.key }) {
            guard let known = QueryOperator(rawValue: name) else {
                throw RegistryError(.invalidQuery, "Unknown operator '\(name.prefix(64))'.")
            }
            try count()
            terms += try apply(known, argument, path, members)
        }
        return terms
    }

    /// A test and the index that leads to what passes it.
    func term(_ path: FieldPath, _ predicate: Predicate) throws(RegistryError) -> Term {
        Term(clause: try table.test(path, predicate), leads: table.lead(path, predicate).map { [$0] } ?? [])
    }

    /// Counts tests.
    private func count(_ tests: Int = 1) throws(RegistryError) {
        whole.tests += tests
        guard whole.tests <= Self.mostTerms else {
            throw RegistryError(
                .invalidQuery,
                "The condition has more than \(Self.mostTerms) tests; values of a list that are no text or number count too."
            )
        }
    }

    func list(_ value: JSONValue, of name: String) throws(RegistryError) -> [JSONValue] {
        guard let elements = value.array else { throw RegistryError(.invalidQuery, "\(name) takes a list.") }
        guard elements.count <= 10_000 else {
            throw RegistryError(.invalidQuery, "\(name) takes 10,000 values at most.")
        }
        return elements
    }

    /// The values of `$in` and `$nin`; each that is no plain text or number is a test of its own.
    func values(_ argument: JSONValue, of name: String) throws(RegistryError) -> [TypedValue] {
        var values: [TypedValue] = []
        for element in try list(argument, of: name) {
            let value = try TypedValue(element)
            switch value {
            case .text, .number: break
            case .null, .bool, .date, .pointer, .point, .whole: try count()
            }
            values.append(value)
        }
        return values
    }

    /// The tests of `$all`: one for each value; of no value, one that nothing passes.
    func every(_ argument: JSONValue, _ path: FieldPath) throws(RegistryError) -> [Term] {
        var terms: [Term] = []
        for element in try list(argument, of: "$all") {
            try count()
            terms.append(try term(path, .equals(try TypedValue(element))))
        }
        return terms.isEmpty ? [Term(clause: .any(of: []))] : terms
    }

    /// What of a class a query within this one may see, or else an inner query would tell what an outer one may not.
    ///
    /// - Parameter className: the class; `nil` for objects of any class.
    func readable(_ table: ObjectTable, _ className: ClassName?) throws(RegistryError) -> SQLText? {
        guard let readable = access.readable(table.alias) else { return nil }
        guard let className else {
            return readable
                + SQLText(
                    sql: " AND NOT (\(table.alias).class GLOB 'Bugle*' OR \(table.alias).class GLOB '_*')")
        }
        guard !className.needsMasterKey, !className.isInstallation else {
            throw RegistryError(.forbidden, "Forbidden to query class '\(className)' without the master key.")
        }
        return readable
    }

    /// A translator for a query within this one.
    func inner(_ className: ClassName) -> ConditionTranslator {
        ConditionTranslator(
            dialect: table.dialect, className: className, access: access, nesting: nesting + 1, depth: depth,
            deadline: deadline, whole: whole)
    }

    /// Gives a query within this one its place: SQLite's parser takes no text that is deep, so all that is within the
    /// queries of the outer condition stands before them, one after the other, under names.
    func placed(_ query: SQLText) -> SQLText {
        guard nesting == 0 else {
            whole.names += 1
            whole.queries.append(SQLText(sql: "q\(whole.names) AS (") + query + SQLText(sql: ")"))
            return SQLText(sql: "SELECT * FROM q\(whole.names)")
        }
        defer { whole.queries = [] }
        return whole.queries.isEmpty
            ? query : SQLText(sql: "WITH ") + .list(whole.queries, by: ", ") + SQLText(sql: " ") + query
    }

    /// The test of a regular expression.
    func matches(_ pattern: String, _ options: String) -> Predicate {
        .matches(pattern: pattern, options: options, deadline: deadline)
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
