internal import Base
internal import DeviceRegistry
internal import Push

/// A store under test with a lock, and the words in which claims are written.
struct StoreWorld {
    let fixture: any StoreFixture
    let store: Journal
    let lease: Lease
    /// The store's clock at the beginning.
    let start: Instant

    static let workspace = "shop"
    static let delivery = "abcdefghijklmnop"

    init(_ fixture: any StoreFixture) async throws {
        self.fixture = fixture
        store = try await fixture.connect()
        start = try await store.now()
        lease = try await Self.take(store, "run-1")
    }

    /// Takes the lock for a run.
    static func take(_ store: Journal, _ run: String) async throws -> Lease {
        switch try await store.acquireLock(of: workspace, holder: "holder of \(run)", run: run) {
        case .acquired(let lease): return lease
        case .held(let lock, _): throw StoreMismatch(description: "the lock is held by \(lock.run)")
        }
    }

    /// A token of 64 digits.
    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "abcd" + String(repeating: "0", count: 60 - digits.utf8.count) + digits
    }

    /// Registers iOS devices of these numbers.
    func register(_ numbers: some Sequence<Int>, _ fields: JSONValue = [:]) async throws {
        try await fixture.register(
            numbers.map { number in
                var device: JSONValue = ["deviceType": "ios", "deviceToken": .string(Self.token(number))]
                for (key, value) in fields.object ?? [:] { device[key] = value }
                return device
            }, at: start)
    }

    /// Everybody's route.
    static let route = DeliveryRoute(profile: "shop", topic: "com.example.shop", isDefault: true)

    /// A delivery to everybody.
    static func freeze(
        _ delivery: String = delivery, _ selection: DeliveryAudience.Selection = .condition([:]),
        routes: [DeliveryRoute] = [route], batchSize: Int = 10, raisesBadges: Bool = false,
        environment: String = "production"
    ) -> DeliveryFreeze {
        DeliveryFreeze(
            delivery: delivery, workspace: workspace,
            audience: DeliveryAudience(selection: selection, routes: routes), batchSize: batchSize,
            raisesBadges: raisesBadges, environment: environment)
    }

    /// Claims a batch that must be there.
    func claim(_ delivery: String = delivery, by claimant: String = "run-1", line: Int = #line) async throws
        -> JournalBatch
    {
        let claim = try await store.claim(from: delivery, by: claimant, under: lease)
        guard case .batch(let batch) = claim else {
            throw StoreMismatch(description: "line \(line): no batch but \(claim)")
        }
        return batch
    }

    /// Settles a batch that must be open.
    func settle(
        _ batch: JournalBatch, _ failures: [TargetFailure] = [], line: Int = #line
    ) async throws {
        guard try await store.settle(batch, failures, under: lease) else {
            throw StoreMismatch(description: "line \(line): the batch was given up")
        }
    }

    /// Claims and settles until nothing is left; gives the tokens in their order.
    func sendAll(_ delivery: String = delivery) async throws -> [String] {
        var tokens: [String] = []
        while case .batch(let batch) = try await store.claim(from: delivery, by: "run-1", under: lease) {
            tokens += batch.targets.map(\.token)
            try await settle(batch)
        }
        return tokens
    }

    /// The figures of a journal that must be there.
    func figures(_ delivery: String = delivery, line: Int = #line) async throws -> JournalFigures {
        guard let figures = try await store.journal(of: delivery) else {
            throw StoreMismatch(description: "line \(line): no journal")
        }
        let sum =
            figures.waiting + figures.underWay + figures.accepted + figures.refused.values.reduce(0, +)
            + figures.inDoubt + figures.missed
        try expect(figures.targets, is: sum, line: line)
        return figures
    }
}
