package import Base
package import Push
internal import Synchronization

/// The result of a write.
package struct WrittenObject: Hashable, Sendable {
    /// The object after the write.
    package let object: StoredObject
    /// True if the object was created.
    package let isNew: Bool
    /// The keys that were written.
    package let changedKeys: Set<String>
}

extension Registry {
    /// Creates an object; a known device is updated instead.
    ///
    /// The class is created with its first object. The `valid` of a new Android device defaults to
    /// `androidIsValid`, which is true by default.
    ///
    /// - Throws: ``RegistryError`` with code 105, 106, 111, 112, 114, 116, 117, 124, 137, 302 or 403.
    package func create(
        _ members: JSONObject, in className: ClassName, as access: Access, at now: Instant,
        androidIsValid: Bool = true
    ) async throws(RegistryError) -> WrittenObject {
        guard !className.isInstallation else {
            return try await register(
                DeviceRegistration(members: members, access: access, androidIsValid: androidIsValid, time: now))
        }
        return try await change(className, as: access) { store in
            var change = DocumentChange(until: store.end)
            try change.apply(members)
            return try store.addition(of: change, as: ObjectID.object(), at: now)
        }
    }

    /// Registers a device: together with others that wait if it can be, else alone.
    private func register(_ registration: DeviceRegistration) async throws(RegistryError) -> WrittenObject {
        if let written = try await registerTogether(registration) { return written }
        let names = ["deviceToken", "installationId", "objectId"]
        let name = names.lazy.compactMap { registration.members[$0]?.string }.first { !$0.isEmpty }
        return try await change(.installation, named: name, as: registration.access) { store in
            try registration.prepared(in: store)
        }
    }

    /// Changes an object; with a condition, only if the object matches it at that moment.
    ///
    /// A missing device is registered, if the members give its type: clients keep their id for good, and their row may
    /// have been cleaned up, or was never copied. The `valid` of a new Android device defaults to
    /// `androidIsValid`, which is true by default.
    ///
    /// - Throws: ``RegistryError`` with code 101 or 211 when there is no such object, 117 for a read-only key, 305 when
    ///   the condition does not hold, 403, or what ``create(_:in:as:at:)`` throws.
    package func update(
        _ objectID: String, in className: ClassName, with members: JSONObject,
        where condition: JSONValue? = nil, as access: Access, at now: Instant, androidIsValid: Bool = true
    ) async throws(RegistryError) -> WrittenObject {
        try await change(className, objectID, where: condition, as: access) { store in
            let permitted = try Self.permitted(members, store)
            do {
                let (object, basis) = try Self.writable(objectID, store, where: condition)
                return try store.change(object, [basis], by: permitted, at: now)
            } catch let error as RegistryError where error == .notFound && className.isInstallation {
                return try DeviceRegistration(
                    members: members, access: access, androidIsValid: androidIsValid, time: now
                ).prepared(in: store, under: objectID)
            }
        }
    }

    /// Removes objects, all or none; with a condition, only if each matches it at that moment.
    ///
    /// With several ids, missing objects count as removed.
    ///
    /// - Throws: ``RegistryError`` with code 101 or 211 when none exists, 305 when the condition does not hold, 403.
    package func delete(
        _ objectIDs: [String], in className: ClassName, where condition: JSONValue? = nil, as access: Access
    ) async throws(RegistryError) {
        let single = objectIDs.count == 1 ? objectIDs[0] : nil
        try await change(className, single, where: condition, as: access) { store in
            var objects: [StoredObject] = []
            var basis: [LookUp] = []
            var absence: RegistryError?
            for id in Set(objectIDs).sorted() {
                do {
                    let (object, lookUp) = try Self.writable(id, store, where: condition)
                    objects.append(object)
                    basis.append(lookUp)
                } catch let error as RegistryError where error.code == .notFound || error.code == .userNotFound {
                    absence = error
                }
            }
            if objects.isEmpty, let absence { throw absence }
            return PreparedChange(basis: basis) { [objects] store in
                for object in objects { try store.remove(object) }
            }
        }
    }

    /// The maximum number of attempts; from the second one on no other change to the object itself can interfere.
    private static let mostAttempts = 100

