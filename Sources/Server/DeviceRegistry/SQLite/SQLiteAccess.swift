internal import DeliveryJournal
internal import GRDB
internal import PushModel
internal import RegistryModel

/// A registry's database with a clock.
struct SQLiteAccess: DeployDatabase {
    let reading: SQLiteReading
    /// The writable database; nil when read-only.
    let database: SQLiteDatabase?
    let clock: @Sendable () -> Instant

    private func writer() throws(RegistryError) -> SQLiteDatabase {
        guard let database else { throw RegistryError(internal: "the database is read-only here") }
        return database
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await reading.read { db in try body(SQLiteTransaction(db: db, now: clock())) }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await writer().change { db in try body(SQLiteTransaction(db: db, now: clock())) }
    }

    /// Freezes in steps that each take less than a second, since there is only one writer at a time.
    func freeze(_ freeze: DeliveryFreeze, under lease: Lease?) async throws(RegistryError) -> AudienceFigures? {
        while true {
            switch try await attempt(freeze, under: lease) {
            case .frozen: return nil
            case .refused(let figures): return figures
            case .overtaken: break
            }
        }
    }

    /// The ways an attempt to freeze ends.
    private enum Ending {
        case frozen
        /// The size of the audience is not allowed.
        case refused(AudienceFigures)
        /// Another audience that counts for the rules of this one was frozen meanwhile.
        case overtaken
    }

    private func attempt(_ freeze: DeliveryFreeze, under lease: Lease?) async throws(RegistryError) -> Ending {
        let attempt = ObjectID.object()
        guard try await write({ try DeployMachine($0).beginFreezing(freeze, attempt, under: lease) }) else {
            return .frozen
        }
        while try await write({ try DeployMachine($0).clearFreezing(freeze, attempt, under: lease) }) {}
        let packer = try await writer().snapshot(
            { db, write in
                let now = clock()
                let sieve = try DeployMachine(SQLiteTransaction(db: db, now: now))
                    .sieve(of: freeze.audience, besides: freeze.delivery, at: now)
                var packer = try AudiencePacker(freeze, through: sieve, at: now)
                let audience = AudienceSQL(audience: freeze.audience, now: now)
                let fields = freeze.audience.words?.fields ?? []
                try audience.each(in: db, freeze.traits, telling: fields) { fate, token, row, traits in
                    let batches = packer.take(fate, token: token, row: row, traits: traits)
                    if !batches.isEmpty { try write(batches) }
                }
                try write(packer.finish())
                return packer
            },
            write: { batches, db in
                try DeployMachine(SQLiteTransaction(db: db, now: clock())).add(batches, freeze, attempt, under: lease)
            })
        guard packer.isAllowed else {
            while try await write({ try DeployMachine($0).abandonFreezing(freeze, attempt, under: lease) }) {}
            return .refused(packer.figures)
        }
        return try await write { transaction in
            do {
                try DeployMachine(transaction).finishFreezing(packer, freeze, attempt, under: lease)
                return .frozen
            } catch is FreezeOvertaken {
                return .overtaken
            }
        }
    }

    func own() throws(RegistryError) { try writer().own() }

    func close() async {
        if let database { database.shut() } else { try? reading.database.close() }
    }
}
