internal import GRDB

extension Registry {
    /// Indexes custom fields of devices, and returns when that is done; also goes on with what an earlier process began.
    ///
    /// Equality with a text, a number, a truth value or a pointer is then answered from the index. At most 16 fields
    /// have one; more are left out. It is made in small steps, between which other changes go on.
    ///
    /// - Throws: ``RegistryError`` with code 105 for a name that is no key without dots.
    package func index(_ fields: [String]) async throws(RegistryError) {
        for field in fields where try FieldPath(field).simpleKey == nil {
            throw RegistryError(.invalidKey, "'\(field.prefix(64))' cannot be indexed: it has dots.")
        }
        try await write { db in
            for field in fields { try FieldIndexes.declare(field, in: db) }
        }
        while try await write({ db in try FieldIndexes.fill(in: db) }) {}
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
