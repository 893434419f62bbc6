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
    /// The class is created with its first object.
    ///
    /// - Parameter androidIsValid: what `valid` is on a new Android device that does not say; default yes.
    /// - Throws: ``RegistryError`` with code 105, 106, 111, 112, 114, 116, 117, 137, 302 or 403.
    package func create(
        _ members: [String: JSONValue], in className: ClassName, as access: Access, at now: Timestamp,
        androidIsValid: Bool = true
    ) async throws(RegistryError) -> WrittenObject {
        try await write { db in
            let store = ObjectStore(db: db, className: className, access: access)
            let members = Self.permitted(members, store)
            guard !className.isInstallation else {
                return try DeviceRegistration(store: store, members: members, androidIsValid: androidIsValid)
                    .run(at: now)
            }
            var change = DocumentChange()
            try change.apply(members)
            let object = try store.insert(change, objectID: ObjectID.object(), at: now)
            return WrittenObject(object: object, isNew: true, changedKeys: change.changedKeys)
        }
    }

    /// Changes an object; with a condition, only if the object fits it at that instant.
    ///
    /// - Throws: ``RegistryError`` with code 101 or 211 for no such object, 117 for what does not change, 305 when the
    ///   condition does not hold, 403, or what ``create(_:in:as:at:)`` throws.
    package func update(
        _ objectID: String, in className: ClassName, with members: [String: JSONValue],
        where condition: JSONValue? = nil, as access: Access, at now: Timestamp
    ) async throws(RegistryError) -> WrittenObject {
        try await rehearse(condition, on: objectID, in: className, as: access)
        return try await write { db in
            let store = ObjectStore(db: db, className: className, access: access)
            let object = try Self.writable(objectID, store, where: condition)
            return try store.write(Self.permitted(members, store), to: object, at: now)
        }
    }

    /// Removes an object; with a condition, only if the object fits it at that instant.
    ///
    /// - Throws: ``RegistryError`` with code 101 or 211 for no such object, 305 when the condition does not hold, 403.
    package func delete(
        _ objectID: String, in className: ClassName, where condition: JSONValue? = nil, as access: Access
    ) async throws(RegistryError) {
        try await rehearse(condition, on: objectID, in: className, as: access)
        try await write { db in
            let store = ObjectStore(db: db, className: className, access: access)
            try store.remove(try Self.writable(objectID, store, where: condition))
        }
    }

    /// Decides the condition of a change beside other changes first: one that is slow must not hold them up.
    private func rehearse(
        _ condition: JSONValue?, on objectID: String, in className: ClassName, as access: Access
    ) async throws(RegistryError) {
        guard let condition else { return }
        let limit = min(queryTimeLimit, Self.changeTimeLimit)
        try await query(condition, within: limit) { db in
            let store = ObjectStore(db: db, className: className, access: access)
            if let object = try store.object(objectID) { _ = try store.fits(object, condition, within: limit) }
        }
    }

    /// What of a body is written.
    ///
    /// A client's ACL for a device is left out: nobody signs in here, so one that names a user would lock the device out.
    private static func permitted(_ members: [String: JSONValue], _ store: ObjectStore) -> [String: JSONValue] {
        guard store.className.isInstallation, store.access == .client else { return members }
        return members.filter { $0.key != "ACL" }
    }

    private static func writable(
        _ objectID: String, _ store: ObjectStore, where condition: JSONValue?
    ) throws -> StoredObject {
        guard let object = try store.object(objectID), store.allows("read", object) else {
            if condition != nil { throw RegistryError.noEffect }
            if store.className == .user { throw RegistryError(.userNotFound, "Could not find user.") }
            throw RegistryError.notFound
        }
        guard store.allows("write", object) else { throw RegistryError.forbidden }
        if let condition, try !store.fits(object, condition, within: changeTimeLimit) { throw RegistryError.noEffect }
        return object
    }
}
