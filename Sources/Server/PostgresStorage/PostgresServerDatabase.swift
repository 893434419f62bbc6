package import DeliveryJournal
package import PostgresClient
internal import PushModel
package import RegistryModel

/// A server's registry in PostgreSQL, which any number of copies of the server may use.
struct PostgresServerDatabase: RegistryDatabase {
    let base: PostgresDatabase

    var isShared: Bool { true }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await base.read(body)
    }

    func readToTheEnd<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await base.read(body)
    }

    func query<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        let milliseconds = max(1, limit / .milliseconds(1))
        return try await base.run(.snapshot) { session in
            try session.execute("SET LOCAL statement_timeout = \(Int(milliseconds))")
            return try body(PostgresDeployTransaction(session: session, now: base.now(in: session)))
        }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await base.write(body)
    }

    func probe() async throws(RegistryError) {
        _ = try await write { db in
            try db.execute("UPDATE serverNumber SET last = last + 1 WHERE name = 'probe'", [])
        }
    }

    func deploys(by clock: (@Sendable () -> Instant)?) -> any DeployDatabase {
        PostgresDatabase(pool: base.pool, clock: clock)
    }

    func news() -> AsyncStream<Bool> { base.pool.news(on: PostgresDeployTransaction.channel) }

    func size() async throws(RegistryError) -> Int {
        try await read { db in try db.number("SELECT pg_database_size(current_database())") }
    }

    func close() async { await base.close() }
}

extension PostgresServerDatabase {
    /// The pause before a copy looks again at an index that another builds.
    private static let patience = Duration.milliseconds(500)

    /// Builds the index over the next custom field, while others write, or waits a moment while another copy does.
    ///
    /// A statement that builds an index so runs outside of a transaction, once for each part of the table. What an
    /// interrupted attempt left behind is removed first.
    func fillIndexes() async throws(RegistryError) -> Bool {
        let field = try await read { db in
            try db.row("SELECT id, name FROM indexedField WHERE filledTo IS NOT NULL ORDER BY id LIMIT 1").map {
                (id: $0.integer(0) ?? 0, name: $0.text(1) ?? "")
            }
        }
        guard let field else { return false }
        do {
            let isMine = try await base.pool.use { session in
                try session.execute("SET statement_timeout = 0")
                defer { _ = try? session.execute("RESET statement_timeout") }
                // Only one copy of the server builds it; if it dies, another does.
                let isMine = try session.row("SELECT pg_try_advisory_lock(hashtextextended('bugle index', 16))")
                guard isMine?.boolean(0) ?? false else { return false }
                defer { _ = try? session.row("SELECT pg_advisory_unlock(hashtextextended('bugle index', 16))") }
                try build(field.id, field.name, in: session)
                return true
            }
            if !isMine { try? await Task.sleep(for: Self.patience) }
        } catch {
            throw PostgresDatabase.registryError(from: error)
        }
        return true
    }

    private func build(_ id: Int64, _ name: String, in session: PostgresSession) throws {
        let parts = try session.rows(
            """
            SELECT relid::regclass::text, isleaf FROM pg_partition_tree('installation') WHERE isleaf ORDER BY 1
            """)
        for (number, part) in parts.enumerated() {
            let (table, index) = (part.text(0) ?? "", "installationField\(id)_\(number)")
            let isValid = try session.row(
                "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('\(index)')")?.boolean(0)
            if isValid == true { continue }
            if isValid == false { try session.execute("DROP INDEX CONCURRENTLY IF EXISTS \(index)") }
            // A name has letters, digits and '_' only.
            try session.execute(
                """
                CREATE INDEX CONCURRENTLY \(index) ON \(table) USING gin ((document -> '\(name)') jsonb_path_ops)
                """)
        }
        try session.execute("UPDATE indexedField SET filledTo = NULL WHERE id = $1", [.integer(id)])
    }
}

extension PostgresRegistry {
    /// Opens a registry for a server, creating or migrating its tables.
    ///
    /// - Parameters:
    ///   - address: the database.
    ///   - width: the number of sessions at a time, 16 by default.
    /// - Returns: the database.
    /// - Throws: ``RegistryError`` with a remedy when the database cannot be reached or migrated.
    package static func openForServer(
        _ address: PostgresAddress, width: Int = 16
    ) async throws(RegistryError) -> any RegistryDatabase {
        try await create(address)
        return try await openMigrated(address, width: width)
    }

    /// Opens a registry for a server, whose tables must be there.
    ///
    /// - Throws: ``RegistryError`` with a remedy when the database cannot be reached, or its tables are missing or older.
    package static func openMigrated(
        _ address: PostgresAddress, width: Int = 16
    ) async throws(RegistryError) -> any RegistryDatabase {
        PostgresServerDatabase(base: try await open(address, width: width).database)
    }
}
