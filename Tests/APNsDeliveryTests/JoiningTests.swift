import APNs
import DeliveryTesting
import DeviceRegistry
import PushModel
import PushRemote
import Testing

@testable import APNsDelivery

@Suite struct JoiningTests {
    private func help(_ world: World, _ lease: DeployLease, _ life: Life = Life()) async -> DeliveryStop? {
        await world.engine(life).help(
            world.job(),
            under: DeliveryPermit(
                run: "helper", lease: lease,
                permission: { [database = world.database] in
                    database.with { $0.locks[World.workspace]?.fence == lease.fence }
                        ? .granted(for: DeliveryPermit.grace) : .denied(.lockLost)
                }))
    }

    @Test func twoSendersShareOneDelivery() async throws {
        let world = World(devices: 12_000)
        let lease = world.lease("holder")
        async let held = world.engine().run(world.job(), under: DeliveryPermit(run: "holder", lease: lease))
        async let helped = help(world, lease)
        let (ending, stop) = await (held, helped)
        #expect(ending.figures?.accepted == 12_000)
        #expect(stop == nil)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
        #expect(world.apple.received.count == 12_000)
        #expect((world.database.with { $0.journals[World.delivery]?.mostOpen } ?? 0) <= 4)
    }

    @Test func theBatchesOfAHelperThatIsKilledAreGivenUpInTheEnd() async throws {
        let world = World(devices: 12_000)
        let lease = world.lease("holder")
        async let held = world.engine().run(world.job(), under: DeliveryPermit(run: "holder", lease: lease))
        async let helped = help(world, lease, Life(acts: 1500))
        let (ending, _) = await (held, helped)
        let figures = try #require(ending.figures)
        KilledTests.check(world, figures, kills: 1)
        #expect(figures.accepted + figures.inDoubt == 12_000)
    }

    @Test func whatAHelperHasUnderWayWhenItIsConcludedIsInDoubtAndCanBeReopened() async throws {
        let world = World(devices: 100)
        let (lease, store) = (world.lease("holder"), FakeStore(database: world.database))
        _ = try await store.freeze(world.job().freeze!, under: lease)
        guard case .batch(let batch) = try await store.claim(from: World.delivery, by: "helper", under: lease) else {
            Issue.record("there was nothing to claim")
            return
        }
        #expect(try await DeliveryEngine.conclude(World.delivery, in: store, under: lease).inDoubt == 100)
        #expect(try await store.settle(batch, [], under: lease) == false)
        try await store.reopenDoubtful(World.delivery, under: lease)
        #expect(world.figures?.waiting == 100)
    }

    @Test func aHelperOfAnEndedDeliveryHasNothingToDo() async throws {
        let world = World(devices: 100)
        let lease = world.lease("holder")
        _ = await world.engine().run(world.job(), under: DeliveryPermit(run: "holder", lease: lease))
        #expect(await help(world, lease) == nil)
        #expect(world.apple.requests == 100)
    }

    @Test func aHelperStopsWhenTheHolderLosesTheLock() async throws {
        let world = World(devices: 5000)
        let lease = world.lease("holder")
        _ = try await FakeStore(database: world.database).freeze(world.job().freeze!, under: lease)
        _ = world.lease("thief")
        #expect(await help(world, lease) == .lockLost)
        #expect(world.apple.requests == 0)
    }
}
