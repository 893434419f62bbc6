import Base
import DeviceRegistry
import HistoryTesting
import Push
import RegistryTesting
import Synchronization

/// One sender of a trial: it takes the lock, helps who has it, claims, settles, writes the ledger's entry, and is often
/// stopped in between.
final class HistorySender: Sendable {
    private let trial: HistoryTrial
    private let number: Int
    private let skew: Double?
    private let store: Journal
    private let random: Mutex<SeededGenerator>

    /// A sender under the server's clock, or under its own.
    init(_ trial: HistoryTrial, _ number: Int, skew: Double?) async throws {
        (self.trial, self.number, self.skew) = (trial, number, skew)
        if let skew {
            store = try await trial.open { Instant.system.advanced(bySeconds: skew) }
        } else {
            store = try await trial.open(nil)
        }
        random = Mutex(SeededGenerator(seed: trial.seed &* 1000 &+ UInt64(number)))
    }

    private func chance(_ bound: Int) -> Int { random.withLock { Int.random(in: 0..<bound, using: &$0) } }

    /// Something that the registry refuses, and what never happens in a trial.
    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    /// Asks the registry for something; nil when the answer was lost, or the lock was.
    private func ask<Value: Sendable>(
        _ action: HistoryAction, _ body: () async throws(RegistryError) -> (HistoryAnswer, Value?)
    ) async throws -> Value? {
        let told: Value?? = try await trial.recorder.note(number, action) {
            () async throws -> (HistoryAnswer, Value?)? in
            do throws(RegistryError) {
                return try await body()
            } catch {
                if error == .lockLost { return (.lost, nil) }
                guard error.isInternal || error == .late, !error.isSetBack else {
                    throw Unexpected(description: "\(action): \(error)")
                }
                return nil
            }
        } certainty: {
            try await trial.certainty()
        }
        return told ?? nil
    }
}

// MARK: - The operations

extension HistorySender {
    private func acquire(_ run: String) async throws -> Lease? {
        let lease: Lease? = try await ask(.acquire(run: run)) { () throws(RegistryError) in
            let attempt = try await store.acquireLock(
                of: HistoryTrial.workspace, holder: "sender \(number)", run: run, lasting: HistoryTrial.term)
            switch attempt {
            case .acquired(let lease): return (lease.answer, lease)
            case .held(let lock, let now): return (.held(Holding(lock.run, lock.fence), at: now.milliseconds), nil)
            }
        }
        if let lease { trial.note(lease) }
        return lease
    }

    private func renew(_ lease: Lease) async throws {
        let _: Bool? = try await ask(.renew(lease.holding)) { () throws(RegistryError) in
            (try await store.renew(lease)?.answer ?? .lost, true)
        }
    }

    private func release(_ lease: Lease) async throws {
        let _: Bool? = try await ask(.release(lease.holding)) { () throws(RegistryError) in
            try await store.release(lease, lastApplied: nil)
            return (.done, true)
        }
    }

    private func look() async throws {
        let _: Bool? = try await ask(.look) { () throws(RegistryError) in
            let lock = try await store.lock(of: HistoryTrial.workspace)
            return (.lock(Holding(lock?.run ?? "", lock?.fence ?? 0)), true)
        }
    }

    private func giveUp(_ lease: Lease, before: Instant? = nil) async throws {
        let _: Bool? = try await ask(.giveUp(lease.holding)) { () throws(RegistryError) in
            try await store.giveUp(HistoryTrial.delivery, claimedBefore: before, under: lease)
            return (.done, true)
        }
    }

    private func claim(_ lease: Lease) async throws -> JournalBatch? {
        try await ask(.claim(lease.holding)) { () throws(RegistryError) in
            let claim = try await store.claim(from: HistoryTrial.delivery, by: "sender \(number)", under: lease)
            guard case .batch(let batch) = claim else { return (.nothing, nil) }
            return (.batch(batch.number, batch.devices), batch)
        }
    }

    private func settle(_ batch: JournalBatch, again: [Int], _ lease: Lease) async throws {
        let failures = again.map {
            TargetFailure(index: $0, ending: .again(after: Instant(milliseconds: 0)), reason: "later")
        }
        let back = Set(again.map { batch.targets[$0].token })
        let action = HistoryAction.settle(lease.holding, batch: batch.number, devices: batch.devices, again: back)
        let _: Bool? = try await ask(action) { () throws(RegistryError) in
            (try await store.settle(batch, failures, under: lease) ? .done : .nothing, true)
        }
    }

    private func write(_ lease: Lease, _ count: Int) async throws {
        let record = DeployRecord(
            workspace: HistoryTrial.workspace, kind: .ledger, key: HistoryTrial.delivery,
            document: ["n": .integer(Int64(count))])
        let _: Bool? = try await ask(.write(lease.holding, count)) { () throws(RegistryError) in
            try await store.put(record, under: lease)
            return (.done, true)
        }
    }

