import Base
import DeviceRegistry
import Push
import RegistryTesting
import Testing

/// Both databases answer alike, whatever is asked in whatever order.
@Suite(hasServer) struct LockstepTests {
    @Test(arguments: isLong ? 1...20 : 1...3)
    func bothDatabasesAnswerAlike(seed: UInt64) async throws {
        let fixture = try await PostgresFixture.make()
        let pair = try await StorePair(fixture, seed: seed)
        for _ in 0..<(isLong ? 1000 : 220) { try await pair.step() }
        await fixture.close()
    }
}

/// Answers that differ.
private struct Difference: Error, CustomStringConvertible {
    let description: String
}

/// A registry in SQLite and one in PostgreSQL under one clock, of which everything is asked twice.
private final class StorePair {
    private let fixture: PostgresFixture
    private let registry: Registry
    private let stores: [Journal]
    private let seed: UInt64
    private var generator: SeededGenerator
    private var count = 0

    /// Leases that were ever given, and no lease.
    private var leases: [Lease?] = [nil]
    /// Batches that were claimed, and perhaps forgotten by whoever claimed them.
    private var held: [JournalBatch] = []
    private var tokens: [String] = []

    private static let deliveries = ["aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc"]
    private static let runs = ["run-1", "run-2", "run-3"]
    private static let routes = [
        DeliveryRoute(profile: "shop", topic: "com.example.shop", isDefault: true),
        DeliveryRoute(profile: "driver", topic: "com.example.driver", isDefault: false),
    ]

    init(_ fixture: PostgresFixture, seed: UInt64) async throws {
        self.fixture = fixture
        (self.seed, generator) = (seed, SeededGenerator(seed: seed))
        registry = try Registry.testInMemory(isInline: true)
        stores = [Journal(registry) { fixture.now }, try await fixture.open()]
        for index in 0..<40 { try await register(index) }
    }

    /// A number from 0 to below `bound`.
    private func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private func one<Element>(of list: [Element]) -> Element { list[number(list.count)] }

    /// Asks both; nil when they refuse.
    @discardableResult
    private func ask<Value: Equatable & Sendable>(
        _ what: String, _ body: (Journal) async throws -> Value
    ) async throws -> Value? {
        var answers: [Result<Value, RegistryError>] = []
        for store in stores {
            do {
                answers.append(.success(try await body(store)))
            } catch let error as RegistryError {
                answers.append(.failure(error))
            }
        }
        guard answers[0] == answers[1] else {
            throw Difference(description: "seed \(seed), step \(count), \(what): \(answers[0]) is not \(answers[1])")
        }
        return try? answers[0].get()
    }

    /// A device comes, under a token of its own or a new one.
    private func register(_ index: Int) async throws {
        let token = "ab" + String(1000 + number(20) * 100 + index)
        if !tokens.contains(token) { tokens.append(token) }
        var device: JSONObject = [
            "deviceType": "ios", "installationId": .string("i\(index)"), "deviceToken": .string(token),
        ]
        if number(3) == 0 { device["deviceProfile"] = one(of: ["shop", "driver", "other"]) }
        if number(5) == 0 { device["badge"] = .integer(Int64(number(9))) }
        try await fixture.register([.object(device)], at: fixture.now)
        _ = try await registry.create(device, in: .installation, as: .master, at: fixture.now)
    }

