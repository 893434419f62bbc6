package import Push

/// Creates and opens registries in PostgreSQL.
package enum PostgresRegistry {
    /// Creates missing tables, and migrates those of an older bugle; existing data is kept.
    ///
    /// Devices are spread over `partitions` tables by the hash of their tokens; 0 when the engine distributes them itself.
    /// Existing tables keep their number. It is small by default, since a transaction pays for each table that it writes
    /// to as much as for several devices.
    ///
    /// - Throws: ``RegistryError`` when a newer bugle made the tables, or the role may not create any.
    package static func create(
        _ address: PostgresAddress, partitions: Int = PostgresSchema.partitions
    ) async throws(RegistryError) {
        let database = PostgresDatabase(pool: PostgresPool(address, width: 1))
        do throws(RegistryError) {
            if try await version(in: database) ?? 0 < PostgresSchema.version {
                try await database.run(.writing) { session in
                    // One migrates; the others find it done.
                    try session.execute("SET LOCAL statement_timeout = 0")
                    try session.execute("SET LOCAL lock_timeout = 0")
                    try session.execute("SELECT pg_advisory_xact_lock(hashtextextended('bugle schema', 16))")
                    let known = try Self.version(in: session)
                    guard known ?? 0 < PostgresSchema.version else { return }
                    for statement in PostgresSchema.steps(partitions: partitions, from: known).flatMap(\.statements) {
                        try session.execute(statement)
                    }
                    try session.execute(
                        "INSERT INTO bugleSchema(version) SELECT $1::bigint WHERE NOT EXISTS (SELECT 1 FROM bugleSchema)",
                        [.integer(PostgresSchema.version)])
                    try session.execute(
                        "UPDATE bugleSchema SET version = $1 WHERE version < $1", [.integer(PostgresSchema.version)])
                }
            }
            try await check(database)
        } catch {
            await database.pool.close()
            throw error
        }
        await database.pool.close()
    }

    /// Returns what ``create(_:partitions:)`` would do, without doing it: for each migration its version, its purpose
    /// and its statements.
    ///
    /// - Throws: ``RegistryError`` when the database cannot be read.
    package static func plan(
        _ address: PostgresAddress
    ) async throws(RegistryError) -> [(version: Int64, purpose: String, statements: [String])] {
        let pool = PostgresPool(address, settings: PostgresSettings(isReadOnly: true), width: 1)
        let database = PostgresDatabase(pool: pool)
        let known: Int64?
        do throws(RegistryError) {
            known = try await version(in: database)
        } catch {
            await database.pool.close()
            throw error
        }
        await database.pool.close()
        return PostgresSchema.steps(from: known).map { ($0.version, $0.purpose, $0.statements) }
    }

    /// Opens the journal in an existing registry, by default with at most 4 sessions at a time and the server's clock.
    ///
    /// - Throws: ``RegistryError`` with a remedy when the database cannot be reached, or is not a registry.
    package static func open(
        _ address: PostgresAddress, width: Int = 4, clock: (@Sendable () -> Instant)? = nil
    ) async throws(RegistryError) -> Journal {
        Journal(try await opened(PostgresPool(address, width: width)), clock: clock)
    }

    /// Opens an existing registry for reading only: the server rejects every write of these sessions.
    ///
    /// - Throws: ``RegistryError`` as ``open(_:width:clock:)``.
    package static func openReadOnly(
        _ address: PostgresAddress, clock: (@Sendable () -> Instant)? = nil
    ) async throws(RegistryError) -> JournalReader {
        let pool = PostgresPool(address, settings: PostgresSettings(isReadOnly: true), width: 2)
        return JournalReader(database: try await opened(pool), clock: clock)
    }

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
        try await opened(PostgresPool(address, width: width))
    }

    private static func opened(_ pool: PostgresPool) async throws(RegistryError) -> PostgresDatabase {
        let database = PostgresDatabase(pool: pool)
        do throws(RegistryError) {
            try await check(database)
        } catch {
            await pool.close()
            throw error
        }
        return database
    }

    private static func check(_ database: PostgresDatabase) async throws(RegistryError) {
        guard let version = try await version(in: database) else {
            throw RegistryError(internal: "there is no registry in this database: run 'bugle registry init'")
        }
        guard version <= PostgresSchema.version else {
            throw RegistryError(
                internal: "a newer bugle made the registry in this database: use that version or a newer one")
        }
        guard version == PostgresSchema.version else {
            throw RegistryError(
                internal:
                    "the tables of the registry in this database are those of an older bugle: run 'bugle registry "
                    + "init', which brings them up to date")
        }
    }

    /// The version of the tables; nil when there are none.
    private static func version(in database: PostgresDatabase) async throws(RegistryError) -> Int64? {
        try await database.run(.snapshot) { session in try version(in: session) }
    }

    private static func version(in session: PostgresSession) throws -> Int64? {
        // Not `to_regclass`: within a transaction it may still say what was true before another one created the table.
        let isThere = try session.row(
            """
            SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables
              WHERE tablename = 'bugleschema' AND schemaname = ANY (current_schemas(false)))
            """)
        guard isThere?.boolean(0) == true else { return nil }
        return try session.row("SELECT max(version) FROM bugleSchema")?.integer(0)
    }
}
