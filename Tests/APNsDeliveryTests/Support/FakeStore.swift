import DeliveryTesting
import JSONValue
import PushModel

@testable import DeliveryJournal
@testable import RegistryModel

/// One run's connection to a ``FakeDatabase``, which dies with the run.
struct FakeStore: DeployWriting {
    let database: FakeDatabase
    var life = Life()
    /// Happens before a write of a name; an error ends the write.
    var before: @Sendable (String) throws(RegistryError) -> Void = { (_) throws(RegistryError) in }

    static let killed = MortalStore.killed

    private var clock: FakeClock { database.clock }

    private func read<Value: Sendable>(
        _ body: (FakeDatabase.State) throws(RegistryError) -> Value
    ) throws(RegistryError) -> Value {
        guard !life.isOver else { throw Self.killed }
        let result: Result<Value, RegistryError> = database.with { state in
            do throws(RegistryError) {
                return .success(try body(state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// A write: the run may be killed before it, or after it and before it knows.
    private func write<Value: Sendable>(
        _ name: String, _ body: (inout FakeDatabase.State) throws(RegistryError) -> Value
    ) async throws(RegistryError) -> Value {
        await Task.yield()
        guard life.act() else { throw Self.killed }
        try before(name)
        let result: Result<Value, RegistryError> = database.with { state in
            do throws(RegistryError) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        guard life.act() else { throw Self.killed }
        return try result.get()
    }

    func now() async throws(RegistryError) -> Instant { clock.now }

    func identity() async throws(RegistryError) -> String { "fake" }

    func records(_ kind: DeployRecord.Kind, of workspace: String) async throws(RegistryError) -> [DeployRecord] {
        try read { state in
            state.records.filter { $0.kind == kind && $0.workspace == workspace }.sorted { $0.key < $1.key }
        }
    }

    func tally(_ kind: DeployRecord.Kind) async throws(RegistryError) -> [String: Int] {
        try read { state in
            Dictionary(state.records.filter { $0.kind == kind }.map { ($0.workspace, 1) }, uniquingKeysWith: +)
        }
    }

    func lock(of workspace: String) async throws(RegistryError) -> DeployLock? { try read { $0.locks[workspace] } }

    func count(_ audience: DeliveryAudience, at now: Instant) async throws(RegistryError) -> AudienceFigures {
        try read { AudienceFigures(devices: $0.tokens.count) }
    }

    func explain(_ audience: DeliveryAudience, at now: Instant) async throws(RegistryError) -> AudienceBreakdown {
        AudienceBreakdown(figures: try await count(audience, at: now))
    }

    func survey(channels: [String], profiles: [String]) async throws(RegistryError) -> DeviceSurvey {
        DeviceSurvey(size: 0)
    }

    func names() async throws(RegistryError) -> RegistryNames { RegistryNames(fields: [], classes: []) }

    func journal(of delivery: String) async throws(RegistryError) -> JournalFigures? {
        try read { $0.figures(delivery) }
    }

    func reached(_ installation: String, by delivery: String) async throws(RegistryError) -> Bool { false }

    func events(of delivery: String) async throws(RegistryError) -> EventFigures? { nil }

    func reach(
        of deliveries: Set<String>, since: Instant?, in audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> [Int: Int] { [:] }

    func forgetReached(before: Instant, of workspace: String, under lease: Lease?) async throws(RegistryError) {}

    func close() async {}

    func acquireLock(
        of workspace: String, holder: String, run: String, lasting length: Duration
    ) async throws(RegistryError) -> DeployLockAttempt {
        let now = clock.now
        return try await write("acquireLock") { state throws(RegistryError) in
            if let lock = state.locks[workspace], !lock.run.isEmpty, lock.expiresAt > now {
                return .held(lock, now: now)
            }
            let lease = Lease(
                workspace: workspace, run: run, fence: (state.locks[workspace]?.fence ?? 0) + 1,
                expiresAt: now + length, length: length)
            state.locks[workspace] = DeployLock(
                holder: holder, run: run, fence: lease.fence, acquiredAt: now, expiresAt: lease.expiresAt,
                lastApplied: nil)
            return .acquired(lease)
        }
    }

    func renew(_ lease: Lease) async throws(RegistryError) -> Lease? {
        var renewed = lease
        renewed.expiresAt = clock.now + .seconds(120)
        return try await write("renew") { [renewed] state throws(RegistryError) in
            guard (try? state.check(lease)) != nil else { return nil }
            state.locks[lease.workspace]?.expiresAt = renewed.expiresAt
            return renewed
        }
    }

    func release(_ lease: Lease, lastApplied: JSONValue?) async throws(RegistryError) {
        try await write("release") { state throws(RegistryError) in
            guard (try? state.check(lease)) != nil else { return }
            state.locks[lease.workspace]?.run = ""
        }
    }

    func unlock(_ workspace: String, fence: Int) async throws(RegistryError) -> Bool { false }

    func put(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError) {
        try await write("put \(record.key)") { state throws(RegistryError) in
            try state.check(lease)
            state.records.removeAll {
                $0.kind == record.kind && $0.key == record.key && $0.workspace == record.workspace
            }
            state.records.append(record)
        }
    }

    func remove(_ record: DeployRecord, under lease: Lease?) async throws(RegistryError) {
        try await write("remove \(record.key)") { state throws(RegistryError) in
            try state.check(lease)
            state.records.removeAll {
                $0.kind == record.kind && $0.key == record.key && $0.workspace == record.workspace
            }
        }
    }

    func freeze(_ delivery: DeliveryFreeze, under lease: Lease?) async throws(RegistryError) -> JournalFigures {
        try await write("freeze") { state throws(RegistryError) in
            try state.check(lease)
            state.freeze(delivery)
            return state.figures(delivery.delivery) ?? JournalFigures(targets: 0)
        }
    }

    func giveUp(
        _ delivery: String, claimedBefore before: Instant?, under lease: Lease?
    ) async throws(RegistryError) {
        try await write("giveUp") { state throws(RegistryError) in
            try state.check(lease)
            state.giveUp(delivery, fence: lease?.fence, before: before)
        }
    }

    func claim(
        from delivery: String, by claimant: String, under lease: Lease?
    ) async throws(RegistryError) -> JournalClaim {
        let now = clock.now
        return try await write("claim") { state throws(RegistryError) in
            try state.check(lease)
            return state.claim(delivery, claimant, lease?.fence ?? 0, now)
        }
    }

    func settle(
        _ batch: JournalBatch, _ failures: [TargetFailure], under lease: Lease?
    ) async throws(RegistryError) -> Bool {
        let now = clock.now
        return try await write("settle") { state throws(RegistryError) in
            try state.check(lease)
            return state.settle(batch, failures, now)
        }
    }

    func reopenDoubtful(_ delivery: String, under lease: Lease?) async throws(RegistryError) {
        let now = clock.now
        try await write("reopen") { state throws(RegistryError) in
            try state.check(lease)
            state.reopenDoubtful(delivery, now)
        }
    }

    func judge(_ delivery: String, _ verdict: StageVerdict, under lease: Lease?) async throws(RegistryError) {
        throw RegistryError(.noEffect, "this store divides no deliveries")
    }

    func close(part: Int, of delivery: String, under lease: Lease?) async throws(RegistryError) {
        throw RegistryError(.noEffect, "this store divides no deliveries")
    }

    func close(_ delivery: String, under lease: Lease?) async throws(RegistryError) -> JournalFigures {
        try await write("close") { state throws(RegistryError) in
            try state.check(lease)
            state.close(delivery)
            return state.figures(delivery) ?? JournalFigures(targets: 0)
        }
    }
}
