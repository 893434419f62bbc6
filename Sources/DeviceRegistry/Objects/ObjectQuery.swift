package import Base

/// A query of a class.
///
/// Source: docs/background/leancloud/objects.md#queries.
package struct ObjectQuery: Hashable, Sendable {
    /// The condition; an empty object matches everything.
    package var condition: JSONValue
    /// The maximum number of returned objects, from 0 to 1000.
    package var limit: Int
    /// The number of skipped objects.
    package var skip: Int
    /// Keys to sort by; a leading `-` sorts in descending order. By default: by distance with `$nearSphere`, else by
    /// creation.
    package var order: [String]
    /// Keys to return; a leading `-` excludes one. Empty for all.
    package var keys: [String]
    /// Keys of pointers, with optional dots, whose objects are included.
    package var include: [String]
    /// True to also return the number of all matching objects.
    package var countsAll: Bool
    /// True to return each object's ACL.
    package var showsACL: Bool

    /// Creates a query for the objects that match a condition, by default all, at most 100 of them.
    package init(
        where condition: JSONValue = [:], limit: Int = 100, skip: Int = 0, order: [String] = [], keys: [String] = [],
        include: [String] = [], countsAll: Bool = false, showsACL: Bool = false
    ) {
        self.condition = condition
        self.limit = limit
        self.skip = skip
        self.order = order
        self.keys = keys
        self.include = include
        self.countsAll = countsAll
        self.showsACL = showsACL
    }
}

extension ObjectQuery {
    /// The maximum number of keys to sort by.
    static let mostOrders = 50

    /// Returns the order as SQL, ending with a tie-breaker.
    package func ordering(_ table: ObjectTable, distance: SQLText?) throws(RegistryError) -> SQLText {
        var terms: [SQLText] = []
        for entry in order where !entry.isEmpty {
            let isDescending = entry.hasPrefix("-")
            let columns = try table.order(isDescending ? String(entry.dropFirst()) : entry)
            terms += columns.map { SQLText(sql: table.dialect.ordered($0, isDescending)) }
        }
        guard terms.count <= Self.mostOrders else {
            throw RegistryError(.invalidQuery, "order takes \(Self.mostOrders) keys at most.")
        }
        if terms.isEmpty, let distance { terms.append(distance) }
        terms.append(SQLText(sql: "\(table.alias).id"))
        return SQLText(sql: " ORDER BY ") + .list(terms, by: ", ")
    }

    /// True if reading can stop after the first matches, since the order is that of an index.
    package func stopsEarly(_ plan: QueryPlan) -> Bool {
        guard let first = order.first(where: { !$0.isEmpty }) else { return plan.nearness == nil }
        return ["createdAt", "updatedAt"].contains(first.hasPrefix("-") ? String(first.dropFirst()) : first)
    }

    /// Returns the object with the requested keys.
    package func projected(_ object: JSONValue) -> JSONValue {
        let hidden = keys.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) }
        let shown = keys.filter { !$0.hasPrefix("-") && !$0.isEmpty }
        var result = object
        if !shown.isEmpty {
            result = [:]
            for key in shown + ["objectId", "createdAt", "updatedAt"] + (showsACL ? ["ACL"] : []) {
                Self.copy(key.split(separator: ".").map(String.init)[...], from: object, to: &result)
            }
        }
        for key in hidden { Self.remove(key.split(separator: ".").map(String.init)[...], from: &result) }
        return result
    }

    private static func remove(_ path: ArraySlice<String>, from object: inout JSONValue) {
        guard let key = path.first, var inner = object[key] else { return }
        guard path.count > 1 else {
            object[key] = nil
            return
        }
        guard inner.object != nil else { return }
        remove(path.dropFirst(), from: &inner)
        object[key] = inner
    }

    private static func copy(_ path: ArraySlice<String>, from source: JSONValue, to target: inout JSONValue) {
        guard let key = path.first, let value = source[key] else { return }
        guard path.count > 1 else {
            target[key] = value
            return
        }
        guard value.object != nil else { return }
        var inner = target[key] ?? [:]
        // These identify an included object.
        if value["__type"] == "Pointer" {
            for name in ["__type", "className", "objectId"] { inner[name] = value[name] }
        }
        copy(path.dropFirst(), from: value, to: &inner)
        target[key] = inner
    }
}

// MARK: - Queries

/// The result of a query.
package struct FoundObjects: Hashable, Sendable {
    /// The objects, as clients read them.
    package let results: [JSONValue]
    /// The number of all matching objects, if it was requested.
    package let count: Int?
}

