import APNs
import Basics
import DeliveryJournal
import DeliveryTesting
import DeviceRegistry
import Foundation
import JSONValue
import PushModel
import RegistryModel
import Testing

@testable import APNsDelivery

/// The engine over a registry's file, as an apply uses it.
@Suite struct RegistryFileTests {
    /// A registry in a file of its own, a clock and Apple.
    private final class Site: Sendable {
        let clock = FakeClock()
        let apple: FakeApple
        let folder: String
        let registry: Registry
        let store: RegistryStore

        init(_ apple: FakeApple = FakeApple()) throws {
            self.apple = apple
            folder = FileManager.default.temporaryDirectory.path + "/apns-delivery-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            registry = try Registry.open(path: folder + "/devices.sqlite")
            store = RegistryStore(registry) { [clock] in clock.now }
        }

        deinit {
            registry.close()
            try? FileManager.default.removeItem(atPath: folder)
        }

        var job: DeliveryJob {
            DeliveryJob(
                id: World.delivery, workspace: World.workspace,
                order: DeliveryOrder(
                    payload: ["aps": ["alert": "It's now 2-2."]], pushType: .alert, priority: 10,
                    environment: .production,
                    routes: ["app", "driver", "passenger"].map {
                        DeliveryOrder.Route(
                            profile: $0, topic: "com.example.\($0)", apnsTopic: "com.example.\($0)",
                            isDefault: $0 == "app")
                    },
                    target: .condition(["deviceType": "ios"])), start: FakeClock.start, window: .seconds(86_400))
        }

        /// Runs the delivery under the lock, which an earlier run may have left behind.
        func run(_ name: String, _ life: Life = Life()) async throws -> DeliveryEnding {
            clock.advance(.seconds(121))
            guard
                case .acquired(let lease) = try await store.acquireLock(
                    of: World.workspace, holder: "test", run: name)
            else { throw RegistryError(internal: "the lock was not had") }
            let engine = DeliveryEngine(
                store: MortalStore(store: store, life: life),
                senders: FakeSenders(sender: FakeSender(apple: apple, life: life)),
                pausing: FakePause(clock: clock) { life.isOver }, heartbeat: NoPause(),
                elapsed: { [clock] in clock.elapsed })
            return await engine.run(job, under: DeliveryPermit(run: name, lease: lease))
        }
    }

    /// Kills runs at random acts until one lives to the end, and compares the journal with what the devices got.
    private func deliver(devices: Int, kills: Int, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let site = try Site(
            FakeApple { _, request in
                // One request in a hundred goes wrong in some way.
                switch request % 500 {
                case 17: .neverSent
                case 118: .lost
                case 219: .takenInSilence
                case 320: .refuse(410, "Unregistered")
                case 421: .refuse(503, "Shutdown")
                default: .accept
                }
            })
        #expect(try await site.registry.seed(devices: devices, at: FakeClock.start) > 0)
        for kill in 0... {
            let acts = kill < kills ? Int.random(in: 0...(2 * devices / max(1, kills)), using: &random) : Int.max
            guard let figures = try await site.run("run\(kill)", Life(acts: acts)).figures else { continue }
            #expect(
                ExactlyOnce.violations(
                    figures, received: site.apple.received, kills: kill, lost: site.apple.requests / 250 + 1) == [])
            return
        }
    }

    @Test(arguments: [UInt64(1), 2])
    func aDeliveryWhoseRunsAreKilledReachesEverybodyOnce(_ seed: UInt64) async throws {
        try await deliver(devices: 5000, kills: 6, seed: seed)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1"))
    func aDeliveryToAHundredThousandWhoseRunsAreKilledTwentyTimesReachesEverybodyOnce() async throws {
        try await deliver(devices: 100_000, kills: 20, seed: 7)
    }

    @Test func aDeadTokenIsDeadInTheRegistryAndTheNextDeliveryLeavesItOut() async throws {
        let site = try Site(FakeApple { _, request in request == 3 ? .refuse(410, "Unregistered") : .accept })
        _ = try await site.registry.seed(devices: 50, at: FakeClock.start)
        let figures = try #require(try await site.run("first").figures)
        #expect(figures.refused == ["Unregistered": 1])
        let audience = try #require(site.job.freeze?.audience)
        #expect(try await site.store.count(audience, at: site.clock.now).devices == figures.targets - 1)
    }

    @Test func aWrongEnvironmentWipesNothing() async throws {
        let site = try Site(FakeApple { _, _ in .refuse(400, "BadDeviceToken") })
        _ = try await site.registry.seed(devices: 2000, at: FakeClock.start)
        let audience = try #require(site.job.freeze?.audience)
        let before = try await site.store.count(audience, at: site.clock.now).devices
        guard case .nothingSent(.wrongEnvironment) = try await site.run("first") else {
            Issue.record("it was not stopped")
            return
        }
        #expect(try await site.store.count(audience, at: site.clock.now).devices == before)
    }
}
