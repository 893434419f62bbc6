internal import Base

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
        case .within: return [Term(clause: try Box(argument).sql(table, path))]
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
