internal import GRDB
package import JSONValue

/// What a write did.
package struct WrittenObject: Hashable, Sendable {
    /// The object as it is now.
    package let object: StoredObject
    /// Whether it was created.
    package let isNew: Bool
    /// The keys that were written.
    package let changedKeys: Set<String>
}

extension Registry {
    /// Creates an object; a device that is known already is updated instead.
    ///
    /// A device is known by `objectId`, else by `installationId`, else by `deviceToken`. The class is created with its
    /// first object.
    ///
    /// - Throws: ``RegistryError`` with code 105, 106, 111, 112, 114, 116, 137, 302 or 403.
    package func create(
        _ members: [String: JSONValue], in className: ClassName, as access: Access, at now: Timestamp
    ) async throws(RegistryError) -> WrittenObject {
        try await write { db in
            let store = ObjectStore(db: db, className: className, access: access)
            if className.isInstallation, let known = try Self.device(members, store) {
                guard access.allows("write", known) else { throw RegistryError.forbidden }
                return try Self.write(members, to: known, store, at: now)
            }
            var change = DocumentChange()
            try change.apply(members)
            var objectID = ObjectID.object()
            if className.isInstallation {
                change.setDefault("valid", true)
                if let given = members["objectId"]?.string, isIdentifier("_" + given), given.utf8.count <= 64 {
                    objectID = given
                }
            }
            let object = try store.insert(change, objectID: objectID, at: now)
            return WrittenObject(object: object, isNew: true, changedKeys: change.changedKeys)
        }
    }

    /// Changes an object; with a condition, only if the object fits it at that instant.
    ///
    /// - Throws: ``RegistryError`` with code 101 or 211 for no such object, 305 when the condition does not hold, 403,
    ///   or what ``create(_:in:as:at:)`` throws.
    package func update(
        _ objectID: String, in className: ClassName, with members: [String: JSONValue],
        where condition: JSONValue? = nil, as access: Access, at now: Timestamp
    ) async throws(RegistryError) -> WrittenObject {
        try await write { db in
            let store = ObjectStore(db: db, className: className, access: access)
            let object = try Self.writable(objectID, store, where: condition)
            return try Self.write(members, to: object, store, at: now)
        }
    }

    /// Removes an object; with a condition, only if the object fits it at that instant.
    ///
    /// - Throws: ``RegistryError`` with code 101 or 211 for no such object, 305 when the condition does not hold, 403.
    package func delete(
        _ objectID: String, in className: ClassName, where condition: JSONValue? = nil, as access: Access
    ) async throws(RegistryError) {
        try await write { db in
            let store = ObjectStore(db: db, className: className, access: access)
            try store.remove(try Self.writable(objectID, store, where: condition))
        }
    }

    /// One object; `nil` when there is none that may be read.
    ///
    /// - Throws: ``RegistryError`` with code 101 when the class does not exist.
    package func object(
        _ objectID: String, in className: ClassName, as access: Access
    ) async throws(RegistryError) -> StoredObject? {
        try await read { db in
            let store = ObjectStore(db: db, className: className, access: access)
            guard try store.classExists() else { throw RegistryError.notFound }
            guard let object = try store.object(objectID), access.allows("read", object) else { return nil }
            return object
        }
    }

    /// The objects that fit.
    ///
    /// - Throws: ``RegistryError`` with code 101 when the class does not exist, 124 when it took too long, or what a
    ///   condition that cannot be read gives.
    package func find(
        _ query: ObjectQuery, in className: ClassName, as access: Access
    ) async throws(RegistryError) -> FoundObjects {
        let (timeLimit, fieldIndexes) = (queryTimeLimit, fieldIndexes)
        let (found, wanted) = try await self.query(query.condition) { db in
            let store = ObjectStore(db: db, className: className, access: access)
            guard try store.classExists() else { throw RegistryError.notFound }
            var translator = ConditionTranslator(className: className, access: access, timeLimit: timeLimit)
            let plan = try translator.plan(query.condition)
            var wanted: [String] = []
            var count: Int?
            if query.countsAll { count = try store.count(plan) { wanted += fieldIndexes.note($0) } }
            guard query.limit > 0 else { return (FoundObjects(results: [], count: count), wanted) }
            let clause = try plan.clause(in: db, stopsEarly: query.stopsEarly(plan)) { wanted += fieldIndexes.note($0) }
            let request = SQLRequest<Row>(
                literal: SQL(sql: "SELECT \(ObjectStore.columns)") + store.selection(clause)
                    + (try query.ordering(plan.table, distance: plan.distance))
                    + SQL(sql: " LIMIT ? OFFSET ?", arguments: [query.limit, query.skip]), cached: true)
            let results = try Row.fetchAll(db, request).map { row in
                query.projected(try StoredObject(row).json(withACL: query.showsACL))
            }
            return (FoundObjects(results: results, count: count), wanted)
        }
        if !wanted.isEmpty { index(later: wanted) }
        return found
    }

    private static func write(
        _ members: [String: JSONValue], to object: StoredObject, _ store: ObjectStore, at now: Timestamp
    ) throws -> WrittenObject {
        var change = DocumentChange(object.fields)
        try change.apply(members)
        let written = try store.replace(object, with: change, at: now)
        return WrittenObject(object: written, isNew: false, changedKeys: change.changedKeys)
    }

    private static func writable(
        _ objectID: String, _ store: ObjectStore, where condition: JSONValue?
    ) throws -> StoredObject {
        guard let object = try store.object(objectID), store.access.allows("read", object) else {
            if condition != nil { throw RegistryError.noEffect }
            if store.className == .user { throw RegistryError(.userNotFound, "Could not find user.") }
            throw RegistryError.notFound
        }
        guard store.access.allows("write", object) else { throw RegistryError.forbidden }
        if let condition, try !store.fits(object, condition) { throw RegistryError.noEffect }
        return object
    }

    private static func device(_ members: [String: JSONValue], _ store: ObjectStore) throws -> StoredObject? {
        for key in ["objectId", "installationId", "deviceToken"] {
            guard let value = members[key]?.string, !value.isEmpty else { continue }
            if let object = try store.first(SQL(sql: "t0.\(key) = ?", arguments: [value])) { return object }
        }
        return nil
    }
}
