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

    /// Runs `body` also for a task that was cancelled: a change that was begun comes to its end.
    func readToTheEnd<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RegistryError) -> Value {
        guard !isInline else { return try await read(body) }
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            database.asyncRead { reading in
                continuation.resume(returning: Result { try body(try reading.get()) })
            }
        }
        do {
            return try result.get()
        } catch {
            throw Registry.registryError(from: error)
        }
    }

    private func inline<Value>(_ body: (Database) throws -> Value) throws -> Value {
        // Alone on its thread it needs no isolation, and to forbid writing would throw away every prepared statement.
        try database.unsafeRead(body)
    }
}
