import Base
import BaseTesting
import DeliveryTesting
import DeviceRegistry
import ProgramTesting
import Push
import Synchronization
import Testing

@testable import Delivery

@Suite struct JoiningTests {
    private func help(
        _ world: World, _ lease: Lease, _ life: Life = Life(), _ settings: DeliverySettings = DeliverySettings()
    ) async -> DeliveryStop? {
        await world.engine(life, settings: settings).help(
            world.job(),
            under: DeliveryPermit(
                run: "helper", lease: lease,
                permission: { [journal = world.journal] in
                    (try? await journal.lock(of: World.workspace))??.fence == lease.fence
                        ? .granted(for: DeliveryPermit.grace) : .denied(.lockLost)
                }))
    }

    /// What a helper has claimed, and neither sent nor settled.
    private func claimed(_ world: World, _ lease: Lease) async throws -> JournalBatch {
        let claim = try await world.journal.claim(from: World.delivery, by: "helper", under: lease)
        guard case .batch(let batch) = claim else { return try #require(nil, "there was nothing to claim") }
        return batch
    }

    @Test func twoSendersShareOneDelivery() async throws {
        let world = try await World(devices: 12_000)
        let lease = try await world.lease("holder")
        async let held = world.engine(settings: .patient)
            .run(world.job(), under: DeliveryPermit(run: "holder", lease: lease))
        async let helped = help(world, lease, Life(), .patient)
        let (ending, stop) = await (held, helped)
        #expect(ending.figures?.accepted == 12_000)
        #expect(stop == nil)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
        #expect(world.apple.received.count == 12_000)
        #expect(try await world.mostOpen <= 4)
    }

    @Test func theBatchesOfAHelperThatIsKilledAreGivenUpInTheEnd() async throws {
        let world = try await World(devices: 12_000)
        let lease = try await world.lease("holder")
        async let held = world.engine().run(world.job(), under: DeliveryPermit(run: "holder", lease: lease))
        async let helped = help(world, lease, Life(acts: 1500))
        let (ending, _) = await (held, helped)
        let figures = try #require(ending.figures)
        try await KilledTests.check(world, figures, kills: 1)
        #expect(figures.accepted + figures.inDoubt == 12_000)
    }

    @Test func whatAHelperHasUnderWayWhenItIsConcludedIsInDoubtAndCanBeReopened() async throws {
        let world = try await World(devices: 100)
        let (lease, store) = (try await world.lease("holder"), world.journal)
        _ = try await store.freeze(world.job().freeze!, under: lease)
        let batch = try await claimed(world, lease)
        #expect(try await DeliveryEngine.conclude(World.delivery, in: store, under: lease).inDoubt == 100)
        #expect(try await store.settle(batch, [], under: lease) == false)
        try await store.reopenDoubtful(World.delivery, under: lease)
        #expect(try await world.figures?.waiting == 100)
    }

    @Test func aPersonsAnswerReachesWhatADeadHelperHadOpenWhenTheDeliveryWasClosed() async throws {
        let world = try await World(devices: 100)
        let (lease, store) = (try await world.lease("holder"), world.journal)
        _ = try await store.freeze(world.job().freeze!, under: lease)
        _ = try await claimed(world, lease)
        #expect(try await store.close(World.delivery, under: lease).underWay == 100)
        try await store.reopenDoubtful(World.delivery, under: try await world.lease("person"))
        #expect(try await world.figures?.waiting == 100)
        #expect(try await world.run(run: "next").figures?.accepted == 100)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func whatAHelperHasUnderWayIsWaitedForHoweverLongTheHolderWorked() async throws {
        let world = try await World(
            devices: 700, FakeApple { _, n in n == 1 ? .refuse(503, "ServiceUnavailable") : .accept })
        let (lease, store, clock) = (try await world.lease("holder"), world.journal, world.clock)
        let helper = Helper()
        // The holder sends six batches of a hundred for longer than one is waited for; the seventh is the helper's.
        let sender = FakeSender(apple: world.apple) { _ in
            clock.advance(.milliseconds(250))
            guard world.apple.requests >= 400 else { return }
            await helper.start { try await store.claim(from: World.delivery, by: "helper", under: lease) }
        }
        let engine = DeliveryEngine(
            store: store, senders: FakeSenders(sender: sender),
            pausing: SettlingPause(clock: clock) {
                if let batch = helper.batch { _ = try? await store.settle(batch, [], under: lease) }
            }, heartbeat: NoPause(), elapsed: { clock.elapsed })
        let ending = await engine.run(
            world.job(world.order { $0.throttle = 50 }),
            under: DeliveryPermit(run: "holder", lease: lease, permission: { .granted(for: .seconds(3600)) }))
        #expect(ending.stopWhileSending?.kind == "postponed")
        #expect(helper.isAtWork && clock.elapsed > DeliverySettings().abandonedAfter)
        #expect(try await world.figures?.accepted == 699)
        #expect(try await world.figures?.underWay == 0)
        #expect(try await world.figures?.inDoubt == 0)
    }

    @Test func whatAHelperClaimsWhileTheHolderWaitsForItIsItsOwnHoweverLongThatTakes() async throws {
        let isBusy = Flag()
        isBusy.raise()
        let world = try await World(
            devices: 15_000,
            FakeApple { _, _ in isBusy.isRaised ? .refuse(429, "TooManyProviderTokenUpdates") : .accept })
        let (lease, store, clock) = (try await world.lease("holder"), world.journal, world.clock)
        let helper = BusyHelper(store: store, lease: lease)
        let engine = DeliveryEngine(
            store: store, senders: FakeSenders(sender: FakeSender(apple: world.apple)),
            pausing: SettlingPause(clock: clock) {
                await helper.goOn()
                // The holder was asked to wait for a minute, and then for two: longer than a run waits itself.
                if clock.elapsed > .seconds(70) { isBusy.lower() }
            }, heartbeat: NoPause(), elapsed: { clock.elapsed })
        let ending = await engine.run(
            world.job(world.order { $0.throttle = 50 }), under: DeliveryPermit(run: "holder", lease: lease))
        #expect(clock.elapsed > .seconds(60) + DeliverySettings().abandonedAfter)
        let figures = try #require(ending.figures)
        #expect(figures.accepted == 15_000 && figures.inDoubt == 0)
        #expect(await helper.lost == 0)
    }

    @Test func aHelpersOutcomesKeepADeliveryOpenWhoseHolderHasNothingToSend() async throws {
        // One device in four is of the profile that the holder can send by; the helper can send by both.
        let world = try await World(
            devices: 400, profiles: ["app", "beta", "beta", "beta"],
            FakeApple { token, _ in
                (token.last?.hexDigitValue ?? 0) % 4 == 0 ? .accept : .refuse(403, "InvalidProviderToken")
            })
        let (lease, store, clock) = (try await world.lease("holder"), world.journal, world.clock)
        // Batches of two, of which the helper ends one a second: it takes much longer than the window.
        let job = world.job(world.order(profiles: ["app", "beta"]) { $0.throttle = 1 }, window: .seconds(10))
        _ = try await store.freeze(job.freeze!, under: lease)
        let helper = BusyHelper(store: store, lease: lease)
        await helper.goOn()
        let engine = DeliveryEngine(
            store: store, senders: FakeSenders(sender: FakeSender(apple: world.apple)),
            pausing: SettlingPause(clock: clock) { await helper.goOn() }, heartbeat: NoPause(),
            elapsed: { clock.elapsed })
        let ending = await engine.run(job, under: DeliveryPermit(run: "holder", lease: lease))
        #expect(clock.elapsed > DeliverySettings().abandonedAfter + .seconds(10))
        let figures = try #require(ending.figures)
        #expect(figures.accepted == 400 && figures.missed == 0 && figures.inDoubt == 0)
    }

    @Test func whomAHelpersServiceAskedToWaitUntilTomorrowTheHolderMissesNot() async throws {
        let world = try await World(devices: 2000)
        let (lease, store) = (try await world.lease("holder"), world.journal)
        _ = try await store.freeze(world.job().freeze!, under: lease)
        let batch = try await claimed(world, lease)
        // Its midnight, in China: much later than the window of an hour.
        let midnight = FakeClock.start + .seconds(4 * 3600)
        let waits = batch.targets.indices.map {
            TargetFailure(index: $0, ending: .again(after: midnight, counting: 0), reason: "mi:200001")
        }
        let requests = Counter()
        let ending = await world.engine(
            beforeRequest: { _ in
                if requests.next() == 1 { _ = try? await store.settle(batch, waits, under: lease) }
            }
        ).run(world.job(), under: DeliveryPermit(run: "holder", lease: lease))
        #expect(ending.stopWhileSending?.until == midnight)
        #expect(try await world.figures?.waiting == 1000)
        world.clock.advance(midnight - world.clock.now + .seconds(1))
        #expect(try await world.run(run: "next").figures?.accepted == 2000)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func whatAHelperGivesBackIsSentThoughTheHolderHasOnlyARetryLeftThatComesTooLate() async throws {
        let world = try await World(
            devices: 2000, FakeApple { _, n in n == 1 ? .refuse(503, "ServiceUnavailable") : .accept })
        let (lease, store, clock) = (try await world.lease("holder"), world.journal, world.clock)
        // The one device is tried again after a quarter of an hour.
        let job = world.job(expiresAt: FakeClock.start + .seconds(800))
        _ = try await store.freeze(job.freeze!, under: lease)
        let batch = try await claimed(world, lease)
        let engine = DeliveryEngine(
            store: store, senders: FakeSenders(sender: FakeSender(apple: world.apple)),
            pausing: SettlingPause(clock: clock) {
                // Its machine is asked to stop before any request of the batch has left.
                let back = batch.targets.indices.map {
                    TargetFailure(index: $0, ending: .again(after: clock.now, counting: 0), reason: "held back")
                }
                _ = try? await store.settle(batch, back, under: lease)
            }, heartbeat: NoPause(), elapsed: { clock.elapsed })
        let ending = await engine.run(job, under: DeliveryPermit(run: "holder", lease: lease))
        let figures = try #require(ending.figures)
        #expect(figures.accepted == 1999 && figures.missed == 1 && figures.inDoubt == 0)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test(arguments: [FakeApple.Fate.refuse(403, "InvalidProviderToken"), .neverSent])
    func aHolderThatItsServiceFailsLeavesTheDeliveryToAHelper(_ fault: FakeApple.Fate) async throws {
        let world = try await World(devices: 400, FakeApple { _, _ in fault })
        let (lease, store, clock) = (try await world.lease("holder"), world.journal, world.clock)
        // Batches of two, of which the helper ends one a second.
        let job = world.job(world.order { $0.throttle = 1 })
        _ = try await store.freeze(job.freeze!, under: lease)
        let helper = BusyHelper(store: store, lease: lease)
        await helper.goOn()
        let engine = DeliveryEngine(
            store: store, senders: FakeSenders(sender: FakeSender(apple: world.apple)),
            pausing: SettlingPause(clock: clock) { await helper.goOn() }, heartbeat: NoPause(),
            elapsed: { clock.elapsed })
        let ending = await engine.run(job, under: DeliveryPermit(run: "holder", lease: lease))
        let figures = try #require(ending.figures)
        #expect(figures.accepted == 400 && figures.inDoubt == 0)
        #expect(await helper.lost == 0)
    }

    @Test func whatAHelperHasUnderWayWhenAPersonStopsTheDeliveryIsWaitedFor() async throws {
        let world = try await World(devices: 9000)
        let (lease, store, clock) = (try await world.lease("holder"), world.journal, world.clock)
        let order = StopOrder(key: World.delivery, title: "one@1", by: "mina", at: FakeClock.start, why: "wrong link")
        _ = try await store.freeze(world.job().freeze!, under: lease)
        let batch = try await claimed(world, lease)
        let requests = Counter()
        let sender = FakeSender(apple: world.apple) { _ in
            if requests.next() == 500 { try? await store.stop(order, in: World.workspace) }
        }
        let engine = DeliveryEngine(
            store: store, senders: FakeSenders(sender: sender),
            pausing: SettlingPause(clock: clock) {
                // One of its requests has no answer: it settles after that one's time, a moment later than the holder.
                guard clock.elapsed > DeliverySettings().requestTimeout + .seconds(1) else { return }
                _ = try? await store.settle(batch, [], under: lease)
            }, heartbeat: NoPause(), elapsed: { clock.elapsed })
        let ending = await engine.run(world.job(), under: DeliveryPermit(run: "holder", lease: lease))
        #expect(ending == .interrupted(.stopped(order)))
        let figures = try #require(try await world.figures)
        #expect(figures.underWay == 0 && figures.inDoubt == 0)
        #expect(figures.accepted == world.apple.requests + 1000)
    }

    @Test func aHelperOfAnEndedDeliveryHasNothingToDo() async throws {
        let world = try await World(devices: 100)
        let lease = try await world.lease("holder")
        _ = await world.engine().run(world.job(), under: DeliveryPermit(run: "holder", lease: lease))
        #expect(await help(world, lease) == nil)
        #expect(world.apple.requests == 100)
    }

    @Test func aHelperStopsWhenTheHolderLosesTheLock() async throws {
        let world = try await World(devices: 5000)
        let lease = try await world.lease("holder")
        _ = try await world.journal.freeze(world.job().freeze!, under: lease)
        _ = try await world.lease("thief")
        #expect(await help(world, lease) == .lockLost)
        #expect(world.apple.requests == 0)
    }
}

/// What a helper has under way.
private final class Helper: Sendable {
    private let content = Mutex<JournalBatch?>(nil)
    private let isAsked = Mutex(false)
    private let hasClaimed = Gate()

    var batch: JournalBatch? { content.withLock { $0 } }
    var isAtWork: Bool { batch != nil }

    /// Claims on the first call; the holder's other lane waits meanwhile, so that a batch is left.
    func start(_ claim: () async throws -> JournalClaim) async {
        let isFirst = isAsked.withLock { asked in
            defer { asked = true }
            return !asked
        }
        guard isFirst else { return await hasClaimed.pass() }
        if case .batch(let batch)? = try? await claim() { content.withLock { $0 = batch } }
        hasClaimed.open()
    }
}

/// A helper that always has a batch under way, each for one pause of the holder.
private actor BusyHelper {
    private let store: Journal
    private let lease: Lease
    private var batch: JournalBatch?
    /// The number of batches that were given up while it had them.
    private(set) var lost = 0

    init(store: Journal, lease: Lease) {
        (self.store, self.lease) = (store, lease)
    }

    func goOn() async {
        if let batch, (try? await store.settle(batch, [], under: lease)) != true { lost += 1 }
        let claim = try? await store.claim(from: World.delivery, by: "helper", under: lease)
        if case .batch(let next)? = claim { batch = next } else { batch = nil }
    }
}

/// A pause in which a helper settles what it has under way.
private struct SettlingPause: Pausing {
    let clock: FakeClock
    let settle: @Sendable () async -> Void

    func pause(for duration: Duration) async throws(CancellationError) {
        await settle()
        clock.advance(duration)
    }
}
