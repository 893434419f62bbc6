import APNs
import APNsDelivery
import DeliveryTesting
import JSONValue
import PushModel
import Synchronization

@testable import DeliveryJournal
@testable import RegistryModel

/// A registry, a clock and Apple, in which runs deliver.
struct World: Sendable {
    let clock = FakeClock()
    let database: FakeDatabase
    let apple: FakeApple
    let stop = Flag()

    static let delivery = "k3jk3jk3jk3jk3jk"
    static let workspace = "giants"

    init(devices: Int, profiles: [String] = ["app"], _ apple: FakeApple = FakeApple()) {
        database = FakeDatabase(clock: clock)
        self.apple = apple
        database.add(devices: devices, profiles: profiles)
    }

    func order(profiles: [String] = ["app"], _ change: (inout DeliveryOrder) -> Void = { _ in }) -> DeliveryOrder {
        var order = DeliveryOrder(
            payload: ["aps": ["alert": "It's now 2-2."]], pushType: .alert, priority: 10, environment: .production,
            routes: profiles.map {
                DeliveryOrder.Route(
                    profile: $0, topic: "com.example.\($0)", apnsTopic: "com.example.\($0)",
                    isDefault: $0 == profiles[0])
            },
            target: .condition([:]))
        change(&order)
        return order
    }

    func job(
        _ order: DeliveryOrder? = nil, window: Duration = .seconds(3600), expiresAt: Instant? = nil
    ) -> DeliveryJob {
        DeliveryJob(
            id: Self.delivery, workspace: Self.workspace, order: order ?? self.order(), start: FakeClock.start,
            window: window, expiresAt: expiresAt)
    }

    /// Takes the lock for a run, from whoever has it.
    func lease(_ run: String) -> Lease {
        let now = clock.now
        return database.with { state in
            let lease = Lease(
                workspace: Self.workspace, run: run, fence: (state.locks[Self.workspace]?.fence ?? 0) + 1,
                expiresAt: now + .seconds(120))
            state.locks[Self.workspace] = DeployLock(
                holder: run, run: run, fence: lease.fence, acquiredAt: now, expiresAt: lease.expiresAt,
                lastApplied: nil)
            return lease
        }
    }

    func engine(
        _ life: Life = Life(), settings: DeliverySettings = DeliverySettings(),
        failing: [String: SenderError] = [:],
        beforeRequest: @escaping @Sendable (SendTarget) async -> Void = { _ in },
        beforeWrite: @escaping @Sendable (String) throws(RegistryError) -> Void = { (_) throws(RegistryError) in }
    ) -> DeliveryEngine {
        let stop = stop
        return DeliveryEngine(
            store: FakeStore(database: database, life: life, before: beforeWrite),
            senders: FakeSenders(
                sender: FakeSender(apple: apple, life: life, before: beforeRequest), failing: failing),
            settings: settings,
            pausing: FakePause(clock: clock) { stop.isRaised || life.isOver },
            heartbeat: FakePause(clock: FakeClock()) { life.isOver }, elapsed: { [clock] in clock.elapsed })
    }

    /// Runs the delivery under a new fence.
    func run(
        _ job: DeliveryJob? = nil, run: String = "run", _ life: Life = Life(),
        permission: @escaping @Sendable () async -> Permission = { .granted(for: DeliveryPermit.grace) },
        beforeRequest: @escaping @Sendable (SendTarget) async -> Void = { _ in },
        progress: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) async -> DeliveryEnding {
        let stop = stop
        return await engine(life, beforeRequest: beforeRequest).run(
            job ?? self.job(),
            under: DeliveryPermit(
                run: run, lease: lease(run), permission: permission, isStopped: { stop.isRaised }), progress: progress)
    }

    var figures: JournalFigures? { database.with { $0.figures(Self.delivery) } }
}

/// A flag that tests raise.
final class Flag: Sendable {
    private let raised = Atomic<Bool>(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() { raised.store(true, ordering: .releasing) }

    func lower() { raised.store(false, ordering: .releasing) }
}

extension DeliveryEnding {
    /// The figures of a delivery that ended.
    var figures: JournalFigures? {
        if case .ended(let figures) = self { figures } else { nil }
    }
}
