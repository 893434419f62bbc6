internal import GRDB

extension Registry {
    /// Indexes custom fields of devices, and returns when that is done; also goes on with what an earlier process began.
    ///
    /// Equality with a text, a number, a truth value or a pointer is then answered from the index. At most 16 fields
    /// have one; more are left out. It is made in small steps, between which other changes go on;
    /// a task that is cancelled leaves the rest to the next time the registry is opened.
    ///
    /// - Throws: ``RegistryError`` with code 105 for a name that is no key without dots.
    package func index(_ fields: [String]) async throws(RegistryError) {
        for field in fields { try Self.checkIndexable(field) }
        try await write { db in
            for field in fields { try FieldIndexes.declare(field, in: db) }
        }
        while !Task.isCancelled, try await write({ db in try FieldIndexes.fill(in: db) }) {}
    }

    /// So many custom fields have an index at most.
    package static var mostIndexedFields: Int { FieldIndexes.mostFields }

    /// Checks the name of a field that is to have an index.
    ///
    /// - Throws: ``RegistryError`` with code 105 for a name that is no key without dots.
    package static func checkIndexable(_ field: String) throws(RegistryError) {
        guard try FieldPath(field).simpleKey != nil else {
            throw RegistryError(.invalidKey, "'\(field.prefix(64))' cannot be indexed: it has dots.")
        }
    }

    /// Indexes fields while requests go on.
    func index(later fields: [String]) {
        // What fails is tried again with the next start; the queries are right without it.
        Task { try? await index(fields) }
    }

    /// The custom fields of devices that are indexed, sorted.
    package func indexedFields() async throws(RegistryError) -> [String] {
        try await read { db in try FieldIndexes.ready(in: db).sorted() }
    }
}
