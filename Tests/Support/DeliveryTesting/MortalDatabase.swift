package import DeviceRegistry
package import Push

/// A registry as one run has it, which dies with the run: before a transaction that writes, or after it and before the
/// run knows.
package struct MortalDatabase: RegistryDatabase {
    let database: any RegistryDatabase
    let life: Life
    let batchSize: Int?
    let fault: @Sendable (Moment) throws(RegistryError) -> Void
    let watch: (@Sendable (any RegistryTransaction) throws -> Void)?

    /// The moments at which a registry fails.
    package enum Moment: Hashable, Sendable {
        case beforeFreeze
        case afterFreeze
        /// `isOutcome` is true for one that answers with a Bool, as that of a batch's outcome does.
        case beforeWrite(isOutcome: Bool)
        case afterWrite
    }

    /// The error that a killed run gets.
    package static let killed = RegistryError(.other, "this run was killed")

    private func acting<Value: Sendable>(
        _ before: Moment, _ after: Moment, _ body: () async throws(RegistryError) -> Value
    ) async throws(RegistryError) -> Value {
        guard life.act() else { throw Self.killed }
        try fault(before)
        let value = try await body()
        try fault(after)
        guard life.act() else { throw Self.killed }
        return value
    }

    package func read<Value: Sendable>(
        _ kind: ReadKind, _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        guard !life.isOver else { throw Self.killed }
        return try await database.read(kind, body)
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await acting(.beforeWrite(isOutcome: Value.self == Bool.self), .afterWrite) { () throws(RegistryError) in
            try await database.write { [watch] db in
                let value = try body(db)
                try watch?(db)
                return value
            }
        }
    }

    package func freeze(
        _ freeze: DeliveryFreeze, under lease: Lease?, at clock: (@Sendable () -> Instant)?
    ) async throws(RegistryError) -> AudienceCount? {
        var small = freeze
        small.batchSize = batchSize ?? freeze.batchSize
        return try await acting(.beforeFreeze, .afterFreeze) { [small] () throws(RegistryError) in
            let audience = try await database.freeze(small, under: lease, at: clock)
            if let watch { try await database.write { db in try watch(db) } }
            return audience
        }
    }

    package var isShared: Bool { database.isShared }
    package func own() throws(RegistryError) { try database.own() }
    package func probe() async throws(RegistryError) { try await database.probe() }
    package func fillIndexes() async throws(RegistryError) -> Bool { try await database.fillIndexes() }
    package func news() -> AsyncStream<Bool> { database.news() }
    package func size() async throws(RegistryError) -> Int { try await database.size() }
    package func close() async {}
}

extension Journal {
    /// The journal as a run has it that lives as long as `life`.
    ///
    /// `batchSize` is devices a batch; nil: as many as the delivery says. `fault` is called before and after each
    /// write, which fails then, or its answer is lost. `watch` sees what each write leaves, before it is committed, and
    /// what a freeze has left.
    package func mortal(
        _ life: Life, batchSize: Int? = nil,
        fault: @escaping @Sendable (MortalDatabase.Moment) throws(RegistryError) -> Void = {
            (_) throws(RegistryError) in
        },
        watch: (@Sendable (any RegistryTransaction) throws -> Void)? = nil
    ) -> Journal {
        Journal(
            MortalDatabase(database: database, life: life, batchSize: batchSize, fault: fault, watch: watch),
            clock: clock)
    }
}