    func step() async throws {
        count += 1
        let (delivery, run) = (one(of: Self.deliveries), one(of: Self.runs))
        // Mostly the newest lease; sometimes one that was lost, or none.
        let lease = number(8) == 0 ? one(of: leases) : leases[leases.count - 1]
        switch number(30) {
        case 0: try await fixture.advance(seconds: Double(number(60)))
        case 1: try await fixture.advance(seconds: number(3) == 0 ? -Double(number(20)) : Double(number(200)))
        case 2: try await register(number(40))
        case 3...4:
            let attempt = try await ask("acquire") {
                try await $0.acquireLock(of: "shop", holder: "holder of \(run)", run: run)
            }
            if case .acquired(let lease)? = attempt { leases.append(lease) }
        case 5:
            guard let lease else { break }
            try await ask("renew") { try await $0.renew(lease) }
        case 6:
            guard let lease, number(3) == 0 else { break }
            let mark: JSONValue? = number(2) == 0 ? nil : ["n": .integer(Int64(count))]
            try await ask("release") { store in
                try await store.release(lease, lastApplied: mark)
                return true
            }
        case 7:
            guard number(3) == 0 else { break }
            let fence = (lease?.fence ?? 0) + number(2)
            try await ask("unlock") { try await $0.unlock("shop", fence: fence) }
        case 8...9: try await freeze(delivery, lease)
        case 10...16:
            let claim = try await ask("claim") { try await $0.claim(from: delivery, by: run, under: lease) }
            if case .batch(let batch)? = claim { held.append(batch) }
        case 17...24: try await settle(lease)
        case 25:
            // Whoever claimed it was killed.
            if !held.isEmpty { held.remove(at: number(held.count)) }
        case 26:
            let before = number(2) == 0 ? nil : fixture.now.advanced(bySeconds: Double(number(120) - 60))
            try await ask("give up") { store in
                try await store.giveUp(delivery, claimedBefore: before, under: lease)
                return true
            }
        case 27:
            try await ask("reopen") { store in
                try await store.reopenDoubtful(delivery, under: lease)
                return true
            }
        case 28:
            guard number(3) == 0 else { break }
            try await ask("close") { try await $0.close(delivery, under: lease) }
        default:
            let record = DeployRecord(
                workspace: "shop", kind: .ledger, key: run, document: ["n": .integer(Int64(count))], fence: 3)
            try await ask("record") { store in
                if count % 3 == 0 {
                    try await store.remove(record, under: lease)
                } else {
                    try await store.put(record, under: lease)
                }
                return true
            }
        }
        try await compare()
    }

    private func freeze(_ delivery: String, _ lease: Lease?) async throws {
        var named = tokens.filter { _ in number(3) > 0 }
        // One that no device has, and something that is no token.
        named += ["beef0\(number(9))", "no-token"]
        let freeze = DeliveryFreeze(
            delivery: delivery, workspace: number(20) == 0 ? "other" : "shop",
            audience: DeliveryAudience(
                selection: .tokens(named), routes: Array(Self.routes.prefix(1 + number(2)))),
            batchSize: 1 + number(12), raisesBadges: number(3) == 0,
            environment: one(of: ["production", "development"]),
            allowed: one(of: [0..<Int.max, 0..<Int.max, 1..<Int.max, 0..<5, 5..<15]))
        try await ask("freeze") { try await $0.freeze(freeze, under: lease) }
    }

    private func settle(_ lease: Lease?) async throws {
        guard !held.isEmpty else { return }
        let place = number(held.count)
        var batch = held[place]
        // Sometimes it is settled once more, because the answer was lost, or by somebody else.
        if number(8) > 0 { held.remove(at: place) }
        if number(20) == 0 { batch.claimant = one(of: Self.runs) }
        var failures: [TargetFailure] = []
        for index in batch.targets.indices where number(3) == 0 {
            let since = number(2) == 0 ? nil : fixture.now.advanced(bySeconds: Double(number(200) - 100))
            let endings: [TargetFailure.Ending] = [
                .refused, .dead(since: since), .deadIfProven,
                .again(after: fixture.now.advanced(bySeconds: Double(number(60)))), .again(after: nil), .inDoubt,
            ]
            failures.append(
                TargetFailure(index: index, ending: one(of: endings), reason: one(of: ["A", "B", "C"])))
        }
        if number(20) == 0 { failures.append(TargetFailure(index: 99, ending: .refused, reason: "A")) }
        try await ask("settle") { try await $0.settle(batch, failures, under: lease) }
    }

    /// Compares all that can be told.
    private func compare() async throws {
        try await ask("lock") { try await $0.lock(of: "shop") }
        for delivery in Self.deliveries {
            let figures = try await ask("figures") { try await $0.journal(of: delivery) }
            guard let figures = figures ?? nil else { continue }
            let sum =
                figures.waiting + figures.underWay + figures.accepted + figures.refused.values.reduce(0, +)
                + figures.inDoubt + figures.missed
            guard !figures.isFrozen || figures.targets == sum else {
                throw Difference(description: "step \(count): \(figures)")
            }
        }
        guard count % 20 == 0 else { return }
        try await ask("records") { try await $0.records(.ledger, of: "shop") }
        let everybody = DeliveryAudience(selection: .condition([:]), routes: Self.routes)
        try await ask("count") { try await $0.count(everybody, at: fixture.now) }
        for token in tokens {
            let query = ObjectQuery(where: ["deviceToken": .string(token)])
            let device = try await registry.find(query, in: .installation, as: .master).results.first
            let other = try await fixture.device(token)
            for key in ["valid", "badge", "installationId"] where device?[key] != other?[key] {
                throw Difference(
                    description: "seed \(seed), step \(count), \(token): \(device ?? .null) is not \(other ?? .null)")
            }
        }
    }
}
