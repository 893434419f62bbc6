import Base
import BaseTesting
import DeliveryTesting
import DeviceRegistry
import ProgramTesting
import Push
import Testing

@testable import Delivery

@Suite struct StoppingTests {
    /// Does something before the request of a number.
    private func before(
        _ number: Int, _ action: @escaping @Sendable () async -> Void
    ) -> @Sendable (SendTarget) async -> Void {
        let (count, done) = (Counter(), Gate())
        return { _ in
            let this = count.next()
            if this == number {
                await action()
                done.open()
            }
            // However long it takes, nothing else leaves meanwhile.
            if this > number { await done.pass() }
        }
    }

    @Test func aStopEndsTheBatchesUnderWayAndTheNextRunGoesOn() async throws {
        let world = try await World(devices: 5000)
        let ending = try await world.run(beforeRequest: before(1300) { [stop = world.stop] in stop.raise() })
        #expect(ending == .interrupted(.asked))
        let figures = try #require(try await world.figures)
        #expect(figures.underWay == 0)
        #expect(figures.inDoubt == 0)
        #expect(figures.accepted == world.apple.requests)
        #expect(figures.accepted < 1310)
        world.stop.lower()
        #expect(try await world.run(run: "second").figures?.accepted == 5000)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    // MARK: By a person

    private static func order(_ key: String) -> StopOrder {
        StopOrder(key: key, title: "one@1", by: "mina on mac", at: FakeClock.start, why: "wrong link")
    }

    @Test(arguments: [World.delivery, StopOrder.all])
    func aPersonsStopLetsTheOpenBatchesEndAndNothingElseLeaves(key: String) async throws {
        let (world, order) = (try await World(devices: 9000), Self.order(key))
        let ending = try await world.run(
            beforeRequest: before(1300) { [journal = world.journal] in
                try? await journal.stop(order, in: World.workspace)
            })
        #expect(ending == .interrupted(.stopped(order)))
        let figures = try #require(try await world.figures)
        #expect(figures.underWay == 0 && figures.inDoubt == 0)
        #expect(figures.accepted == world.apple.requests)
        // Two batches were open, and the one that was claimed at that moment.
        #expect(figures.accepted <= 4000)
        let sent = world.apple.requests
        #expect(try await world.run(run: "second") == .interrupted(.stopped(order)))
        #expect(world.apple.requests == sent)
        try await world.journal.lift(order, in: World.workspace)
        #expect(try await world.run(run: "third").figures?.accepted == 9000)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func aStopOfAnotherDeliveryOrWorkspaceStopsNothing() async throws {
        let world = try await World(devices: 100)
        try await world.journal.stop(Self.order("another3jk3jk3jk"), in: World.workspace)
        try await world.journal.stop(Self.order(StopOrder.all), in: "dodgers")
        try await world.journal.stop(Self.order(World.delivery), in: "dodgers")
        #expect(try await world.run().figures?.accepted == 100)
    }

    @Test func whatIsStoppedBeforeItBeganIsNotFrozen() async throws {
        let world = try await World(devices: 100)
        try await world.journal.stop(Self.order(StopOrder.all), in: World.workspace)
        #expect(try await world.run() == .interrupted(.stopped(Self.order(StopOrder.all))))
        #expect(try await world.figures == nil)
    }

    @Test func whatIsStoppedWhileItIsFrozenSendsNothing() async throws {
        let (world, order) = (try await World(devices: 100), Self.order(World.delivery))
        // The permission is asked for between the look at the orders and the freeze.
        let ending = try await world.run(permission: { [journal = world.journal] in
            try? await journal.stop(order, in: World.workspace)
            return .granted(for: DeliveryPermit.grace)
        })
        #expect(ending == .interrupted(.stopped(order)) || ending == .nothingSent(.stopped(order)))
        #expect(world.apple.requests == 0)
        let figures = try #require(try await world.figures)
        #expect(figures.isFrozen && figures.waiting == 100)
        try await world.journal.lift(order, in: World.workspace)
        #expect(try await world.run(run: "second").figures?.accepted == 100)
    }

    @Test func anOrderThatCannotBeReadStopsEverything() async throws {
        let world = try await World(devices: 100)
        try await world.journal.put(
            DeployRecord(workspace: World.workspace, kind: .stop, key: World.delivery, document: ["by": 1]), under: nil)
        let error = try #require(try await world.run().stopBeforeSending?.registryError)
        #expect(error.description.contains("the registry's stop \(World.delivery)"))
        #expect(world.apple.requests == 0)
    }

    @Test func aHelperStopsToo() async throws {
        let (world, order) = (try await World(devices: 9000), Self.order(World.delivery))
        let lease = try await world.lease("holder")
        _ = try await world.journal.freeze(world.job().freeze!, under: lease)
        let stop = await world.engine(
            beforeRequest: before(500) { [journal = world.journal] in
                try? await journal.stop(order, in: World.workspace)
            }
        ).help(world.job(), under: DeliveryPermit(run: "helper", lease: lease))
        #expect(stop == .stopped(order))
        #expect(world.apple.requests <= 3000)
        #expect(try await world.figures?.underWay == 0)
    }

    @Test func cancellingTheTaskStopsItToo() async throws {
        let world = try await World(devices: 5000)
        let (begun, cancelled) = (Gate(), Gate())
        let request = before(700) {
            begun.open()
            await cancelled.pass()
        }
        let task = Task { try await world.run(beforeRequest: request) }
        await begun.pass()
        task.cancel()
        cancelled.open()
        #expect(try await task.value == .interrupted(.asked))
        #expect(try await world.figures?.underWay == 0)
        #expect(world.apple.requests < 5000)
    }

    @Test func withoutTheLockNothingStarts() async throws {
        let world = try await World(devices: 100)
        #expect(try await world.run(permission: { .denied(.lockLost) }) == .interrupted(.lockLost))
        #expect(world.apple.requests == 0)
    }

    @Test func aLockThatIsLostStopsTheDeliveryAndItsOpenBatchesAreInDoubt() async throws {
        let world = try await World(devices: 5000)
        let (requests, stolen) = (Counter(), Gate())
        let ending = try await world.run(beforeRequest: { [world] _ in
            let number = requests.next()
            if number == 1300 {
                _ = try? await world.lease("thief")
                stolen.open()
            }
            // No other batch is settled meanwhile.
            if number > 1300 { await stolen.pass() }
        })
        #expect(ending == .interrupted(.lockLost))
        let accepted = try await world.figures?.accepted ?? 0
        #expect(accepted <= 1000)
        let figures = try #require(try await world.run(run: "second").figures)
        #expect(figures.inDoubt <= 2000)
        #expect(figures.accepted + figures.inDoubt == 5000)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func requestsStopWhenTheLockWasNotConfirmedForAWhile() async throws {
        // The lock is confirmed when a batch is claimed; each request takes a second, and the heartbeat is dead.
        let world = try await World(devices: 2000)
        let clock = world.clock
        let engine = DeliveryEngine(
            store: world.journal,
            senders: FakeSenders(
                sender: FakeSender(apple: world.apple, before: { _ in clock.advance(.seconds(1)) })),
            pausing: FakePause(clock: clock), heartbeat: NoPause(), elapsed: { clock.elapsed })
        let answered = Counter()
        let ending = await engine.run(
            world.job(),
            under: DeliveryPermit(
                run: "run", lease: try await world.lease("run"),
                permission: { answered.next() <= 3 ? .granted(for: DeliveryPermit.grace) : .denied(.lockLost) }))
        #expect(ending == .interrupted(.lockLost))
        #expect(world.apple.requests <= 20)
        #expect(try await world.figures?.inDoubt == 0)
    }

    @Test func aDeliveryPastItsExpirationSendsNothingMore() async throws {
        let world = try await World(devices: 3000)
        let end = FakeClock.start + .seconds(600)
        let job = world.job(window: .seconds(86_400), expiresAt: end)
        _ = try await world.run(job, beforeRequest: before(1300) { [stop = world.stop] in stop.raise() })
        world.stop.lower()
        let sent = world.apple.requests
        world.clock.advance(.seconds(600))
        let figures = try #require(try await world.run(job, run: "second").figures)
        #expect(figures.missed == 3000 - figures.accepted)
        #expect(world.apple.requests == sent)
    }

    @Test func aDeliveryThatExpiresUnderWaySendsNothingMore() async throws {
        let world = try await World(devices: 3000)
        let job = world.job(window: .seconds(86_400), expiresAt: FakeClock.start + .seconds(600))
        let ending = try await world.run(
            job, beforeRequest: before(500) { [clock = world.clock] in clock.advance(.seconds(700)) })
        let figures = try #require(ending.figures)
        #expect(figures.missed > 0)
        #expect(figures.missed + figures.accepted == 3000)
    }

    @Test func noRequestStartsOnceItHasExpiredWithinABatch() async throws {
        let world = try await World(devices: 900)
        // The lock holds for 10 s and more.
        let ending = try await world.run(
            world.job(window: .seconds(86_400), expiresAt: FakeClock.start + .seconds(5)),
            beforeRequest: before(300) { [clock = world.clock] in clock.advance(.seconds(6)) })
        #expect(world.apple.requests == 299)
        #expect(ending.figures?.missed == 601)
    }

    @Test func noRequestStartsOnceItsWindowHasEndedWithinABatch() async throws {
        let world = try await World(devices: 900)
        let ending = try await world.run(
            world.job(window: .seconds(5)),
            beforeRequest: before(1) { [clock = world.clock] in clock.advance(.seconds(6)) })
        #expect(ending.stopBeforeSending?.kind == "over")
        #expect(world.apple.requests == 0)
    }

    @Test func noRequestStartsAfterTheClearanceHasEndedWithinABatch() async throws {
        let world = try await World(devices: 900)
        let quiet = Denial.quietHours(until: Instant(milliseconds: FakeClock.start.milliseconds + 3_600_000))
        let ending = try await world.run(
            permission: { [clock = world.clock] in
                let left = .seconds(2) - clock.elapsed
                return left > .zero ? .granted(for: left) : .denied(quiet)
            }, beforeRequest: before(300) { [clock = world.clock] in clock.advance(.seconds(3)) })
        #expect(ending == .interrupted(DeliveryStop(quiet)))
        #expect(world.apple.requests == 299)
        #expect(try await world.figures?.waiting == 601)
        world.clock.advance(.seconds(1800))
        #expect(try await world.run(run: "second").figures?.accepted == 900)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func aProcessThatWasPausedSendsNothingLate() async throws {
        let world = try await World(devices: 900)
        let ending = try await world.run(
            permission: { [clock = world.clock] in
                clock.elapsed < .seconds(60) ? .granted(for: DeliveryPermit.grace) : .denied(.lockLost)
            }, beforeRequest: before(300) { [clock = world.clock] in clock.advance(.seconds(300)) })
        #expect(ending == .interrupted(.lockLost))
        #expect(world.apple.requests == 299)
    }

    @Test func aDeliveryIsOverAWindowAfterItsLastOutcome() async throws {
        let world = try await World(devices: 3000)
        _ = try await world.run(beforeRequest: before(1300) { [stop = world.stop] in stop.raise() })
        world.stop.lower()
        let sent = world.apple.requests
        // Still in the window of the last outcome, though not in that of the start.
        world.clock.advance(.seconds(3500))
        _ = try await world.run(run: "second", beforeRequest: before(300) { [stop = world.stop] in stop.raise() })
        world.stop.lower()
        #expect(world.apple.requests > sent)
        let later = world.apple.requests
        world.clock.advance(.seconds(3601))
        let figures = try #require(try await world.run(run: "third").figures)
        #expect(figures.missed == 3000 - later)
        #expect(world.apple.requests == later)
    }

    @Test func whatAPersonLetsGoOnHasItsWindowFromThen() async throws {
        let world = try await World(devices: 3000)
        _ = try await world.run(beforeRequest: before(1300) { [stop = world.stop] in stop.raise() })
        world.stop.lower()
        world.clock.advance(.seconds(7200))
        try await world.journal.renewWindow(of: World.delivery, under: try await world.lease("person"))
        world.clock.advance(.seconds(3000))
        #expect(try await world.run(run: "second").figures?.accepted == 3000)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func aDeliveryThatWasNeverBegunInItsTimeFreezesNothing() async throws {
        let world = try await World(devices: 100)
        world.clock.advance(.seconds(3601))
        #expect(try await world.run().stopBeforeSending?.kind == "over")
        #expect(try await world.figures == nil)
    }

    @Test func devicesInDoubtAreLeftAndCounted() async throws {
        let world = try await World(
            devices: 1500, FakeApple { _, request in request % 100 == 0 ? .takenInSilence : .accept })
        let figures = try #require(try await world.run().figures)
        #expect(figures.inDoubt == 15)
        #expect(figures.accepted == 1485)
        #expect(world.apple.requests == 1500)
    }

    @Test func devicesInDoubtAreSentAgainOnceWhenTheCampaignSaysSo() async throws {
        let world = try await World(devices: 1500, FakeApple { _, request in request % 100 == 0 ? .lost : .accept })
        let order = world.order {
            $0.collapseID = "score"
            $0.resendsDoubtful = true
        }
        let figures = try #require(try await world.run(world.job(order)).figures)
        #expect(figures.accepted == 1500)
        let deaf = try await World(devices: 150, FakeApple { token, _ in token == World.token(3) ? .lost : .accept })
        #expect(try await deaf.run(deaf.job(order)).figures?.inDoubt == 1)
        #expect(deaf.apple.requests == 151)
    }

    @Test func whoeverIsSentToAgainInVainIsInDoubtAsBefore() async throws {
        let world = try await World(
            devices: 1,
            FakeApple { _, request in request == 1 ? .takenInSilence : .refuse(503, "ServiceUnavailable") })
        let order = world.order {
            $0.collapseID = "score"
            $0.resendsDoubtful = true
        }
        #expect(try await world.run(world.job(order)).stopWhileSending?.kind == "postponed")
        // It got it, and counts as reached all the time.
        #expect(try await world.journal.reached("device0", by: World.delivery))
        world.clock.advance(.seconds(7200))
        let figures = try #require(try await world.run(world.job(order), run: "second").figures)
        #expect(figures.inDoubt == 1 && figures.missed == 0 && world.apple.requests == 2)
        #expect(try await world.journal.reached("device0", by: World.delivery))
    }

    @Test func aPersonsWordReopensTheDevicesInDoubtOnly() async throws {
        let world = try await World(devices: 1500, FakeApple { _, request in request % 100 == 0 ? .lost : .accept })
        _ = try await world.run()
        let lease = try await world.lease("person")
        try await world.journal.reopenDoubtful(World.delivery, under: lease)
        #expect(try await world.run(run: "second").figures?.accepted == 1500)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func concludingCountsTheRestAsMissed() async throws {
        let world = try await World(devices: 3000)
        _ = try await world.run(beforeRequest: before(1300) { [stop = world.stop] in stop.raise() })
        let figures = try await DeliveryEngine.conclude(
            World.delivery, in: world.journal, under: try await world.lease("person"))
        #expect(figures.missed == 3000 - figures.accepted)
        #expect(
            try await DeliveryEngine.conclude(
                World.delivery, in: world.journal, under: try await world.lease("person")) == figures)
    }

