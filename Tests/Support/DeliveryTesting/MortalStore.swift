package import DeliveryJournal
package import JSONValue
package import PushModel
package import RegistryModel

/// One run's connection to a real store, which dies with the run: before a write, or after it and before it knows.
package struct MortalStore: DeployWriting {
    private let store: any DeployWriting
    private let life: Life
    private let batchSize: Int?
    private let fault: @Sendable () throws(RegistryError) -> Void

    /// The error that a killed run gets.
    package static let killed = RegistryError(.other, "this run was killed")

    /// Writes while the run lives.
    ///
    /// `batchSize` is devices a batch; nil: as many as the delivery says. `fault` is called before and after each
    /// write, which fails then, or its answer is lost.
    package init(
        store: any DeployWriting, life: Life, batchSize: Int? = nil,
        fault: @escaping @Sendable () throws(RegistryError) -> Void = { () throws(RegistryError) in }
    ) {
        self.store = store
        self.life = life
        self.batchSize = batchSize
        self.fault = fault
    }

    private func acting<Value: Sendable>(
        _ body: () async throws(RegistryError) -> Value
    ) async throws(RegistryError) -> Value {
        guard life.act() else { throw Self.killed }
        try fault()
        let value = try await body()
        try fault()
        guard life.act() else { throw Self.killed }
        return value
    }

    private func reading<Value: Sendable>(
        _ body: () async throws(RegistryError) -> Value
    ) async throws(RegistryError) -> Value {
        guard !life.isOver else { throw Self.killed }
        return try await body()
    }

    package func now() async throws(RegistryError) -> Instant {
        try await reading { () throws(RegistryError) in try await store.now() }
    }

    package func identity() async throws(RegistryError) -> String {
        try await reading { () throws(RegistryError) in try await store.identity() }
    }

    package func records(_ kind: DeployRecord.Kind, of workspace: String) async throws(RegistryError) -> [DeployRecord]
    {
        try await reading { () throws(RegistryError) in try await store.records(kind, of: workspace) }
    }

    package func tally(_ kind: DeployRecord.Kind) async throws(RegistryError) -> [String: Int] {
        try await reading { () throws(RegistryError) in try await store.tally(kind) }
    }

    package func lock(of workspace: String) async throws(RegistryError) -> DeployLock? {
        try await reading { () throws(RegistryError) in try await store.lock(of: workspace) }
    }

    package func count(_ audience: DeliveryAudience, at now: Instant) async throws(RegistryError) -> AudienceFigures {
        try await reading { () throws(RegistryError) in try await store.count(audience, at: now) }
    }

    package func explain(
        _ audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> AudienceBreakdown {
        try await reading { () throws(RegistryError) in try await store.explain(audience, at: now) }
    }

    package func survey(channels: [String], profiles: [String]) async throws(RegistryError) -> DeviceSurvey {
        try await reading { () throws(RegistryError) in try await store.survey(channels: channels, profiles: profiles) }
    }

    package func names() async throws(RegistryError) -> RegistryNames {
        try await reading { () throws(RegistryError) in try await store.names() }
    }

    package func journal(of delivery: String) async throws(RegistryError) -> JournalFigures? {
        try await reading { () throws(RegistryError) in try await store.journal(of: delivery) }
    }

    package func events(of delivery: String) async throws(RegistryError) -> EventFigures? {
        try await reading { () throws(RegistryError) in try await store.events(of: delivery) }
    }

    package func reached(_ installation: String, by delivery: String) async throws(RegistryError) -> Bool {
        try await reading { () throws(RegistryError) in try await store.reached(installation, by: delivery) }
    }

    package func reach(
        of deliveries: Set<String>, since: Instant?, in audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> [Int: Int] {
        try await reading { () throws(RegistryError) in
            try await store.reach(of: deliveries, since: since, in: audience, at: now)
        }
    }

    package func close() async {}

    package func acquireLock(
        of workspace: String, holder: String, run: String, lasting length: Duration
    ) async throws(RegistryError) -> DeployLockAttempt {
        try await acting { () throws(RegistryError) in
            try await store.acquireLock(of: workspace, holder: holder, run: run, lasting: length)
        }
    }

    package func renew(_ lease: Lease) async throws(RegistryError) -> Lease? {
        try await acting { () throws(RegistryError) in try await store.renew(lease) }
    }

    package func release(_ lease: Lease, lastApplied: JSONValue?) async throws(RegistryError) {
        try await acting { () throws(RegistryError) in try await store.release(lease, lastApplied: lastApplied) }
    }

    package func unlock(_ workspace: String, fence: Int) async throws(RegistryError) -> Bool {
        try await acting { () throws(RegistryError) in try await store.unlock(workspace, fence: fence) }
    }

    package func put(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError) {
        try await acting { () throws(RegistryError) in try await store.put(record, under: lease) }
    }

    package func remove(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError) {
        try await acting { () throws(RegistryError) in try await store.remove(record, under: lease) }
    }

    package func freeze(_ delivery: DeliveryFreeze, under lease: Lease?) async throws(RegistryError)
        -> JournalFigures
    {
        var delivery = delivery
        delivery.batchSize = batchSize ?? delivery.batchSize
        let small = delivery
        return try await acting { () throws(RegistryError) in try await store.freeze(small, under: lease) }
    }

    package func giveUp(
        _ delivery: String, claimedBefore before: Instant?, under lease: Lease?
    ) async throws(RegistryError) {
        try await acting { () throws(RegistryError) in
            try await store.giveUp(delivery, claimedBefore: before, under: lease)
        }
    }

    package func claim(
        from delivery: String, by claimant: String, under lease: Lease?
    ) async throws(RegistryError) -> JournalClaim {
        try await acting { () throws(RegistryError) in
            try await store.claim(from: delivery, by: claimant, under: lease)
        }
    }

    package func settle(
        _ batch: JournalBatch, _ failures: [TargetFailure], under lease: Lease?
    ) async throws(RegistryError) -> Bool {
        try await acting { () throws(RegistryError) in try await store.settle(batch, failures, under: lease) }
    }

    package func reopenDoubtful(_ delivery: String, under lease: Lease?) async throws(RegistryError) {
        try await acting { () throws(RegistryError) in try await store.reopenDoubtful(delivery, under: lease) }
    }

    package func judge(_ delivery: String, _ verdict: StageVerdict, under lease: Lease?) async throws(RegistryError) {
        try await acting { () throws(RegistryError) in try await store.judge(delivery, verdict, under: lease) }
    }

    package func close(part: Int, of delivery: String, under lease: Lease?) async throws(RegistryError) {
        try await acting { () throws(RegistryError) in try await store.close(part: part, of: delivery, under: lease) }
    }

    package func close(_ delivery: String, under lease: Lease?) async throws(RegistryError) -> JournalFigures {
        try await acting { () throws(RegistryError) in try await store.close(delivery, under: lease) }
    }

    package func forgetReached(before: Instant, of workspace: String, under lease: Lease?) async throws(RegistryError) {
        try await acting { () throws(RegistryError) in
            try await store.forgetReached(before: before, of: workspace, under: lease)
        }
    }
}