    private var entry: HistoryEntry? {
        get async throws(RegistryError) {
            try await store.records(.ledger, of: HistoryTrial.workspace).first.map {
                HistoryEntry($0.fence, Int($0.document["n"]?.integer ?? 0))
            }
        }
    }

    private func read() async throws {
        let _: Bool? = try await ask(.read) { () throws(RegistryError) in (.entry(try await entry), true) }
    }
}

// MARK: - The work

extension HistorySender {
    /// Freezes the delivery's audience under the first fence.
    func begin() async throws {
        guard let lease = try await acquire("begin") else { throw Unexpected(description: "no lock") }
        let freeze = DeliveryFreeze(
            delivery: HistoryTrial.delivery, workspace: HistoryTrial.workspace, audience: .devices(),
            batchSize: HistoryTrial.batchSize, environment: "production")
        let figures = try await store.freeze(freeze, under: lease)
        guard figures.targets == HistoryTrial.devices else { throw Unexpected(description: "\(figures)") }
        try await release(lease)
    }

    /// Works as long as the server is disturbed.
    func send() async throws {
        var round = 0
        while !trial.isOver {
            round += 1
            if let lease = try await acquire("\(number)-\(round)") {
                try await giveUp(lease)
                try await hold(lease)
                continue
            }
            switch chance(4) {
            case 0: try await look()
            case 1: try await read()
            default:
                // Under the lease that it last heard of, which may be over.
                guard let lease = trial.lease else { break }
                for _ in 0..<2 { try await deliver(lease, mayStall: false) }
            }
            // Who has the lock has the processor.
            try await Task.sleep(for: .milliseconds(5))
        }
        await store.close()
    }

    /// Works under the lock, and frees it or is killed.
    private func hold(_ lease: Lease) async throws {
        for count in 1...(5 + chance(20)) where !trial.isOver {
            switch chance(10) {
            case 0: try await renew(lease)
            case 1...2: try await write(lease, count)
            case 3: try await read()
            default: try await deliver(lease, mayStall: true)
            }
        }
        if chance(3) > 0 { try await release(lease) }
    }

    /// Sends to a batch: all, all but one, or it is forgotten.
    private func deliver(_ lease: Lease, mayStall: Bool) async throws {
        guard let batch = try await claim(lease) else { return }
        if mayStall, chance(12) == 0 { try await stall(lease) }
        switch chance(12) {
        case 0: break
        case 1...3: try await settle(batch, again: [chance(batch.targets.count)], lease)
        default: try await settle(batch, again: [], lease)
        }
    }

    /// Does nothing until another has the lock, as a process that is stopped.
    private func stall(_ lease: Lease) async throws {
        // Whose clock is ahead is not thought over by anybody.
        guard skew ?? 0 <= 0 else { return }
        while !trial.isOver, trial.lease?.fence == lease.fence { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Delivers the rest when all others are gone, closes the delivery and says what the database knows.
    func end() async throws -> HistoryEnd {
        // Its own clock is none: whoever has it by theirs loses it.
        if let lock = try await store.lock(of: HistoryTrial.workspace), !lock.run.isEmpty {
            let held = Lease(
                workspace: HistoryTrial.workspace, run: lock.run, fence: lock.fence, expiresAt: lock.expiresAt)
            try await release(held)
        }
        guard let lease = try await acquire("end") else { throw Unexpected(description: "no lock in the end") }
        try await giveUp(lease)
        while let batch = try await claim(lease) { try await settle(batch, again: [], lease) }
        try await look()
        try await read()
        let figures = try await store.close(HistoryTrial.delivery, under: lease)
        let ids = try await trial.admin.use { session in
            try session.rows("SELECT token, objectId FROM installation").map { ($0.string(0), $0.string(1)) }
        }
        var reached: Set<String> = []
        for (token, id) in ids where try await store.reached(id, by: HistoryTrial.delivery) { reached.insert(token) }
        let outcome = HistoryEnd(
            targets: figures.targets, accepted: figures.accepted, inDoubt: figures.inDoubt,
            others: figures.missed + figures.waiting + figures.underWay, reached: reached, entry: try await entry)
        await store.close()
        return outcome
    }
}

extension Lease {
    fileprivate var holding: Holding { Holding(run, fence) }

    fileprivate var answer: HistoryAnswer {
        let until = expiresAt.milliseconds
        return .granted(fence: fence, at: until - length.milliseconds, until: until)
    }
}

extension JournalBatch {
    fileprivate var devices: Set<String> { Set(targets.map(\.token)) }
}