    @Test func aRegistryThatFailsForAMomentCostsNothing() async throws {
        let world = try await World(devices: 3000)
        let failures = Counter()
        let ending = await world.engine(
            fault: { moment throws(RegistryError) in
                // Three batches, each settled at the second attempt; then the delivery is closed.
                guard moment == .beforeWrite(isOutcome: true), [1, 3, 5].contains(failures.next()) else { return }
                throw RegistryError(internal: "the disk is busy")
            }
        ).run(world.job(), under: DeliveryPermit(run: "run", lease: try await world.lease("run")))
        #expect(ending.figures?.accepted == 3000)
        #expect(failures.next() > 6)
    }

    @Test func aRegistryThatIsAwayForLongerThanAFewSecondsPutsNobodyInDoubt() async throws {
        let world = try await World(devices: 3000)
        let failures = Counter()
        let ending = await world.engine(
            fault: { moment throws(RegistryError) in
                // As while a database restarts: two batches are open, and share the failures.
                guard moment == .beforeWrite(isOutcome: true), failures.next() <= 12 else { return }
                throw RegistryError(internal: "the server is starting up")
            }
        ).run(world.job(), under: DeliveryPermit(run: "run", lease: try await world.lease("run")))
        #expect(ending.figures?.accepted == 3000 && ending.figures?.inDoubt == 0)
        #expect(failures.next() > 12)
    }

    @Test func anAudienceThatTheRegistryRefusesSendsNothing() async throws {
        let world = try await World(devices: 30)
        let error = RegistryError(.invalidQuery, "the condition cannot be read")
        let ending = await world.engine(
            fault: { moment throws(RegistryError) in if moment == .beforeFreeze { throw error } }
        ).run(world.job(), under: DeliveryPermit(run: "run", lease: try await world.lease("run")))
        #expect(ending == .nothingSent(.registry(error)))
    }
}
