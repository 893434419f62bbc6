internal import GRDB
internal import PushModel

/// A change that was computed outside the queue of changes, with its preconditions.
struct PreparedChange<Value: Sendable>: Sendable {
    /// The look-ups that it is based on.
    let basis: [Sighting]
    /// The operation that writes the change.
    let write: @Sendable (ObjectStore) throws -> Value

    /// Writes the change; nil when a precondition no longer holds, and it must be computed again.
    func run(in store: ObjectStore) throws -> Value? {
        for sighting in basis {
            guard try store.stillHolds(sighting) else { return nil }
        }
        return try write(store)
    }
}

/// The result of looking up an object.
struct Sighting: Sendable {
    /// The column of the look-up.
    let key: String
    /// The value of the look-up.
    let value: String
    /// The object; nil when there was none.
    let object: StoredObject?
    /// Its document as stored.
    let document: String
}

extension ObjectStore {
    /// Looks up the object with a text in a column, readable or not; `key` is a name of our own.
    func look(for key: String, _ value: String) throws -> Sighting {
        // SQLite would cut a text at a NUL.
        let row = value.utf8.contains(0) ? nil : try Row.fetchOne(db, request(Self.columns, key, value))
        return Sighting(
            key: key, value: value, object: try row.map(StoredObject.init), document: row?["document"] ?? "")
    }

    /// True if the look-up would give the same result; checked without reading the document.
    fileprivate func stillHolds(_ sighting: Sighting) throws -> Bool {
        guard !sighting.value.utf8.contains(0) else { return true }
        let seen = sighting.object
        let isSame = "t0.id = ? AND t0.updatedAt = ? AND t0.document = ?"
        let arguments: StatementArguments = [seen?.row, seen?.updatedAt.milliseconds, sighting.document]
        let found = try Row.fetchOne(db, request(isSame, sighting.key, sighting.value, arguments))
        return found.map { ($0[0] as Bool?) == true } ?? (seen == nil)
    }
}
