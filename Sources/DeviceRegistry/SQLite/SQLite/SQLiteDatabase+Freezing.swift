internal import GRDB
internal import Push

extension SQLiteDatabase {
    /// Freezes in steps that each take less than a second, since there is only one writer at a time.
    func freeze(
        _ freeze: DeliveryFreeze, under lease: Lease?, at clock: (@Sendable () -> Instant)?
    ) async throws(RegistryError) -> AudienceFigures? {
        while true {
            switch try await attempt(freeze, under: lease, at: clock) {
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

    private func attempt(
        _ freeze: DeliveryFreeze, under lease: Lease?, at clock: (@Sendable () -> Instant)?
    ) async throws(RegistryError) -> Ending {
        let attempt = ObjectID.object()
        guard try await write({ try $0.at(clock).beginFreezing(freeze, attempt, under: lease) }) else { return .frozen }
        while try await write({ try $0.at(clock).clearFreezing(freeze, attempt, under: lease) }) {}
        let packer = try await snapshot(
            { connection, write in
                let db = SQLiteTransaction(db: connection).at(clock)
                let sieve = try db.sieve(of: freeze.audience, besides: freeze.delivery, at: db.now)
                var packer = try AudiencePacker(freeze, through: sieve, at: db.now)
                let audience = AudienceSQL(audience: freeze.audience, now: db.now)
                let fields = freeze.audience.words?.fields ?? []
                try audience.each(in: connection, freeze.traits, telling: fields) { fate, token, row, traits in
                    let batches = packer.take(fate, token: token, row: row, traits: traits)
                    if !batches.isEmpty { try write(batches) }
                }
                try write(packer.finish())
                return packer
            },
            write: { batches, db in
                try SQLiteTransaction(db: db).at(clock).add(batches, freeze, attempt, under: lease)
            })
        guard packer.isAllowed else {
            while try await write({ try $0.at(clock).abandonFreezing(freeze, attempt, under: lease) }) {}
            return .refused(packer.figures)
        }
        return try await write { db in
            do {
                try db.at(clock).finishFreezing(packer, freeze, attempt, under: lease)
                return .frozen
            } catch is FreezeOvertaken {
                return .overtaken
            }
        }
    }

    /// Runs `body` on one snapshot of the database; the parts that it passes to `write` are written meanwhile, in
    /// transactions of their own, between other changes.
    private func snapshot<Part: Sendable, Value: Sendable>(
        _ body: @escaping @Sendable (Database, (Part) throws -> Void) throws -> Value,
        write: @escaping @Sendable (Part, Database) throws -> Void
    ) async throws(RegistryError) -> Value {
        do {
            guard let pool = database as? DatabasePool else {
                // A database in memory has a single connection, so the parts are written at the end.
                let (value, parts) = try await look { db in
                    var parts: [Part] = []
                    return (try body(db) { parts.append($0) }, parts)
                }
                for part in parts { try await change { db in try write(part, db) } }
                return value
            }
            return try await pool.read { [files] db in
                try body(db) { part in
                    try pool.write { db in
                        try write(part, db)
                        try files?.check(in: db)
                    }
                }
            }
        } catch {
            throw Self.registryError(from: error)
        }
    }
}
