import DeliveryTesting
import JSONValue
import PushModel
import Synchronization

@testable import DeliveryJournal
@testable import RegistryModel

/// A registry in memory: what several connections see.
final class FakeDatabase: Sendable {
    struct Device: Sendable {
        var profile: String
        var badge = 0
        var isValid = true
        var isProven = false
    }

    enum Standing: Hashable, Sendable {
        case waiting
        case underWay(Int)
        case accepted
        case refused(String)
        case inDoubt
    }

    struct Row: Sendable {
        var token: String
        var profile: String
        var standing = Standing.waiting
        var notBefore = Instant(milliseconds: 0)
        var attempts = 0
        var badge: Int?
    }

    struct Batch: Sendable {
        var rows: [Int]
        var claimant: String
        var fence: Int
        var claimedAt: Instant
    }

    struct Journal: Sendable {
        var freeze: DeliveryFreeze
        var rows: [Row]
        var batches: [Int: Batch] = [:]
        var lastNumber = 0
        /// Before it no row waits.
        var firstWaiting = 0
        var isClosed = false
        var lastOutcomeAt: Instant?
        var missed = 0
        /// The most batches that were ever open at a time.
        var mostOpen = 0
    }

    struct State: Sendable {
        var devices: [String: Device] = [:]
        var tokens: [String] = []
        var journals: [String: Journal] = [:]
        var records: [DeployRecord] = []
        var locks: [String: DeployLock] = [:]
    }

    let clock: FakeClock
    private let state = Mutex(State())

    init(clock: FakeClock) { self.clock = clock }

    func with<Value: Sendable>(_ body: (inout State) throws -> Value) rethrows -> Value {
        try state.withLock { try body(&$0) }
    }

    /// Adds devices `t0`, `t1`, … of profiles in turn; their tokens.
    func add(devices count: Int, profiles: [String] = ["app"]) {
        with { state in
            for index in 0..<count {
                let token = Self.token(index)
                state.tokens.append(token)
                state.devices[token] = Device(profile: profiles[index % profiles.count])
            }
        }
    }

