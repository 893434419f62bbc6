internal import GRDB

/// Reads a registry's database, each time on one snapshot.
struct SQLiteReading: Sendable {
    let database: any DatabaseReader
    /// Whether that happens on the caller's thread.
    var isInline = false

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RegistryError) -> Value {
        do {
            return try await isInline ? inline(body) : database.read(body)
        } catch {
            throw Registry.registryError(from: error)
        }
    }

    private func inline<Value>(_ body: (Database) throws -> Value) throws -> Value {
        // Alone on its thread it needs no isolation, and to forbid writing would throw away every prepared statement.
        try database.unsafeRead(body)
    }
}
