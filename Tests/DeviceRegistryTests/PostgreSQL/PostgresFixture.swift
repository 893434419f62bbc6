import Base
import DeviceRegistry
import Foundation
import Push
import RegistryTesting
import Synchronization
import Testing

/// Whether the tests can have a server; `make` installs it.
let hasServer = ConditionTrait.enabled(
    if: PostgresServer.programs != nil, "Debian's package 'postgresql' is not installed: 'make' installs it")

/// A database of its own in the run's server, under a clock that tests move.
final class PostgresFixture: StoreFixture {
    let address: PostgresAddress
    let registry: Journal
    /// The same as a server has it: where devices register.
    let server: Registry
    /// Sessions for what the registry does not offer.
    let pool: PostgresPool
    private let time: Mutex<Instant>

    var now: Instant { time.withLock { $0 } }

    private init(_ address: PostgresAddress, _ registry: Journal, _ server: Registry, _ time: Instant) {
        self.address = address
        self.registry = registry
        self.server = server
        self.time = Mutex(time)
        pool = PostgresPool(address, width: 2)
    }

    /// An empty registry; if `isWhole`, with as many parts as `create` makes, which takes longer.
    static func make(clock: Instant = .noon, isWhole: Bool = false) async throws -> PostgresFixture {
        try await make(
            at: isWhole ? database() : database(like: PostgresServer.template), clock: clock, isWhole: isWhole)
    }

    /// The same in a new database; if `isWhole`, in one without tables.
    static func make(
        at address: PostgresAddress, clock: Instant = .noon, isWhole: Bool = false
    ) async throws -> PostgresFixture {
        if isWhole { try await PostgresRegistry.create(address) }
        // A machine that runs all tests at once is slower than the limits of a server suppose.
        let server = Registry(
            try await PostgresRegistry.openMigrated(address, width: 2), queryTimeLimit: .seconds(60),
            changeTimeLimit: .seconds(60))
        return PostgresFixture(address, try await PostgresRegistry.open(address, clock: { clock }), server, clock)
    }

    /// A new database; one without tables is like `template1`.
    static func database(like template: String = "template1") async throws -> PostgresAddress {
        try await PostgresServer.database(like: template)
    }

    func connect() async throws -> Journal { try await open() }

    /// Another connection under the test's clock.
    func open() async throws -> Journal {
        try await PostgresRegistry.open(address, width: 2) { self.now }
    }

    /// True while a transaction waits for another.
    func isAnybodyWaiting() async throws -> Bool {
        try await number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0
    }

    func register(_ documents: [JSONValue], at time: Instant) async throws {
        for document in documents {
            _ = try await server.create(document.object ?? [:], in: .installation, as: .master, at: time)
        }
    }

    func device(_ token: String) async throws -> JSONValue? {
        try await row(token, "document")?.text(0).map { try JSONValue(parsing: $0) }
    }

    func objectID(_ token: String) async throws -> String? { try await row(token, "objectId")?.text(0) }

    func lastSeen(_ token: String) async throws -> Instant? {
        try await row(token, "updatedAt")?.integer(0).map { Instant(milliseconds: $0) }
    }

    func advance(seconds: Double) async throws {
        time.withLock { $0 = $0.advanced(bySeconds: seconds) }
    }

    /// Closes what is open.
    func close() async {
        await registry.close()
        await server.shutDown()
        await pool.close()
    }

    /// The first number that a statement gives.
    func number(_ sql: String, _ values: [SQLValue] = []) async throws -> Int {
        try await pool.use { session in Int(try session.row(sql, values)?.integer(0) ?? 0) }
    }

    private func row(_ token: String, _ column: String) async throws -> PostgresRow? {
        try await pool.use { session in
            try session.row("SELECT \(column) FROM installation WHERE token = lower($1)", [.text(token)])
        }
    }
}