    /// A token that looks like one.
    static func token(_ index: Int) -> String {
        let digits = String(index, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// What the journal says of each device.
    func standings(_ delivery: String) -> [String: Standing] {
        with { state in
            Dictionary((state.journals[delivery]?.rows ?? []).map { ($0.token, $0.standing) }) { first, _ in first }
        }
    }
}

extension FakeDatabase.State {
    func check(_ lease: Lease?) throws(RegistryError) {
        guard let lease else { return }
        guard let lock = locks[lease.workspace], lock.run == lease.run, lock.fence == lease.fence else {
            throw .lockLost
        }
    }

    func figures(_ delivery: String) -> JournalFigures? {
        guard let journal = journals[delivery] else { return nil }
        var figures = JournalFigures(
            targets: journal.rows.count, missed: journal.missed, isClosed: journal.isClosed,
            lastOutcomeAt: journal.lastOutcomeAt)
        for row in journal.rows {
            switch row.standing {
            case .waiting: figures.waiting += journal.isClosed ? 0 : 1
            case .underWay: figures.underWay += 1
            case .accepted: figures.accepted += 1
            case .refused(let reason): figures.refused[reason, default: 0] += 1
            case .inDoubt: figures.inDoubt += 1
            }
        }
        return figures
    }

    mutating func freeze(_ freeze: DeliveryFreeze) {
        guard journals[freeze.delivery] == nil else { return }
        var rows: [FakeDatabase.Row] = []
        let profiles = Set(freeze.audience.routes.map(\.profile))
        switch freeze.audience.selection {
        case .condition:
            for token in tokens {
                guard let device = devices[token], device.isValid, profiles.contains(device.profile) else { continue }
                rows.append(FakeDatabase.Row(token: token, profile: device.profile))
            }
        case .tokens(let tokens):
            for token in tokens {
                rows.append(FakeDatabase.Row(token: token, profile: freeze.audience.routes[0].profile))
            }
        }
        journals[freeze.delivery] = FakeDatabase.Journal(freeze: freeze, rows: rows)
    }

    mutating func claim(_ delivery: String, _ claimant: String, _ fence: Int, _ now: Instant) -> JournalClaim {
        guard var journal = journals[delivery], !journal.isClosed else { return .finished }
        defer { journals[delivery] = journal }
        while journal.firstWaiting < journal.rows.count, journal.rows[journal.firstWaiting].standing != .waiting {
            journal.firstWaiting += 1
        }
        var chosen: [Int] = []
        var next: Instant?
        for index in journal.firstWaiting..<journal.rows.count where journal.rows[index].standing == .waiting {
            let row = journal.rows[index]
            if row.notBefore > now {
                next = min(next ?? row.notBefore, row.notBefore)
            } else if chosen.isEmpty || journal.rows[chosen[0]].profile == row.profile {
                chosen.append(index)
                if chosen.count == journal.freeze.batchSize { break }
            }
        }
        guard let first = chosen.first else {
            if let next { return .waitUntil(next) }
            return journal.batches.values.map(\.claimedAt).min().map { .othersAtWork(since: $0) } ?? .finished
        }
        journal.lastNumber += 1
        for index in chosen {
            journal.rows[index].standing = .underWay(journal.lastNumber)
            if journal.freeze.raisesBadges, journal.rows[index].badge == nil {
                devices[journal.rows[index].token]?.badge += 1
                journal.rows[index].badge = devices[journal.rows[index].token]?.badge
            }
        }
        journal.batches[journal.lastNumber] = FakeDatabase.Batch(
            rows: chosen, claimant: claimant, fence: fence, claimedAt: now)
        journal.mostOpen = max(journal.mostOpen, journal.batches.count)
        return .batch(
            JournalBatch(
                delivery: delivery, number: journal.lastNumber, claimant: claimant,
                profile: journal.rows[first].profile,
                targets: chosen.map {
                    JournalTarget(
                        token: journal.rows[$0].token, badge: journal.rows[$0].badge,
                        attempts: journal.rows[$0].attempts)
                }))
    }

    mutating func settle(_ batch: JournalBatch, _ failures: [TargetFailure], _ now: Instant) -> Bool {
        guard var journal = journals[batch.delivery], let open = journal.batches.removeValue(forKey: batch.number)
        else { return false }
        var standings = Array(repeating: FakeDatabase.Standing.accepted, count: open.rows.count)
        for failure in failures {
            let index = open.rows[failure.index]
            let token = journal.rows[index].token
            switch failure.ending {
            case .refused: standings[failure.index] = .refused(failure.reason)
            case .dead:
                standings[failure.index] = .refused(failure.reason)
                devices[token]?.isValid = false
            case .deadIfProven:
                standings[failure.index] = .refused(failure.reason)
                if devices[token]?.isProven == true { devices[token]?.isValid = false }
            case .again(let time):
                standings[failure.index] = .waiting
                journal.rows[index].notBefore = time
                journal.firstWaiting = min(journal.firstWaiting, index)
            case .inDoubt: standings[failure.index] = .inDoubt
            }
        }
        for (place, index) in open.rows.enumerated() {
            journal.rows[index].standing = standings[place]
            journal.rows[index].attempts += 1
            if standings[place] == .accepted { devices[journal.rows[index].token]?.isProven = true }
        }
        journal.lastOutcomeAt = now
        journals[batch.delivery] = journal
        return true
    }

    mutating func giveUp(_ delivery: String, fence: Int?, before: Instant?) {
        guard var journal = journals[delivery] else { return }
        for (number, batch) in journal.batches {
            let isEarlier = fence.map { batch.fence < $0 } ?? false
            guard isEarlier || before.map({ batch.claimedAt < $0 }) ?? false else { continue }
            for index in batch.rows { journal.rows[index].standing = .inDoubt }
            journal.batches[number] = nil
        }
        journals[delivery] = journal
    }

    mutating func reopenDoubtful(_ delivery: String, _ now: Instant) {
        guard var journal = journals[delivery] else { return }
        for index in journal.rows.indices where journal.rows[index].standing == .inDoubt {
            journal.rows[index].standing = .waiting
        }
        journal.firstWaiting = 0
        journal.isClosed = false
        journal.lastOutcomeAt = now
        journals[delivery] = journal
    }

    mutating func close(_ delivery: String) {
        guard var journal = journals[delivery], !journal.isClosed else { return }
        journal.missed = 0
        for row in journal.rows {
            switch row.standing {
            case .waiting, .underWay: journal.missed += 1
            case .accepted, .refused, .inDoubt: break
            }
        }
        journal.isClosed = true
        journals[delivery] = journal
    }
}
