internal import GRDB
internal import RegistryModel

/// Reads a registry's database, with one snapshot per call.
struct SQLiteReading: Sendable {
    let database: any DatabaseReader
    /// True to read on the caller's thread.
    var isInline = false
    /// The files that must still have their names after a read; nil to read what is open, whatever became of its name.
    var files: RegistryFiles?

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(RegistryError) -> Value {
        do {
            let value = try await isInline ? inline(body) : database.read(body)
            try files?.check()
            return value
        } catch {
            throw SQLiteDatabase.registryError(from: error)
        }
    }

    /// Runs `body` even if the task was cancelled: a change that was started is completed.
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
            try files?.check()
            return try result.get()
        } catch {
            throw SQLiteDatabase.registryError(from: error)
        }
    }

    private func inline<Value>(_ body: (Database) throws -> Value) throws -> Value {
        // It needs no isolation when it is alone on its thread, and forbidding writes would discard every prepared
        // statement.
        try database.unsafeRead(body)
    }
}
