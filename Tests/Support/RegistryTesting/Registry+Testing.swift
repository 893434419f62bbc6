package import DeviceRegistry
internal import Foundation
package import Testing

/// The database of the tests that run over both.
package enum TestStore {
    /// True if they run over PostgreSQL: `BUGLE_TEST_STORE=postgres`.
    package static let isPostgres = ProcessInfo.processInfo.environment["BUGLE_TEST_STORE"] == "postgres"
}

extension Trait where Self == ConditionTrait {
    /// For tests of what only a file of SQLite has: its plans, its triggers, and rows that older versions wrote.
    package static var onlyInSQLite: Self { .disabled(if: TestStore.isPostgres) }
}

extension Registry {
    /// The time limit of a query and of a change, which no busy machine reaches.
    private static let patience = Duration.seconds(600)

    /// An empty registry of its own: in memory, or a database in the PostgreSQL of the tests.
    package static func test(queryTimeLimit: Duration = .seconds(600)) async throws -> Registry {
        guard TestStore.isPostgres else {
            return try inMemory(queryTimeLimit: queryTimeLimit, changeTimeLimit: patience)
        }
        let address = try await PostgresServer.database(like: PostgresServer.template)
        return try await inPostgres(address, width: 4, queryTimeLimit: queryTimeLimit)
    }

    /// The registry in a file, as ``open(path:queryTimeLimit:changeTimeLimit:isAlone:cacheKiB:)`` opens it.
    package static func test(at path: String, isAlone: Bool = false) throws(RegistryError) -> Registry {
        try open(path: path, queryTimeLimit: patience, changeTimeLimit: patience, isAlone: isAlone)
    }

    /// An empty registry in memory, whatever the store of the tests.
    package static func testInMemory(isInline: Bool = false) throws(RegistryError) -> Registry {
        try inMemory(queryTimeLimit: patience, changeTimeLimit: patience, isInline: isInline)
    }

    private static func inPostgres(
        _ address: PostgresAddress, width: Int, queryTimeLimit: Duration = patience
    ) async throws -> Registry {
        Registry(
            try await PostgresRegistry.openMigrated(address, width: width), queryTimeLimit: queryTimeLimit,
            changeTimeLimit: patience)
    }

    /// The connection string of an empty database in the PostgreSQL of the tests, and a registry in it.
    package static func database() async throws -> (url: String, registry: Registry) {
        let url = try await PostgresServer.databaseURL(like: PostgresServer.template)
        return (url, try await inPostgres(PostgresAddress(url), width: 4))
    }

    /// The registry in a file, or in a database of the PostgreSQL of the tests.
    package static func existing(_ place: String) async throws -> Registry {
        if place.hasPrefix("/") { return try open(existing: place) }
        return try await inPostgres(PostgresAddress(place), width: 2)
    }

    /// Registries that share one empty database in the PostgreSQL of the tests, whatever the store of the others.
    package static func copies(_ count: Int) async throws -> [Registry] {
        let address = try await PostgresServer.database(like: PostgresServer.template)
        var copies: [Registry] = []
        for _ in 0..<count { copies.append(try await inPostgres(address, width: 4)) }
        return copies
    }
}
