import Base
import Delivery
import DeliveryTesting
import DeviceRegistry
import Push
import RegistryTesting
import Testing

/// Two senders on two connections to one database.
@Suite(hasServer) struct PostgresDeliveryTests {
    private static let devices = 6000

    private struct Outcome {
        let figures: JournalFigures
        let received: [String: Int]
        let helped: DeliveryStop?
    }

    /// Delivers to everybody, with a helper that dies after so many acts.
    private func deliver(helper life: Life, settings: DeliverySettings = DeliverySettings()) async throws -> Outcome {
        let fixture = try await PostgresFixture.make()
        let clock = FakeClock()
        let tokens = (0..<Self.devices).map { index in
            let digits = String(index, radix: 16)
            return String(repeating: "0", count: 64 - digits.count) + digits
        }
        try await fixture.pool.add(tokens: tokens, profile: "app")
        let apple = FakeApple()
        let job = DeliveryJob(
            id: "k3jk3jk3jk3jk3jk", workspace: "giants", order: .score(), start: clock.now, window: .seconds(86_400))
        let holder = try await PostgresRegistry.open(fixture.address, width: 2) { clock.now }
        let other = try await PostgresRegistry.open(fixture.address, width: 2) { clock.now }
        let lease = try await holder.lease(on: "giants", holder: "test", run: "holder")

        func engine(_ store: Journal, _ life: Life) -> DeliveryEngine {
            DeliveryEngine(
                store: store.mortal(life),
                senders: FakeSenders(sender: FakeSender(apple: apple, life: life)), settings: settings,
                pausing: FakePause(clock: clock) { life.isOver }, heartbeat: NoPause(), elapsed: { clock.elapsed })
        }
        // Frozen before, so that the helper need not wait for it.
        _ = try await holder.freeze(
            DeliveryFreeze(
                delivery: job.id, workspace: "giants", audience: .devices(profile: "app", topic: "com.example.app"),
                batchSize: 500, environment: "production"), under: lease)
        async let held = engine(holder, Life()).run(job, under: DeliveryPermit(run: "holder", lease: lease))
        async let helped = engine(other, life).help(job, under: DeliveryPermit(run: "helper", lease: lease))
        let (ending, stop) = await (held, helped)
        await holder.close()
        await other.close()
        await fixture.close()
        guard case .ended(let figures) = ending else { throw RegistryError(internal: "\(ending)") }
        return Outcome(figures: figures, received: apple.received, helped: stop)
    }

    @Test func twoSendersShareOneDelivery() async throws {
        let outcome = try await deliver(helper: Life(), settings: .patient)
        #expect(outcome.helped == nil)
        #expect(outcome.figures.accepted == Self.devices)
        #expect(outcome.received.count == Self.devices)
        #expect(outcome.received.values.allSatisfy { $0 == 1 })
    }

    @Test(arguments: [1, 2, 300, 1300])
    func whenOneOfThemIsKilledNobodyGetsItTwiceAndAtMostTwoBatchesAreInDoubt(_ acts: Int) async throws {
        let outcome = try await deliver(helper: Life(acts: acts))
        let figures = outcome.figures
        #expect(figures.targets == Self.devices)
        #expect(ExactlyOnce.violations(figures, received: outcome.received, kills: 1, batchSize: 500) == [])
    }
}
