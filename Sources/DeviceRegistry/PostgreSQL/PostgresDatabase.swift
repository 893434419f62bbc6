internal import Base
internal import Push

/// A registry in PostgreSQL, which any number of machines may use.
struct PostgresDatabase: RegistryDatabase {
    let pool: PostgresPool

    var isShared: Bool { true }

    /// The maximum number of attempts for a transaction with conflicts.
    private static let mostTries = 8
    private static let pauses = Backoff(first: .milliseconds(10), longest: .seconds(1), jitter: 0...1)

    /// Runs `body` in one transaction, durable when this returns; it is retried after a conflict with another.
    func run<Value: Sendable>(
        _ kind: PostgresTransaction, within limit: Duration? = nil,
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws(RegistryError) -> Value {
        var tries = 1
        while true {
            do {
                return try await pool.use { session in try session.transaction(kind, within: limit, body) }
            } catch {
                let failure = error as? PostgresError
                guard failure?.kind == .conflict || failure?.kind == .duplicate, tries < Self.mostTries else {
                    throw Self.registryError(from: error)
                }
                // Backs off longer each time, with jitter.
                try? await Task.sleep(for: Self.pauses.pause(after: tries))
                tries += 1
            }
        }
    }

    func read<Value: Sendable>(
        _ kind: ReadKind, _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        guard case .within(let limit) = kind else {
            return try await run(.snapshot) { session in try body(PostgresRegistryTransaction(session)) }
        }
        return try await run(.snapshot, within: limit) { session in
            try Self.lookUp { try body(PostgresRegistryTransaction(session)) }
        }
    }

    /// Looks up what a condition matches: only here is it the request's fault that a statement takes too long.
    private static func lookUp<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError where error.isOfStatementTime {
            throw RegistryError.late
        }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await run(.lookUps) { session in try body(PostgresRegistryTransaction(session)) }
    }

    /// Freezes in one transaction: an interrupted attempt leaves nothing.
    func freeze(
        _ freeze: DeliveryFreeze, under lease: Lease?, at clock: (@Sendable () -> Instant)?
    ) async throws(RegistryError) -> AudienceCount? {
        try await run(.writing) { session in
            let (db, attempt) = (PostgresRegistryTransaction(session).at(clock), ObjectID.object())
            guard try db.beginFreezing(freeze, attempt, under: lease) else { return nil }
            let sieve = try db.sieve(of: freeze.audience, besides: freeze.delivery, at: db.now)
            var packer = try AudiencePacker(freeze, through: sieve, at: db.now)
            let audience = PostgresAudience(audience: freeze.audience, now: db.now)
            let fields = freeze.audience.words?.fields ?? []
            try Self.lookUp {
                try audience.each(in: session, freeze.traits, telling: fields, numbering: true) { device in
                    let batches = packer.take(
                        device.fate, token: Array(device.token.utf8), row: device.number, traits: device.traits)
                    if !batches.isEmpty { try db.add(batches, freeze, attempt, under: lease) }
                }
            }
            try db.add(packer.finish(), freeze, attempt, under: lease)
            guard packer.isAllowed else {
                while try db.abandonFreezing(freeze, attempt, under: lease) {}
                return packer.figures
            }
            // The lock is checked last, so that its holder can renew it meanwhile.
            try db.finishFreezing(packer, freeze, attempt, under: lease)
            return nil
        }
    }

    /// Does nothing: any number of servers write, each under a lock for its push.
    func own() throws(RegistryError) {}

    func probe() async throws(RegistryError) {
        _ = try await write { db in
            try db.execute("UPDATE serverNumber SET last = last + 1 WHERE name = 'probe'", [])
        }
    }

    func news() -> AsyncStream<Bool> { pool.news(on: PostgresRegistryTransaction.channel) }

    func size() async throws(RegistryError) -> Int {
        try await read(.current) { db in try db.number("SELECT pg_database_size(current_database())") }
    }

    func close() async { await pool.close() }

    static func registryError(from error: any Error) -> RegistryError {
        if let refusal = error as? RegistryError { return refusal }
        guard let failure = error as? PostgresError else { return RegistryError(internal: "the database failed") }
        switch failure.kind {
        case .timeout: return RegistryError(internal: "the database was too slow: \(failure)", code: .timeout)
        case .duplicate: return .valueTaken
        case .address: return RegistryError(internal: failure.description)
        case .unreachable: return RegistryError(internal: "the database cannot be reached: \(failure)")
        case .lost: return RegistryError(internal: "the connection to the database broke: \(failure)")
        case .readOnly: return RegistryError(internal: "the database is read-only here")
        case .value: return RegistryError(.incorrectType, "PostgreSQL cannot hold a value: \(failure)")
        case .conflict, .statement:
            return RegistryError(internal: "the database failed: \(failure)", isForLackOfRoom: failure.isForLackOfRoom)
        }
    }
}

// MARK: - Indexes

extension PostgresDatabase {
    /// The pause before a copy looks again at an index that another builds.
    private static let patience = Duration.milliseconds(500)

    /// Builds the index over the next custom field, while others write, or waits a moment while another copy does.
    ///
    /// A statement that builds an index so runs outside of a transaction, once for each part of the table. What an
    /// interrupted attempt left behind is removed first.
    func fillIndexes() async throws(RegistryError) -> Bool {
        let field = try await read(.current) { db in
            try db.row("SELECT id, name FROM indexedField WHERE filledTo IS NOT NULL ORDER BY id LIMIT 1").map {
                (id: $0.integer(0) ?? 0, name: $0.string(1))
            }
        }
        guard let field else { return false }
        do {
            let isMine = try await pool.use { session in
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
            throw Self.registryError(from: error)
        }
        return true
    }

    private func build(_ id: Int64, _ name: String, in session: PostgresSession) throws {
        let parts = try session.rows(
            """
            SELECT relid::regclass::text, isleaf FROM pg_partition_tree('installation') WHERE isleaf ORDER BY 1
            """)
        for (number, part) in parts.enumerated() {
            let (table, index) = (part.string(0), "installationField\(id)_\(number)")
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
