package import Base

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
        let (found, wanted) = try await self.query(query.condition) { db in
            let store = ObjectStore(db: db, className: className, access: access)
            guard try store.classExists() else { throw RegistryError.notFound }
            var translator = ConditionTranslator(
                dialect: db.dialect, className: className, access: access, timeLimit: timeLimit)
            let plan = try translator.plan(query.condition)
            var wanted: [String] = []
            var count: Int?
            if query.countsAll { count = try store.count(plan) { wanted += fieldIndexes.note($0) } }
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
    func shown(
        _ objects: [StoredObject], by query: ObjectQuery, _ budget: inout AnswerBudget
    ) throws -> [JSONValue] {
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
