internal import PostgresClient

/// The sessions with a registry's database, and its clock.
struct PostgresDatabase: Sendable {
    let pool: PostgresPool
    /// The clock; nil: the server's.
    let clock: (@Sendable () -> Timestamp)?

    /// A transaction that collides with others is tried so often.
    private static let mostTries = 8

    /// Runs `body` on one snapshot, in a transaction that the server lets write nothing.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await retried { session in
            try session.transaction(.snapshot) { session in try body(session) }
        }
    }

    /// Runs `body` in one transaction, durable when this returns; it is run again when it collides with another.
    ///
    /// - Parameter looksUp: whether it reads by keys only. A thousand tokens are looked up one by one then: the planner
    ///   would read tables of a million devices from end to end for them.
    func write<Value: Sendable>(
        looksUp: Bool = true, _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await retried { session in
            try session.transaction(.writing) { session in
                if looksUp { _ = try session.rows(Self.lookUps) }
                return try body(session)
            }
        }
    }

    /// Until the transaction ends; an engine that knows no such settings does nothing.
    private static let lookUps = """
        SELECT set_config(name, 'off', true) FROM pg_settings
        WHERE name IN ('enable_seqscan', 'enable_hashjoin', 'enable_mergejoin')
        """

    /// The database's clock.
    func now(in session: PostgresSession) throws -> Timestamp {
        if let clock { return clock() }
        let row = try session.row("SELECT \(PostgresSchema.now)")
        return Timestamp(milliseconds: row?.integer(0) ?? 0)
    }

    private func retried<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws(RegistryError) -> Value {
        var tries = 1
        while true {
            do {
                return try await pool.use(body)
            } catch {
                let failure = error as? PostgresError
                guard failure?.kind == .conflict || failure?.kind == .duplicate, tries < Self.mostTries else {
                    throw Self.registryError(from: error)
                }
                // Longer each time, and not as long as the other's.
                try? await Task.sleep(for: .milliseconds(Int64.random(in: 1...(5 << Int64(tries)))))
                tries += 1
            }
        }
    }

    /// The same error in the registry's words.
    static func registryError(from error: any Error) -> RegistryError {
        if let refusal = error as? RegistryError { return refusal }
        guard let failure = error as? PostgresError else { return RegistryError(internal: "the database failed") }
        switch failure.kind {
        case .timeout: return .late
        case .duplicate: return .valueTaken
        case .address: return RegistryError(internal: failure.description)
        case .unreachable: return RegistryError(internal: "the database cannot be reached: \(failure)")
        case .lost: return RegistryError(internal: "the connection to the database broke: \(failure)")
        case .readOnly: return RegistryError(internal: "the database may only be read here")
        case .value: return RegistryError(.incorrectType, "PostgreSQL cannot hold a value: \(failure)")
        case .conflict, .statement: return RegistryError(internal: "the database failed: \(failure)")
        }
    }
}
