import Base
import Delivery
import DeliveryTesting
import DeviceRegistry
import Push
import RegistryTesting
import Testing

/// The databases that a claim about leases holds for, each in `make test`.
enum LeaseStore: CaseIterable {
    case sqlite
    case postgres

    /// Those that this machine has.
    static var present: [LeaseStore] { allCases.filter { $0 == .sqlite || PostgresServer.programs != nil } }

    /// An empty registry.
    func fixture() async throws -> any StoreFixture {
        switch self {
        case .sqlite: try RegistryFixture()
        case .postgres: try await PostgresFixture.make()
        }
    }
}

/// A registry with devices, one delivery to all of them, a clock and Apple.
struct LeaseWorld {
    let fixture: any StoreFixture
    /// Two connections: those of two machines.
    let mine, theirs: Journal
    let clock = FakeClock()
    let apple = FakeApple()
    /// The lock's place, and the workspace of the delivery.
    let place, workspace: String

    static let devices = 100
    static let batchSize = 10
    static let delivery = "k3jk3jk3jk3jk3jk"

    /// A world whose delivery is a workspace's, or a server's own push under a lock of its own.
    init(_ store: LeaseStore, place: String = "giants", workspace: String = "giants") async throws {
        fixture = try await store.fixture()
        (self.place, self.workspace) = (place, workspace)
        let clock = clock
        mine = Journal(try await fixture.connect().database) { clock.now }
        theirs = Journal(try await fixture.connect().database) { clock.now }
        try await fixture.register(
            (0..<Self.devices).map { ["deviceType": "ios", "deviceToken": .string("ab\(1000 + $0)")] },
            at: FakeClock.start)
    }

    /// The same as a server has it.
    var server: Registry? { (fixture as? PostgresFixture)?.server ?? (fixture as? RegistryFixture)?.registry }

    func close() async {
        await mine.close()
        await theirs.close()
        await (fixture as? PostgresFixture)?.close()
    }

    var job: DeliveryJob {
        DeliveryJob(
            id: Self.delivery, workspace: workspace, order: .score(), start: FakeClock.start, window: .seconds(86_400))
    }

    /// Takes the lock, which must be free or expired.
    func take(_ run: String, in store: Journal) async throws -> Lease {
        try await store.lease(on: place, holder: "holder of \(run)", run: run)
    }

    /// Freezes the audience.
    func freeze(under lease: Lease, in store: Journal) async throws {
        let freeze = DeliveryFreeze(
            delivery: Self.delivery, workspace: workspace,
            audience: .devices(profile: "app", topic: "com.example.app"), batchSize: Self.batchSize,
            environment: "production")
        #expect(try await store.freeze(freeze, under: lease).targets == Self.devices)
    }

    /// Begins the delivery as run `first`: with the lock, and a batch that is open.
    func begin() async throws -> (lease: Lease, open: JournalBatch) {
        let lease = try await take("first", in: mine)
        try await freeze(under: lease, in: mine)
        return (lease, try await mine.batch(of: Self.delivery, by: "first", under: lease))
    }

    /// Sends as a run whose own clock lets it, so that only the registry can stop it; `before` is called before each
    /// request.
    func run(
        _ run: String, under lease: Lease, in store: Journal,
        before: @escaping @Sendable (SendTarget) async -> Void = { _ in }
    ) async -> DeliveryEnding {
        let clock = clock
        let engine = DeliveryEngine(
            store: store.mortal(Life(), batchSize: Self.batchSize),
            senders: FakeSenders(sender: FakeSender(apple: apple, before: before)),
            pausing: FakePause(clock: clock), heartbeat: NoPause(), elapsed: { clock.elapsed })
        return await engine.run(
            job,
            under: DeliveryPermit(run: run, lease: lease, permission: { .granted(for: .seconds(86_400)) }))
    }

    /// Checks that a lease that was lost changes nothing: no lock, no record, no batch.
    func expectPowerless(_ lost: Lease, _ batch: JournalBatch?, in store: Journal) async throws {
        let (lock, figures) = (try await theirs.lock(of: place), try await theirs.journal(of: Self.delivery))
        #expect(try await store.renew(lost) == nil)
        try await store.release(lost, lastApplied: ["commit": "of the loser"])
        let record = DeployRecord(workspace: place, kind: .ledger, key: "loser", document: ["n": 1])
        await #expect(throws: RegistryError.lockLost) { try await store.put(record, under: lost) }
        await #expect(throws: RegistryError.lockLost) { try await store.remove(record, under: lost) }
        await #expect(throws: RegistryError.lockLost) {
            _ = try await store.claim(from: Self.delivery, by: lost.run, under: lost)
        }
        if let batch {
            await #expect(throws: RegistryError.lockLost) { _ = try await store.settle(batch, [], under: lost) }
        }
        await #expect(throws: RegistryError.lockLost) {
            try await store.giveUp(Self.delivery, claimedBefore: clock.now.advanced(byDays: 1), under: lost)
        }
        await #expect(throws: RegistryError.lockLost) { try await store.reopenDoubtful(Self.delivery, under: lost) }
        await #expect(throws: RegistryError.lockLost) { _ = try await store.close(Self.delivery, under: lost) }
        #expect(try await theirs.lock(of: place) == lock)
        #expect(try await theirs.journal(of: Self.delivery) == figures)
        #expect(try await theirs.records(.ledger, of: place) == [])
    }

    /// Checks that nobody got it twice, that a batch that was left open is in doubt and nobody of it was sent to, and that
    /// everybody else was accepted.
    func expectOnce(_ ending: DeliveryEnding, inDoubt open: JournalBatch) {
        guard case .ended(let figures) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(figures.inDoubt == open.targets.count && figures.accepted == Self.devices - open.targets.count)
        #expect(Set(apple.received.keys).isDisjoint(with: open.targets.map(\.token)))
        #expect(apple.received.values.allSatisfy { $0 == 1 })
    }
}

// MARK: - A database that goes back

/// What locks, records and journals were at a moment: with it a standby takes over that had not received the last
/// transactions, or a backup is restored.
struct StoreMoment {
    private static let tables = [
        "deployLock", "deployRecord", "journal", "journalBatch", "journalPart", "journalTarget", "reached",
    ]
    private let store: Journal

    /// Keeps what is in the database now.
    init(of store: Journal) async throws {
        self.store = store
        try await store.database.write { db in
            for table in Self.tables {
                try db.execute(SQLText(sql: "CREATE TABLE kept\(table) AS SELECT * FROM \(table)"))
            }
        }
    }

    /// Sets the database back to it, in one transaction.
    func restore() async throws {
        try await store.database.write { db in
            if db.dialect == .postgres {
                // Nobody else is in the middle of anything.
                let all = Self.tables.joined(separator: ", ")
                try db.execute(SQLText(sql: "LOCK TABLE \(all) IN ACCESS EXCLUSIVE MODE"))
            }
            for table in Self.tables {
                try db.execute(SQLText(sql: "DELETE FROM \(table)"))
                try db.execute(SQLText(sql: "INSERT INTO \(table) SELECT * FROM kept\(table)"))
            }
        }
    }
}
