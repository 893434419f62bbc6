internal import GRDB

/// What can be told about a registry at any time without reading much of it.
package struct RegistryFigures: Hashable, Sendable {
    /// How many pushes were taken since the file was made.
    package let pushes: Int
    /// How many messages devices were sent since the file was made.
    package let messages: Int
    /// How many pushes wait for their time.
    package let scheduled: Int
    /// How many bytes the database has, without what is still in its log.
    package let bytes: Int
}

extension Registry {
    /// The figures; takes the same time at any size of the registry.
    package func figures() async throws(RegistryError) -> RegistryFigures {
        try await read { db in
            func number(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
            return RegistryFigures(
                // Rows are numbered from 1 in the order they come.
                pushes: try number("SELECT MAX(id) FROM push"), messages: try number("SELECT MAX(id) FROM inbox"),
                scheduled: try number("SELECT COUNT(*) FROM scheduledPush"),
                bytes: try number("PRAGMA page_count") * number("PRAGMA page_size"))
        }
    }
}
