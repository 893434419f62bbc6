internal import PostgresClient

extension PostgresRegistry {
    package func freeze(
        _ freeze: DeliveryFreeze, under lease: DeployLease?
    ) async throws(RegistryError) -> JournalFigures {
        guard (1...1000).contains(freeze.batchSize), !freeze.audience.routes.isEmpty,
            ["production", "development"].contains(freeze.environment)
        else {
            throw RegistryError(
                internal: "a delivery has batches of 1 to 1,000 devices, a route, and an environment of Apple's")
        }
        try await database.write(looksUp: false) { session in
            try PostgresFreezing(session: session, freeze: freeze, lease: lease, now: database.now(in: session)).run()
        }
        return try await figures(of: freeze.delivery)
    }

    package func giveUp(
        _ delivery: String, claimedBefore before: Timestamp?, under lease: DeployLease?
    ) async throws(RegistryError) {
        _ = try await change(delivery, lease) { try $0.giveUp(fence: lease?.fence, before: before) }
    }

    package func claim(
        from delivery: String, by claimant: String, under lease: DeployLease?
    ) async throws(RegistryError) -> JournalClaim {
        try await database.write { session in
            let journal = try PostgresJournal.frozen(delivery, in: session)
            try PostgresLocks(session).check(lease, of: journal.workspace)
            return try PostgresClaiming(
                session: session, journal: journal, claimant: claimant, fence: lease?.fence ?? 0,
                now: database.now(in: session)
            ).run()
        }
    }

    package func settle(
        _ batch: JournalBatch, _ failures: [TargetFailure], under lease: DeployLease?
    ) async throws(RegistryError) -> Bool {
        let isSettled = try await change(batch.delivery, lease) { try $0.settle(batch, failures) }
        guard let isSettled else { throw RegistryError(.notFound, "The delivery '\(batch.delivery)' was not begun.") }
        return isSettled
    }

    package func reopenDoubtful(_ delivery: String, under lease: DeployLease?) async throws(RegistryError) {
        _ = try await change(delivery, lease, hold: "UPDATE") { try $0.reopenDoubtful() }
    }

    package func close(
        _ delivery: String, under lease: DeployLease?
    ) async throws(RegistryError) -> JournalFigures {
        _ = try await change(delivery, lease, hold: "UPDATE") { try $0.close() }
        return try await figures(of: delivery)
    }

    private func figures(of delivery: String) async throws(RegistryError) -> JournalFigures {
        guard let figures = try await journal(of: delivery) else { throw .notFound }
        return figures
    }

    /// Changes the journal of a delivery; of one that was not begun there is nothing to change.
    private func change<Value: Sendable>(
        _ delivery: String, _ lease: DeployLease?, hold: String = "SHARE",
        _ body: @escaping @Sendable (PostgresSettling) throws -> Value
    ) async throws(RegistryError) -> Value? {
        try await database.write { session in
            guard let journal = try PostgresJournal.find(delivery, in: session, hold: hold) else { return nil }
            try PostgresLocks(session).check(lease, of: journal.workspace)
            return try body(
                PostgresSettling(session: session, journal: journal, now: database.now(in: session)))
        }
    }
}
