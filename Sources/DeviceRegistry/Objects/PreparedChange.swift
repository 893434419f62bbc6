internal import GRDB
internal import PushModel

/// A change that was worked out beside the queue of changes, with what it goes by.
struct PreparedChange<Value: Sendable>: Sendable {
    /// What was looked up for it.
    let basis: [Sighting]
    /// Writes it.
    let write: @Sendable (ObjectStore) throws -> Value

    /// Writes the change; nil when what it goes by is no longer so: then it must be worked out again.
    func run(in store: ObjectStore) throws -> Value? {
        for sighting in basis {
            guard try store.stillHolds(sighting) else { return nil }
        }
        return try write(store)
    }
}

/// What looking for an object found.
struct Sighting: Sendable {
    /// The column that was looked in.
    let key: String
    /// What was looked for.
    let value: String
    /// The object; nil when there was none.
    let object: StoredObject?
    /// Its document as it is stored.
    let document: String
}

extension ObjectStore {
    /// Looks for the object whose column holds a text, whether it may be read or not; `key` is a name of our own.
    func look(for key: String, _ value: String) throws -> Sighting {
        // SQLite would take a text with a NUL in it for the part before.
        let row = value.utf8.contains(0) ? nil : try Row.fetchOne(db, request(Self.columns, key, value))
        return Sighting(
            key: key, value: value, object: try row.map(StoredObject.init), document: row?["document"] ?? "")
    }

    /// Whether a look would find the same; no document is read for it.
    fileprivate func stillHolds(_ sighting: Sighting) throws -> Bool {
        guard !sighting.value.utf8.contains(0) else { return true }
        let seen = sighting.object
        let isSame = "t0.id = ? AND t0.updatedAt = ? AND t0.document = ?"
        let arguments: StatementArguments = [seen?.row, seen?.updatedAt.milliseconds, sighting.document]
        let found = try Row.fetchOne(db, request(isSame, sighting.key, sighting.value, arguments))
        return found.map { ($0[0] as Bool?) == true } ?? (seen == nil)
    }
}