extension Registry {
    /// Returns one object; `nil` when there is none that may be read.
    ///
    /// - Throws: ``RegistryError`` with code 101 when the class does not exist.
    package func object(
        _ objectID: String, in className: ClassName, as access: Access
    ) async throws(RegistryError) -> StoredObject? {
        try await read { db in try ObjectStore(db: db, className: className, access: access).readable(objectID) }
    }

    /// Returns one object as ``find(_:in:as:)`` would: with the keys and the included objects of the query.
    ///
    /// - Throws: ``RegistryError`` with code 101 when the class does not exist, 116 when the response grows too large.
    package func object(
        _ objectID: String, in className: ClassName, shownBy query: ObjectQuery, as access: Access
    ) async throws(RegistryError) -> JSONValue? {
        try await read { db in
            let store = ObjectStore(db: db, className: className, access: access)
            guard let found = try store.readable(objectID) else { return nil }
            var budget = AnswerBudget()
            return try store.shown([found], by: query, &budget).first
        }
    }

    /// Returns the matching objects.
    ///
    /// - Throws: ``RegistryError`` with code 101 when the class does not exist, 116 when the response grows too large,
    ///   124 when it took too long, or the error of an invalid condition.
    package func find(
        _ query: ObjectQuery, in className: ClassName, as access: Access
    ) async throws(RegistryError) -> FoundObjects {
        let (timeLimit, fieldIndexes) = (queryTimeLimit, fieldIndexes)
        let (found, wanted) = try await self.query(query.condition, as: access) { db in
            let store = ObjectStore(db: db, className: className, access: access)
            var translator = ConditionTranslator(
                dialect: db.dialect, className: className, access: access, timeLimit: timeLimit)
            let plan = try translator.plan(query.condition)
            var wanted: [String] = []
            var count: Int?
            if query.countsAll { count = try store.count(plan) { wanted += fieldIndexes.note($0) } }
            // A class in which something was found needs no look.
            guard try count ?? 0 > 0 || store.classExists() else { throw RegistryError.notFound }
            guard query.limit > 0 else { return (FoundObjects(results: [], count: count), wanted) }
            let clause = try plan.clause(in: db, stopsEarly: query.stopsEarly(plan)) { wanted += fieldIndexes.note($0) }
            let request =
                SQLText(sql: "SELECT \(ObjectStore.columns)") + store.selection(clause)
                + (try query.ordering(plan.table, distance: plan.nearness))
                + SQLText(sql: " LIMIT ? OFFSET ?", arguments: [query.limit, query.skip])
            var budget = AnswerBudget()
            let found = try store.objects(request, &budget)
            return (FoundObjects(results: try store.shown(found, by: query, &budget), count: count), wanted)
        }
        if !wanted.isEmpty { index(later: wanted) }
        return found
    }
}

extension ObjectStore {
    /// Returns the object with an id, if the class exists and the object may be read.
    fileprivate func readable(_ objectID: String) throws -> StoredObject? {
        guard try classExists() else { throw RegistryError.notFound }
        guard let object = try object(objectID), allows("read", object) else { return nil }
        return object
    }

    /// Returns the objects of a request, read one by one so that too large a response fails before it is in memory.
    func objects(_ request: SQLText, _ budget: inout AnswerBudget) throws -> [StoredObject] {
        var objects: [StoredObject] = []
        try db.each(request) { row in
            objects.append(try StoredObject(row, &budget))
            return true
        }
        return objects
    }

    /// Returns the objects as clients read them, with the query's included objects and without its excluded keys.
    func shown(_ objects: [StoredObject], by query: ObjectQuery, _ budget: inout AnswerBudget) throws -> [JSONValue] {
        let whole = objects.map { $0.json(withACL: query.showsACL) }
        return try Inclusion(db: db, access: access).expanded(whole, query.include, &budget).map(query.projected)
    }
}

extension StoredObject {
    /// Reads an object if the response has room for it.
    init(_ row: any SQLRow, _ budget: inout AnswerBudget) throws {
        try budget.spend(row.text(4)?.utf8.count ?? 0)
        try self.init(row)
    }
}

/// The limit on the size of a response while it is built.
struct AnswerBudget {
    /// The maximum size of all objects together: four times the largest object.
    static let mostBytes = 4 * DocumentDraft.mostBytes
    private var left = mostBytes

    /// Counts an object.
    ///
    /// - Throws: ``RegistryError`` with code 116 when the limit is exceeded.
    mutating func spend(_ bytes: Int) throws(RegistryError) {
        left -= bytes
        guard left >= 0 else {
            throw RegistryError(
                .objectTooLarge, "The answer is larger than \(Self.mostBytes >> 20) MB: ask for fewer objects.")
        }
    }
}

