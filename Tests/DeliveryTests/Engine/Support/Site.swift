import Base
import DeliveryTesting
import DeviceRegistry
import Foundation
import Push
import RegistryTesting

@testable import Delivery

/// A registry in a file of its own, a clock and Apple.
final class Site: Sendable {
    let clock = FakeClock()
    let apple: FakeApple
    let folder: String
    let registry: Registry
    let store: Journal

    init(_ apple: FakeApple = FakeApple()) throws {
        self.apple = apple
        folder = FileManager.default.temporaryDirectory.path + "/apns-delivery-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        registry = try Registry.test(at: folder + "/devices.sqlite")
        store = Journal(registry) { [clock] in clock.now }
    }

    deinit {
        registry.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func job(
        _ timing: DeliveryOrder.Timing = .together, window: Duration = .seconds(86_400),
        expiration: Expiration = .never
    ) -> DeliveryJob {
        DeliveryJob(
            id: World.delivery, workspace: World.workspace,
            order: .score(to: .condition(["deviceType": "ios"]), profiles: ["app", "driver", "passenger"]) {
                $0.expiration = expiration
                $0.timing = timing
            }, start: FakeClock.start, window: window)
    }

    /// Takes the lock for a run, which an earlier one may have left behind.
    func lease(_ name: String) async throws -> Lease {
        clock.advance(.seconds(121))
        guard case .acquired(let lease) = try await store.acquireLock(of: World.workspace, holder: "test", run: name)
        else { throw RegistryError(internal: "the lock was not had") }
        return lease
    }

    /// Runs the delivery under the lock; `before` is called before each request.
    func run(
        _ name: String, _ life: Life = Life(), _ job: DeliveryJob? = nil, batchSize: Int? = nil,
        before: @escaping @Sendable (SendTarget) async -> Void = { _ in }
    ) async throws -> DeliveryEnding {
        let lease = try await lease(name)
        let engine = DeliveryEngine(
            store: store.mortal(life, batchSize: batchSize),
            senders: FakeSenders(sender: FakeSender(apple: apple, life: life, before: before)),
            pausing: FakePause(clock: clock) { life.isOver }, heartbeat: NoPause(),
            elapsed: { [clock] in clock.elapsed })
        return await engine.run(job ?? self.job(), under: DeliveryPermit(run: name, lease: lease))
    }
}
