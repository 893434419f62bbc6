import GRDB
import Testing

@testable import DeviceRegistry

extension Registry {
    /// The file itself, for statements of tests.
    var sqlite: SQLiteStatements { SQLiteStatements(registry: self) }
}

/// Transactions of SQLite's own.
struct SQLiteStatements {
    let registry: Registry

    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await #require(registry.file).look(.current, body)
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await #require(registry.file).change(body)
    }
}
