internal import Basics
internal import DeliveryJournal
internal import PostgresClient
internal import PushModel
internal import RegistryModel

/// The sessions with a registry's database, and its clock.
struct PostgresDatabase: DeployDatabase {
    let pool: PostgresPool
    /// The clock; nil for the server's.
    let clock: (@Sendable () -> Instant)?

    /// The maximum number of attempts for a transaction with conflicts.
    private static let mostTries = 8
    private static let pauses = Backoff(first: .milliseconds(10), longest: .seconds(1), jitter: 0...1)

    /// Runs `body` in one transaction, durable when this returns; it is retried after a conflict with another.
    func run<Value: Sendable>(
        _ kind: PostgresTransaction, _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws(RegistryError) -> Value {
        var tries = 1
        while true {
            do {
                return try await pool.use { session in try session.transaction(kind, body) }
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

    /// Returns the database's clock at the start of a session's transaction.
    func now(in session: PostgresSession) -> Instant { clock?() ?? Instant(milliseconds: session.begunAt) }

    private func transaction(_ session: PostgresSession) -> PostgresDeployTransaction {
        PostgresDeployTransaction(session: session, now: now(in: session))
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await run(.snapshot) { session in try body(transaction(session)) }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await run(.lookUps) { session in try body(transaction(session)) }
    }

    /// Freezes in one transaction: an interrupted attempt leaves nothing.
    func freeze(_ freeze: DeliveryFreeze, under lease: Lease?) async throws(RegistryError) -> AudienceFigures? {
        try await run(.writing) { session in
            let transaction = transaction(session)
            let (machine, attempt) = (DeployMachine(transaction), ObjectID.object())
            guard try machine.beginFreezing(freeze, attempt, under: lease) else { return nil }
            let sieve = try machine.sieve(of: freeze.audience, besides: freeze.delivery, at: transaction.now)
            var packer = try AudiencePacker(freeze, through: sieve, at: transaction.now)
            let audience = PostgresAudience(freeze.audience, at: transaction.now)
            let fields = freeze.audience.words?.fields ?? []
            try audience.each(in: session, freeze.traits, telling: fields, numbering: true) { device in
                let batches = packer.take(
                    device.fate, token: Array(device.token.utf8), row: device.number, traits: device.traits)
                if !batches.isEmpty { try machine.add(batches, freeze, attempt, under: lease) }
            }
            try machine.add(packer.finish(), freeze, attempt, under: lease)
            guard packer.isAllowed else {
                while try machine.abandonFreezing(freeze, attempt, under: lease) {}
                return packer.figures
            }
            // The lock is checked last, so that its holder can renew it meanwhile.
            try machine.finishFreezing(packer, freeze, attempt, under: lease)
            return nil
        }
    }

    /// Does nothing: the server has no registry of this kind.
    func own() throws(RegistryError) {}

    func close() async { await pool.close() }

    /// Converts an error to a registry error.
    static func registryError(from error: any Error) -> RegistryError {
        if let refusal = error as? RegistryError { return refusal }
        guard let failure = error as? PostgresError else { return RegistryError(internal: "the database failed") }
        switch failure.kind {
        case .timeout: return .late
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