    /// Computes a change outside the queue of changes and runs it in the queue; starts over if its preconditions have
    /// changed meanwhile.
    ///
    /// Changes to one object, or with one `name` (an identifier that a device sends), are serialized, so that they do
    /// not invalidate each other.
    ///
    /// - Throws: ``RegistryError`` with code 124 when either step takes too long, or what `prepare` throws.
    private func change<Value: Sendable>(
        _ className: ClassName, _ objectID: String? = nil, named name: String? = nil, where condition: JSONValue? = nil,
        as access: Access, _ prepare: @escaping @Sendable (ObjectStore) throws -> PreparedChange<Value>
    ) async throws(RegistryError) -> Value {
        // A change that waits for an object holds no other object, so there can be no deadlock.
        if let name { await turns.take(.name(name)) }
        defer { if let name { turns.giveBack(.name(name)) } }
        var known = objectID
        for _ in 0..<Self.mostAttempts {
            let turn = known.map { Turns.Thing.object(className, $0) }
            if let turn { await turns.take(turn) }
            defer { if let turn { turns.giveBack(turn) } }
            let prepared = try await prepared(className, condition, access, prepare)
            let limit = changeTimeLimit
            let value = try await write { db in
                let end = ContinuousClock.now + limit
                return try prepared.run(in: ObjectStore(db: db, className: className, access: access, end: end))
            }
            if let value { return value }
            known = prepared.basis.last?.object?.objectID ?? objectID
        }
        throw RegistryError.late
    }

    /// Computes a change on one snapshot.
    private func prepared<Value: Sendable>(
        _ className: ClassName, _ condition: JSONValue?, _ access: Access,
        _ prepare: @escaping @Sendable (ObjectStore) throws -> PreparedChange<Value>
    ) async throws(RegistryError) -> PreparedChange<Value> {
        let limit = queryTimeLimit
        let work: @Sendable (any RegistryTransaction) throws -> PreparedChange<Value> = { db in
            let end = ContinuousClock.now + limit
            return try prepare(ObjectStore(db: db, className: className, access: access, end: end))
        }
        guard let condition else { return try await database.read(.toTheEnd, work) }
        return try await query(condition, as: access, work)
    }

    /// Returns the members of a body that may be written.
    ///
    /// A client's ACL for a device is ignored: nobody signs in here, so an ACL that names a user would lock the device
    /// out.
    ///
    /// - Throws: ``RegistryError`` with code 116 when they are too large for the object.
    static func permitted(_ members: JSONObject, _ store: ObjectStore) throws(RegistryError) -> JSONObject {
        guard store.className.isInstallation else { return members }
        // Checked first, since the cost of operations depends on their arguments.
        try DocumentDraft.checkSize(JSONValue.object(members).canonicalByteCount, in: store.className)
        return store.access == .client ? members.filter { $0.key != "ACL" } : members
    }

    /// Returns the object to change, and the look-up that found it: the part of the condition on its own fields holds
    /// as long as the object does not change; the part on other objects is as of this snapshot.
    private static func writable(
        _ objectID: String, _ store: ObjectStore, where condition: JSONValue?
    ) throws -> (StoredObject, LookUp) {
        let lookUp = try store.look(for: "objectId", objectID)
        guard let object = lookUp.object, store.allows("read", object) else {
            if condition != nil { throw RegistryError.noEffect }
            if store.className == .user { throw RegistryError(.userNotFound, "Could not find user.") }
            throw RegistryError.notFound
        }
        guard store.allows("write", object) else { throw RegistryError.forbidden }
        if let condition, try !store.fits(object, condition) { throw RegistryError.noEffect }
        return (object, lookUp)
    }
}

/// Serializes access to things, in order of arrival.
final class Turns: Sendable {
    /// A thing that only one task may hold.
    enum Thing: Hashable {
        case object(ClassName, String)
        /// An identifier that a device sends for itself.
        case name(String)
    }

    /// The turns at what somebody has or wants, and how many do.
    private let wanted = Mutex<[Thing: (turns: Pool<Void>, count: Int)]>([:])

    /// Waits until nobody else holds a thing; each turn is ended with ``giveBack(_:)``.
    func take(_ thing: Thing) async {
        let turns = wanted.withLock { wanted in
            wanted[thing, default: (Pool(places: 1), 0)].count += 1
            return wanted[thing]?.turns
        }
        await turns?.take()
    }

    /// Ends a turn.
    func giveBack(_ thing: Thing) {
        let turns = wanted.withLock { wanted in
            wanted[thing]?.count -= 1
            defer { if wanted[thing]?.count == 0 { wanted[thing] = nil } }
            return wanted[thing]?.turns
        }
        turns?.giveBack(())
    }
}