/// Replaces pointers by the objects that they refer to.
///
/// An expanded pointer keeps `"__type": "Pointer"` and its class beside the object's fields. A pointer whose object
/// does not exist, or may not be read, is left unchanged. Source:
/// docs/background/leancloud/objects.md#included-objects.
struct Inclusion {
    let db: any RegistryTransaction
    let access: Access

    /// The maximum number of segments in a path.
    static let deepest = 8
    /// The maximum number of paths in a query.
    static let mostPaths = 50

    /// The keys to expand, and those below each.
    private struct Branch {
        var children: [String: Branch] = [:]

        mutating func insert(_ path: ArraySlice<String>) {
            guard let first = path.first else { return }
            children[first, default: Branch()].insert(path.dropFirst())
        }
    }

    /// A pointer's class and object.
    private struct Target: Hashable {
        let className: String
        let objectID: String

        init?(_ value: JSONValue) {
            guard value["__type"] == "Pointer", let name = value["className"]?.string,
                let objectID = value["objectId"]?.string
            else { return nil }
            className = name
            self.objectID = objectID
        }
    }

    /// An object in the form that replaces a pointer, and its size in bytes.
    private struct Content {
        let object: JSONValue
        let size: Int
    }

    /// Returns the objects with the pointers in `paths` expanded.
    ///
    /// - Throws: ``RegistryError`` with code 105 for paths that are too many or too deep, 116 when the response grows
    ///   too large.
    func expanded(_ objects: [JSONValue], _ paths: [String], _ budget: inout AnswerBudget) throws -> [JSONValue] {
        guard !paths.isEmpty else { return objects }
        var root = Branch()
        for path in paths {
            let parts = path.split(separator: ".").map(String.init)
            guard paths.count <= Self.mostPaths, (1...Self.deepest).contains(parts.count) else {
                throw RegistryError(
                    .invalidKey, "include takes \(Self.mostPaths) keys of \(Self.deepest) parts at most.")
            }
            root.insert(parts[...])
        }
        return try expanded(objects, root, &budget)
    }

    private func expanded(_ values: [JSONValue], _ branch: Branch, _ budget: inout AnswerBudget) throws -> [JSONValue] {
        var values = values
        for (key, below) in branch.children.sorted(by: { $0.key < $1.key }) {
            let found = try objects(Set(values.flatMap { Self.targets($0[key]) }), below, &budget)
            for index in values.indices {
                guard let value = values[index][key] else { continue }
                values[index][key] = try replaced(value, found, below, &budget)
            }
        }
        return values
    }

    private static func targets(_ value: JSONValue?) -> [Target] {
        guard let value else { return [] }
        return (value.array ?? [value]).compactMap(Target.init)
    }

    private func replaced(
        _ value: JSONValue, _ found: [Target: Content], _ below: Branch, _ budget: inout AnswerBudget
    ) throws -> JSONValue {
        if let elements = value.array {
            var result: [JSONValue] = []
            for element in elements { result.append(try replaced(element, found, below, &budget)) }
            return .array(result)
        }
        if let target = Target(value) {
            guard let content = found[target] else { return value }
            try budget.spend(content.size)
            return content.object
        }
        // A plain object on the path: the pointers are deeper.
        guard value.object != nil, !below.children.isEmpty else { return value }
        return try expanded([value], below, &budget)[0]
    }

    private func objects(
        _ targets: Set<Target>, _ below: Branch, _ budget: inout AnswerBudget
    ) throws -> [Target: Content] {
        var found: [Target: Content] = [:]
        for (name, targets) in Dictionary(grouping: targets, by: \.className).sorted(by: { $0.key < $1.key }) {
            guard let className = try? ClassName(name),
                access == .master || !(className.needsMasterKey || className.isInstallation)
            else { continue }
            let store = ObjectStore(db: db, className: className, access: access)
            // No id holds a NUL, which PostgreSQL would refuse.
            let ids = targets.map(\.objectID).filter { !$0.utf8.contains(0) }
            let isNamed = SQLText(sql: "t0.objectId \(db.dialect.isOneOf)", arguments: [SQLValue.texts(ids)])
            let objects = try store.objects(
                SQLText(sql: "SELECT \(ObjectStore.columns)") + store.selection(isNamed), &budget)
            let shown = try expanded(objects.map { $0.json() }, below, &budget)
            for var object in shown {
                object["__type"] = "Pointer"
                object["className"] = .string(name)
                guard let target = Target(object) else { continue }
                found[target] = Content(object: object, size: object.canonicalByteCount)
            }
        }
        return found
    }
}
