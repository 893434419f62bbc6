internal import GRDB

extension RegistryStore {
    package func freeze(
        _ freeze: DeliveryFreeze, under lease: DeployLease?
    ) async throws(RegistryError) -> JournalFigures {
        guard (1...1000).contains(freeze.batchSize), !freeze.audience.routes.isEmpty,
            ["production", "development"].contains(freeze.environment)
        else {
            throw RegistryError(
                internal: "a delivery has batches of 1 to 1,000 devices, a route, and an environment of Apple's")
        }
        let attempt = ObjectID.object()
        @Sendable func freezing(_ db: Database) -> JournalFreezing {
            JournalFreezing(db: db, freeze: freeze, lease: lease, attempt: attempt)
        }
        if let figures = try await registry.write({ try freezing($0).begin() }) { return figures }
        while try await registry.write({ try freezing($0).clear() }) {}
        let leftOut = try await registry.snapshot(
            { db, write in try AudienceFreezer(freeze: freeze, now: clock()).run(in: db, write: write) },
            write: { batches, db in try freezing(db).add(batches) })
        return try await registry.write { try freezing($0).finish(leftOut) }
    }

    package func giveUp(
        _ delivery: String, claimedBefore before: Timestamp?, under lease: DeployLease?
    ) async throws(RegistryError) {
        try await changeBegun(delivery, lease) { try $0.giveUp(fence: lease?.fence, before: before) }
    }

    package func claim(
        from delivery: String, by claimant: String, under lease: DeployLease?
    ) async throws(RegistryError) -> JournalClaim {
        try await registry.write { db in
            let journal = try JournalRow.frozen(delivery, in: db)
            try LockTable(db: db).check(lease, of: journal.workspace)
            return try JournalClaiming(
                db: db, journal: journal, claimant: claimant, fence: lease?.fence ?? 0, now: clock()
            ).run()
        }
    }

    package func settle(
        _ batch: JournalBatch, _ failures: [TargetFailure], under lease: DeployLease?
    ) async throws(RegistryError) -> Bool {
        try await change(batch.delivery, lease) { try $0.settle(batch, failures) }
    }

    package func reopenDoubtful(_ delivery: String, under lease: DeployLease?) async throws(RegistryError) {
        try await changeBegun(delivery, lease) { try $0.reopenDoubtful() }
    }

    package func close(
        _ delivery: String, under lease: DeployLease?
    ) async throws(RegistryError) -> JournalFigures {
        try await changeBegun(delivery, lease) { try $0.close() }
        while try await changeBegun(delivery, lease, { try $0.clearMissed() }) == true {}
        guard let figures = try await journal(of: delivery) else { throw .notFound }
        return figures
    }

    private func change<Value: Sendable>(
        _ delivery: String, _ lease: DeployLease?, _ body: @escaping @Sendable (JournalSettling) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await registry.write { db in
            let journal = try JournalRow.frozen(delivery, in: db)
            try LockTable(db: db).check(lease, of: journal.workspace)
            return try body(JournalSettling(db: db, journal: journal, now: clock()))
        }
    }

    /// Changes the journal of a delivery that was begun, whether its audience is whole or not: a crash before that
    /// leaves nothing in doubt. Of one that was not begun there is nothing to change.
    @discardableResult
    private func changeBegun<Value: Sendable>(
        _ delivery: String, _ lease: DeployLease?, _ body: @escaping @Sendable (JournalSettling) throws -> Value
    ) async throws(RegistryError) -> Value? {
        try await registry.write { db in
            guard let journal = try JournalRow.find(delivery, in: db) else { return nil }
            try LockTable(db: db).check(lease, of: journal.workspace)
            return try body(JournalSettling(db: db, journal: journal, now: clock()))
        }
    }
}
