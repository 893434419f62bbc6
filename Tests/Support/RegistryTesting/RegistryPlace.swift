package import DeviceRegistry
internal import Foundation

/// The registries of programs that a test runs, by the path of the file that each would be.
package actor RegistryPlace {
    private static let shared = RegistryPlace()
    private var databases: [String: Task<String, any Error>] = [:]

    /// The `--data` of a program: the path, or with `BUGLE_TEST_STORE=postgres` a database of its own, unless the test
    /// has put a file there.
    package static func at(_ path: String) async throws -> String {
        guard TestStore.isPostgres, !FileManager.default.fileExists(atPath: path) else { return path }
        return try await shared.database(path)
    }

    /// A registry there, for a test that fills it before the program starts.
    package static func open(_ path: String) async throws -> Registry {
        guard TestStore.isPostgres else { return try Registry.open(path: path) }
        return Registry(try await PostgresRegistry.openMigrated(PostgresAddress(try await at(path)), width: 2))
    }

    private func database(_ path: String) async throws -> String {
        if let known = databases[path] { return try await known.value }
        let task = Task { try await PostgresServer.databaseURL(like: PostgresServer.template) }
        databases[path] = task
        return try await task.value
    }
}
