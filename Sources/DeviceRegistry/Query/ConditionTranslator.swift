package import Base

/// Translates a `where` of LeanCloud's query language into SQL, for either database.
///
/// Keys are validated and written into the text; every value is a bound parameter.
/// Source: docs/background/leancloud/objects.md#queries.
package struct ConditionTranslator {
    let table: ObjectTable
    /// The distance that `$nearSphere` orders by, if the condition has one that must hold.
    private(set) var distance: SQLText?

    private let access: Access
    private let nesting: Int
    private let deadline: Int64
    private let whole: Whole
    private var depth: Int
    private var isOptional = false

    /// The time limit of a query.
    ///
    /// Source: the server's own limit; a query that takes longer gets code 124.
    package static let timeLimit = Duration.seconds(10)
    static let deepestNesting = 16
    /// The maximum number of tests in a condition, including its subqueries: SQLite accepts expressions up to a
    /// thousand levels deep, and a chain of tests has a level for each.
    static let mostTerms = 500

    /// The state that a condition shares with its subqueries.
    private final class Whole {
        var tests = 0
        /// The subqueries below the outer query's own, each after those that it depends on.
        var queries: [SQLText] = []
        var names = 0
    }

    /// Creates a translator for a query of `className` with the given access; `timeLimit` limits regular expressions.
    package init(dialect: Dialect = .sqlite, className: ClassName, access: Access, timeLimit: Duration = timeLimit) {
        self.init(
            dialect: dialect, className: className, access: access, nesting: 0, depth: 0,
            deadline: RegularExpression.deadline(after: timeLimit), whole: Whole())
    }

    /// Returns a translator for a query of `className` in PostgreSQL, by the holder of the master key.
    package static func postgres(_ className: ClassName) -> ConditionTranslator {
        // PostgreSQL has a time limit per statement.
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

    /// Returns the tests of a condition with the indexes that may drive them; a list of conditions means all of them.
    ///
    /// - Throws: ``RegistryError`` with code 102, 105, 106, 111 or 302.
    package mutating func plan(_ condition: JSONValue) throws(RegistryError) -> QueryPlan {
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
            // Sorted, so that a condition is always parsed, planned and rejected in the same way.
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
            throw RegistryError(.invalidQuery, "'\(stranger.prefix(64))' is mixed with operators.")
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

    /// Returns a test and the index that finds its matches.
    func term(_ path: FieldPath, _ predicate: Predicate) throws(RegistryError) -> Term {
        Term(clause: try table.test(path, predicate), leads: table.lead(path, predicate).map { [$0] } ?? [])
    }

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

    /// Returns the values of `$in` and `$nin`; each that is not a plain string or number counts as a test of its own.
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

    /// Returns the tests of `$all`: one for each value; for no values one that always fails.
    func every(_ argument: JSONValue, _ path: FieldPath) throws(RegistryError) -> [Term] {
        var terms: [Term] = []
        for element in try list(argument, of: "$all") {
            try count()
            terms.append(try term(path, .equals(try TypedValue(element))))
        }
        return terms.isEmpty ? [Term(clause: .any(of: []))] : terms
    }

    /// Returns the restriction on a class in a subquery; without it, a subquery could reveal objects that the requester
    /// may not read.
    ///
    /// With `nil` for `className`, it is for objects of any class.
    func readable(_ table: ObjectTable, _ className: ClassName?) throws(RegistryError) -> SQLText? {
        guard let readable = access.readable(table.alias, table.dialect) else { return nil }
        guard let className else {
            let name = "\(table.alias).class"
            return readable + SQLText(sql: " AND NOT (substr(\(name), 1, 5) = 'Bugle' OR substr(\(name), 1, 1) = '_')")
        }
        guard !className.needsMasterKey, !className.isInstallation else {
            throw RegistryError(.forbidden, "Forbidden to query class '\(className)' without the master key.")
        }
        return readable
    }

    func inner(_ className: ClassName) -> ConditionTranslator {
        ConditionTranslator(
            dialect: table.dialect, className: className, access: access, nesting: nesting + 1, depth: depth,
            deadline: deadline, whole: whole)
    }

    /// Places a subquery: SQLite's parser rejects deep nesting, so nested subqueries come before the outer query's own,
    /// one after the other, under names.
    package func placed(_ query: SQLText) -> SQLText {
        guard nesting == 0 else {
            whole.names += 1
            whole.queries.append(SQLText(sql: "q\(whole.names) AS (") + query + SQLText(sql: ")"))
            return SQLText(sql: "SELECT * FROM q\(whole.names)")
        }
        defer { whole.queries = [] }
        return whole.queries.isEmpty
            ? query : SQLText(sql: "WITH ") + .list(whole.queries, by: ", ") + SQLText(sql: " ") + query
    }

    /// Returns the predicate of a regular expression.
    func matches(_ pattern: String, _ options: String) -> Predicate {
        .matches(pattern: pattern, options: options, deadline: deadline)
    }
}

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

// MARK: - Operators

extension ConditionTranslator {
    /// Translates one operator of a key; returns no test for an operator that another one has handled already.
    func apply(
        _ name: QueryOperator, _ argument: JSONValue, _ path: FieldPath, _ siblings: JSONObject
    ) throws(RegistryError) -> [Term] {
        switch name {
        case .notEqual: return [Term(clause: try table.test(path, .equals(try TypedValue(argument))).negated)]
        case .greater: return [try term(path, .compares(.greater, try TypedValue(argument)))]
        case .greaterOrEqual: return [try term(path, .compares(.greaterOrEqual, try TypedValue(argument)))]
        case .less: return [try term(path, .compares(.less, try TypedValue(argument)))]
        case .lessOrEqual: return [try term(path, .compares(.lessOrEqual, try TypedValue(argument)))]
        case .isIn: return [try term(path, .isIn(try values(argument, of: "$in")))]
        case .notIn: return [Term(clause: try table.test(path, .isIn(try values(argument, of: "$nin"))).negated)]
        case .all: return try every(argument, path)
        case .exists: return [Term(clause: try exists(argument, path))]
        case .size: return [Term(clause: try size(argument, path))]
        case .regularExpression: return [Term(clause: try regularExpression(argument, path, siblings))]
        case .within: return [Term(clause: try within(argument, path))]
        case .inQuery: return [try subquery(argument, path)]
        case .notInQuery: return [Term(clause: try subquery(argument, path).clause.negated)]
        case .select: return [Term(clause: try selection(argument, path))]
        case .dontSelect: return [Term(clause: try selection(argument, path).negated)]
        case .nearSphere: return []
        case .options: return try require(.regularExpression, siblings, for: name)
        case .maxDistance, .maxDistanceInRadians, .maxDistanceInMiles, .maxDistanceInKilometers, .minDistance:
            return try require(.nearSphere, siblings, for: name)
        }
    }

    private func require(
        _ needed: QueryOperator, _ siblings: JSONObject, for name: QueryOperator
    ) throws(RegistryError) -> [Term] {
        guard siblings[needed.rawValue] != nil else {
            throw RegistryError(.invalidQuery, "\(name.rawValue) needs \(needed.rawValue) next to it.")
        }
        return []
    }

    private func exists(_ argument: JSONValue, _ path: FieldPath) throws(RegistryError) -> SQLText {
        guard let wanted = argument.bool else { throw RegistryError(.invalidQuery, "$exists takes true or false.") }
        if table.timeColumn(of: path) != nil || path.simpleKey == "objectId" {
            return SQLText(sql: wanted ? "TRUE" : "FALSE")
        }
        return SQLText(sql: "\(table.operand(path).type) IS \(wanted ? "NOT " : "")NULL")
    }

    private func size(_ argument: JSONValue, _ path: FieldPath) throws(RegistryError) -> SQLText {
        guard let count = argument.integer, count >= 0 else {
            throw RegistryError(.invalidQuery, "$size takes a whole number from 0.")
        }
        return table.dialect.hasCount(count, of: "\(table.alias).document", at: path)
    }

    private func regularExpression(
        _ argument: JSONValue, _ path: FieldPath, _ siblings: JSONObject
    ) throws(RegistryError) -> SQLText {
        guard let text = argument.string else { throw RegistryError(.invalidQuery, "$regex takes a text.") }
        let pattern = try TypedValue.withoutNUL(text)
        guard let options = (siblings["$options"] ?? "").string else {
            throw RegistryError(.invalidQuery, "$options takes a text.")
        }
        _ = try RegularExpression.compiled(pattern, options)
        return try table.test(path, matches(pattern, options))
    }

    /// `$within`: places in `{"$box": [south-west, north-east]}`; a box whose west is east of its east crosses the 180th
    /// meridian.
    private func within(_ argument: JSONValue, _ path: FieldPath) throws(RegistryError) -> SQLText {
        guard let corners = argument["$box"]?.array, corners.count == 2, argument.object?.count == 1 else {
            throw RegistryError(.invalidQuery, "$within takes a $box of two GeoPoints.")
        }
        let (southWest, northEast) = (try GeoPoint(corners[0]), try GeoPoint(corners[1]))
        let operand = table.operand(path)
        let longitude = operand.degrees("longitude")
        let crosses = southWest.longitude > northEast.longitude
        return SQLText(
            sql: """
                (\(operand.member("__type")) = 'GeoPoint' AND \(operand.degrees("latitude")) BETWEEN ? AND ? \
                AND (\(longitude) >= ? \(crosses ? "OR" : "AND") \(longitude) <= ?))
                """,
            arguments: [southWest.latitude, northEast.latitude, southWest.longitude, northEast.longitude])
    }

    /// `$inQuery`: pointers to objects that match a condition.
    ///
    /// The short form has only the condition: each pointer names its own class. A `limit` of the subquery is applied;
    /// without one there is none, whereas LeanCloud stops at 100.
    private func subquery(_ argument: JSONValue, _ path: FieldPath) throws(RegistryError) -> Term {
        guard let members = argument.object else { throw RegistryError(.invalidQuery, "$inQuery takes an object.") }
        let operand = table.operand(path)
        let pointer = SQLText(sql: " AND \(operand.member("__type")) = 'Pointer')")
        guard let name = members["className"] else {
            let condition = members["where"] ?? argument
            let source = try rows(of: nil, condition, limits: [:], columns: ["class", "objectId"])
            let clause =
                SQLText(sql: "((\(operand.member("className")), \(operand.member("objectId"))) IN (") + source
                + SQLText(sql: ")") + pointer
            return Term(clause: clause, leads: table.lead(path, pointersTo: source))
        }
        let className = try Self.className(name)
        let source = try rows(of: className, members["where"] ?? [:], limits: members, columns: ["objectId"])
        let clause =
            SQLText(sql: "(\(operand.member("objectId")) IN (") + source
            + SQLText(sql: ") AND \(operand.member("className")) = ?", arguments: [className.name]) + pointer
        return Term(clause: clause, leads: table.lead(path, pointersTo: source))
    }

    /// `$select`: the values of a key in another class's objects.
    private func selection(_ argument: JSONValue, _ path: FieldPath) throws(RegistryError) -> SQLText {
        guard let query = argument["query"], let name = query["className"], let key = argument["key"]?.string else {
            throw RegistryError(.invalidQuery, "$select takes a query with a className, and a key.")
        }
        let className = try Self.className(name)
        let selected = try FieldPath(key)
        let (condition, limits) = (query["where"] ?? [:], query.object ?? [:])
        guard selected.simpleKey != "objectId" else {
            let ids = try rows(of: className, condition, limits: limits, columns: ["objectId"])
            return try table.test(
                path,
                .selected(
                    SQLText(sql: "SELECT \(table.dialect.typedText(of: "objectId")) FROM (") + ids + SQLText(sql: ")")))
        }
        let documents = try rows(of: className, condition, limits: limits, columns: ["document"])
        let source =
            SQLText(sql: "SELECT \(table.dialect.element("v").typedText) FROM (") + documents
            + SQLText(sql: ") AS d, \(table.dialect.values(of: "d.document", at: selected)) AS v")
        return try table.test(path, .selected(source))
    }

    /// Returns the test for the objects of a relation.
    func related(_ argument: JSONValue) throws(RegistryError) -> SQLText {
        guard let owner = argument["object"]?.object, let key = argument["key"]?.string else {
            throw RegistryError(.invalidQuery, "$relatedTo takes an object and a key.")
        }
        let (ownerClass, ownerID) = try TypedValue.pointer(owner)
        // The members of a relation are not revealed when its owner may not be read.
        let holder = inner(ownerClass).table
        var isReadable = SQLText(sql: "TRUE")
        if let readable = try readable(holder, ownerClass) {
            isReadable =
                SQLText(
                    sql: "EXISTS (SELECT 1 FROM \(holder.source) WHERE \(holder.alias).class = ? AND ",
                    arguments: [ownerClass.name])
                + SQLText(sql: "\(holder.alias).objectId = ? AND ", arguments: [ownerID]) + readable + SQLText(sql: ")")
        }
        return isReadable
            + SQLText(
                sql: """
                     AND \(table.alias).objectId IN (SELECT targetId FROM relation \
                    WHERE ownerClass = ? AND ownerId = ? AND key = ? AND targetClass = ?)
                    """,
                arguments: [
                    ownerClass.name, try TypedValue.withoutNUL(ownerID), try TypedValue.withoutNUL(key),
                    table.className.name,
                ])
    }

    /// Selects columns of the matching objects of a class, or of every class except devices.
    private func rows(
        of className: ClassName?, _ condition: JSONValue, limits: JSONObject, columns: [String]
    ) throws(RegistryError) -> SQLText {
        var translator = inner(className ?? .user)
        let plan = try translator.plan(condition)
        let source = plan.table
        let names = columns.map { "\(source.alias).\($0) AS \($0)" }.joined(separator: ", ")
        var sql = SQLText(sql: "SELECT \(names) FROM \(source.source) WHERE ")
        if let className, !className.isInstallation {
            sql += SQLText(sql: "\(source.alias).class = ? AND ", arguments: [className.name])
        }
        if let readable = try readable(source, className) { sql += readable + SQLText(sql: " AND ") }
        sql += plan.ledClause
        if let limit = limits["limit"]?.integer, (1...1000).contains(limit) {
            let skip = max(0, limits["skip"]?.integer ?? 0)
            sql += SQLText(
                sql: " ORDER BY \(source.alias).id LIMIT ? OFFSET ?",
                arguments: [Int64(limit), Int64(skip)])
        }
        return placed(sql)
    }

    private static func className(_ value: JSONValue) throws(RegistryError) -> ClassName {
        guard let name = value.string else { throw RegistryError(.invalidClassName, "className is a text.") }
        return try ClassName(name)
    }
}
