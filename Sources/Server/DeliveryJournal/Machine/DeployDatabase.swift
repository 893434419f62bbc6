package import JSONValue
package import PushModel
package import RegistryModel

/// Runs transactions on a database.
package protocol DeployDatabase: Sendable {
    /// Runs `body` on one snapshot, read-only.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value

    /// Runs `body` in one transaction, durable when this returns; it is retried after a conflict with another.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value

    /// Freezes an audience, in as many transactions as needed; returns the figures of one whose size is not allowed, of
    /// which nothing is left.
    func freeze(_ freeze: DeliveryFreeze, under lease: Lease?) async throws(RegistryError) -> AudienceFigures?

    /// Ensures that no other process writes journals without a lock.
    func own() throws(RegistryError)

    func close() async
}

/// The reading half of a registry; its results are the same for every database.
package protocol RegistryReading: DeployReading {
    /// The database.
    var access: any DeployDatabase { get }
}

/// The reading half of a registry, whose connections cannot write.
package struct RegistryReader: RegistryReading {
    package let access: any DeployDatabase

    package init(_ database: any DeployDatabase) { access = database }
}

/// A registry for applies; its behavior is the same for every database.
package protocol RegistryWriting: RegistryReading, DeployWriting {}

extension RegistryReading {
    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DeployTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await access.read(body)
    }

    package func now() async throws(RegistryError) -> Instant { try await read { $0.now } }

    package func identity() async throws(RegistryError) -> String { try await read { try $0.identity() } }

    /// Checks that no copy into the registry was interrupted.
    ///
    /// - Throws: ``RegistryError`` that names what finishes it.
    package func checkIsWhole() async throws(RegistryError) { try await read { try $0.checkIsWhole() } }

    package func records(
        _ kind: DeployRecord.Kind, of workspace: String
    ) async throws(RegistryError) -> [DeployRecord] {
        try await read { try $0.records(kind, of: workspace) }
    }

    package func tally(_ kind: DeployRecord.Kind) async throws(RegistryError) -> [String: Int] {
        try await read { try $0.tally(kind) }
    }

    package func lock(of workspace: String) async throws(RegistryError) -> DeployLock? {
        try await read { try $0.lock(of: workspace, .free) }
    }

    package func count(
        _ audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> AudienceFigures {
        try await read { try $0.count(audience, at: now) }
    }

    package func explain(
        _ audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> AudienceBreakdown {
        try await read { try $0.explain(audience, at: now) }
    }

    package func survey(channels: [String], profiles: [String]) async throws(RegistryError) -> DeviceSurvey {
        try await read { try $0.survey(channels: channels, profiles: profiles) }
    }

    package func names() async throws(RegistryError) -> RegistryNames { try await read { try $0.names() } }

    package func journal(of delivery: String) async throws(RegistryError) -> JournalFigures? {
        try await read { try DeployMachine($0).figures(of: delivery) }
    }

    package func reached(_ installation: String, by delivery: String) async throws(RegistryError) -> Bool {
        try await read { try DeployMachine($0).reached(installation, by: delivery) }
    }

    package func reach(
        of deliveries: Set<String>, since: Instant?, in audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> [Int: Int] {
        try await read { try DeployMachine($0).reach(of: deliveries, since: since, in: audience, at: now) }
    }

    package func events(of delivery: String) async throws(RegistryError) -> EventFigures? {
        try await read { try DeployMachine($0).events(of: delivery) }
    }

    package func close() async { await access.close() }
}

extension RegistryWriting {
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (DeployMachine) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await access.write { try body(DeployMachine($0)) }
    }

    /// Writes to a journal; without a lock only as the single process that does so.
    private func journal<Value: Sendable>(
        under lease: Lease?, _ body: @escaping @Sendable (DeployMachine) throws -> Value
    ) async throws(RegistryError) -> Value {
        if lease == nil { try access.own() }
        return try await write(body)
    }

    package func acquireLock(
        of workspace: String, holder: String, run: String, lasting length: Duration
    ) async throws(RegistryError) -> DeployLockAttempt {
        try await write { try $0.acquire(workspace, holder: holder, run: run, lasting: length) }
    }

    package func renew(_ lease: Lease) async throws(RegistryError) -> Lease? {
        try await write { try $0.renew(lease) }
    }

    package func release(_ lease: Lease, lastApplied: JSONValue?) async throws(RegistryError) {
        try await write { try $0.release(lease, lastApplied: lastApplied) }
    }

    package func unlock(_ workspace: String, fence: Int) async throws(RegistryError) -> Bool {
        try await write { try $0.unlock(workspace, fence: fence) }
    }

    package func put(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError) {
        try await write { try $0.put(record, under: lease) }
    }

    package func remove(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError) {
        try await write { try $0.remove(record, under: lease) }
    }

    package func freeze(
        _ freeze: DeliveryFreeze, under lease: Lease?
    ) async throws(RegistryError) -> JournalFigures {
        guard (1...1000).contains(freeze.batchSize), !freeze.audience.routes.isEmpty,
            ["production", "development"].contains(freeze.environment)
        else {
            throw RegistryError(
                internal: "a delivery has batches of 1 to 1,000 devices, a route, and an environment of Apple's")
        }
        if lease == nil { try access.own() }
        if let refused = try await access.freeze(freeze, under: lease) {
            return JournalFigures(targets: refused.devices, leftOut: refused.leftOut, isFrozen: false)
        }
        return try await figures(of: freeze.delivery)
    }

    package func giveUp(
        _ delivery: String, claimedBefore before: Instant?, under lease: Lease?
    ) async throws(RegistryError) {
        try await journal(under: lease) { try $0.giveUp(delivery, claimedBefore: before, under: lease) }
    }

    package func claim(
        from delivery: String, by claimant: String, under lease: Lease?
    ) async throws(RegistryError) -> JournalClaim {
        try await journal(under: lease) { try $0.claim(from: delivery, by: claimant, under: lease) }
    }

    package func settle(
        _ batch: JournalBatch, _ failures: [TargetFailure], under lease: Lease?
    ) async throws(RegistryError) -> Bool {
        try await journal(under: lease) { try $0.settle(batch, failures, under: lease) }
    }

    package func reopenDoubtful(_ delivery: String, under lease: Lease?) async throws(RegistryError) {
        try await journal(under: lease) { try $0.reopenDoubtful(delivery, under: lease) }
    }

    package func judge(
        _ delivery: String, _ verdict: StageVerdict, under lease: Lease?
    ) async throws(RegistryError) {
        try await journal(under: lease) { try $0.judge(delivery, verdict, under: lease) }
    }

    package func close(part: Int, of delivery: String, under lease: Lease?) async throws(RegistryError) {
        try await journal(under: lease) { try $0.close(part: part, of: delivery, under: lease) }
    }

    package func close(
        _ delivery: String, under lease: Lease?
    ) async throws(RegistryError) -> JournalFigures {
        try await journal(under: lease) { try $0.close(delivery, under: lease) }
        while try await write({ try $0.clearMissed(delivery, under: lease) }) {}
        try await write { try $0.packReached(delivery, under: lease) }
        return try await figures(of: delivery)
    }

    package func forgetReached(
        before: Instant, of workspace: String, under lease: Lease?
    ) async throws(RegistryError) {
        try await journal(under: lease) { try $0.forgetReached(before: before, of: workspace, under: lease) }
    }

    private func figures(of delivery: String) async throws(RegistryError) -> JournalFigures {
        guard let figures = try await journal(of: delivery) else { throw .notFound }
        return figures
    }
}
