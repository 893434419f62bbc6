/// Figures of a registry that can be read quickly at any time.
package struct RegistryFigures: Hashable, Sendable {
    /// The number of pushes accepted since the file was created.
    package let pushes: Int
    /// The number of messages sent to devices since the file was created.
    package let messages: Int
    /// The number of scheduled pushes.
    package let scheduled: Int
    /// The size of the database in bytes, without its log.
    package let bytes: Int
}

extension Registry {
    /// Returns the figures; takes the same time at any size of the registry.
    package func figures() async throws(RegistryError) -> RegistryFigures {
        let bytes = try await database.size()
        return try await read { db in
            RegistryFigures(
                // Rows are numbered from 1 in order of arrival.
                pushes: try db.number("SELECT MAX(id) FROM push"), messages: try db.number("SELECT MAX(id) FROM inbox"),
                scheduled: try db.number("SELECT COUNT(*) FROM scheduledPush"), bytes: bytes)
        }
    }
}
