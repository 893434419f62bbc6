package import DeviceRegistry
internal import Foundation
internal import PostgresClient
internal import PostgresStorage
internal import PostgresTesting
internal import RegistryModel

/// The database of the tests that run over both.
package enum TestStore {
    /// True if they run over PostgreSQL: `BUGLE_TEST_STORE=postgres`.
    package static let isPostgres = ProcessInfo.processInfo.environment["BUGLE_TEST_STORE"] == "postgres"
}

extension Registry {
    /// An empty registry of its own: in memory, or a database in the PostgreSQL of the tests.
    package static func test(queryTimeLimit: Duration = queryTimeLimit) async throws -> Registry {
        guard TestStore.isPostgres else { return try inMemory(queryTimeLimit: queryTimeLimit) }
        return try await inPostgres(queryTimeLimit: queryTimeLimit)
    }

    /// An empty registry of its own in the PostgreSQL of the tests.
    package static func inPostgres(queryTimeLimit: Duration = queryTimeLimit) async throws -> Registry {
        let address = try await PostgresServer.database(like: PostgresServer.template)
        return Registry(try await PostgresRegistry.openMigrated(address, width: 4), queryTimeLimit: queryTimeLimit)
    }
}
