extension Registry {
    /// Indexes custom fields of devices, and returns when that is done; also continues what an earlier process started.
    ///
    /// Equality with a string, a number, a Boolean or a pointer is then answered from the index. At most 16 fields have
    /// one; further ones are ignored. It is built in small steps, between other changes; a cancelled task leaves the
    /// rest to the next time the registry is opened.
    ///
    /// - Throws: ``RegistryError`` with code 105 for a name that is not a key without dots.
    package func index(_ fields: [String]) async throws(RegistryError) {
        for field in fields { try Self.checkIndexable(field) }
        try await write { db in
            for field in fields { try FieldIndexes.declare(field, in: db) }
        }
        while !Task.isCancelled, try await database.fillIndexes() {}
    }

    /// The maximum number of indexed custom fields.
    package static var mostIndexedFields: Int { FieldIndexes.mostFields }

    /// Checks the name of a field to index.
    ///
    /// - Throws: ``RegistryError`` with code 105 for a name that is not a key without dots.
    package static func checkIndexable(_ field: String) throws(RegistryError) {
        guard try FieldPath(field).simpleKey != nil else {
            throw RegistryError(.invalidKey, "'\(field.prefix(64))' cannot be indexed: it has dots.")
        }
    }

    /// Indexes fields in the background.
    func index(later fields: [String]) {
        // A failure is retried at the next start; queries are correct without the index.
        Task { try? await index(fields) }
    }

    /// Returns the indexed custom fields of devices, sorted.
    package func indexedFields() async throws(RegistryError) -> [String] {
        try await read { db in try FieldIndexes.ready(in: db).sorted() }
    }
}
