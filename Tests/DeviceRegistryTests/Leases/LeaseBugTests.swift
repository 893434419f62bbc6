import Base
import Delivery
import DeliveryTesting
import DeviceRegistry
import Push
import RegistryTesting
import Synchronization
import Testing

/// Ways in which leases of other systems were lost without a word, over both databases.
@Suite struct LeaseBugTests {
    // MARK: A generation that starts at 1 again

    @Test(arguments: LeaseStore.present)
    func aLockThatWasFreedGoesOnCountingItsFences(store: LeaseStore) async throws {
        let world = try await LeaseWorld(store)
        var fences: [Int] = []
        for run in ["one", "two", "one", "three"] {
            let lease = try await world.take(run, in: fences.count % 2 == 0 ? world.mine : world.theirs)
            if fences.isEmpty { try await world.freeze(under: lease, in: world.mine) }
            fences.append(lease.fence)
            if fences.count % 2 == 0 {
                try await world.mine.release(lease, lastApplied: nil)
            } else {
                #expect(try await world.theirs.unlock(world.place, fence: lease.fence))
            }
            try await world.expectPowerless(lease, nil, in: world.mine)
        }
        #expect(fences == [1, 2, 3, 4])
        await world.close()
    }

    /// A server's claim of a push has no row once the push is over, so that its fences begin anew.
    @Test(arguments: LeaseStore.present)
    func whoHadAFenceThatIsGivenOutAgainIsNotTakenForItsNewHolder(store: LeaseStore) async throws {
        let world = try await LeaseWorld(
            store, place: Registry.claimPrefix + "p1", workspace: DeliveryFreeze.ofServer)
        let (first, open) = try await world.begin()
        _ = try await #require(world.server).purge(at: FakeClock.start)
        #expect(try await world.theirs.lock(of: world.place) == nil)
        let second = try await world.take("second", in: world.theirs)
        #expect(second.fence == first.fence)
        try await world.expectPowerless(first, open, in: world.mine)
        // What the first one had open is neither sent again nor forgotten.
        let ending = await world.run("second", under: second, in: world.theirs)
        world.expectOnce(ending, inDoubt: open)
        await world.close()
    }

    // MARK: A release with an open batch

    @Test(arguments: LeaseStore.present)
    func aBatchThatIsOpenWhenTheLockIsFreedIsInDoubtAndNeverSentAgain(store: LeaseStore) async throws {
        let world = try await LeaseWorld(store)
        let (first, open) = try await world.begin()
        try await world.mine.release(first, lastApplied: nil)
        // Nobody has the lock: the batch is as open as it was, and is nobody's.
        try await world.expectPowerless(first, open, in: world.mine)
        #expect(try await world.theirs.journal(of: LeaseWorld.delivery)?.underWay == open.targets.count)
        let second = try await world.take("second", in: world.theirs)
        let ending = await world.run("second", under: second, in: world.theirs)
        world.expectOnce(ending, inDoubt: open)
        // Its answer comes under a lock of its own, and too late.
        try await world.theirs.release(second, lastApplied: nil)
        let again = try await world.take("first", in: world.mine)
        #expect(try await world.mine.settle(open, [], under: again) == false)
        #expect(try await world.mine.journal(of: LeaseWorld.delivery)?.inDoubt == open.targets.count)
        await world.close()
    }

    // MARK: A delayed heartbeat

    @Test(arguments: LeaseStore.present)
    func aHeartbeatThatComesLateDoesNotTakeTheLockBack(store: LeaseStore) async throws {
        let world = try await LeaseWorld(store)
        let (first, open) = try await world.begin()
        world.clock.advance(Lease.usualLength + .seconds(1))
        let second = try await world.take("second", in: world.theirs)
        try await world.expectPowerless(first, open, in: world.mine)
        // The heartbeats go on, and the loser asks for the lock anew, before each of the winner's requests.
        let ending = await world.run("second", under: second, in: world.theirs) { [mine = world.mine] _ in
            #expect((try? await mine.renew(first)) == .some(nil))
            let attempt = try? await mine.acquireLock(of: first.workspace, holder: "first", run: first.run)
            if case .held? = attempt { return }
            Issue.record("\(String(describing: attempt))")
        }
        world.expectOnce(ending, inDoubt: open)
        // Nor when nobody has it any more.
        try await world.theirs.release(second, lastApplied: nil)
        try await world.expectPowerless(first, nil, in: world.mine)
        await world.close()
    }

    @Test(arguments: LeaseStore.present)
    func aHeartbeatThatComesLateKeepsALockThatNobodyTook(store: LeaseStore) async throws {
        let world = try await LeaseWorld(store)
        let lease = try await world.take("first", in: world.mine)
        world.clock.advance(Lease.usualLength * 3)
        let renewed = try #require(try await world.mine.renew(lease))
        #expect(renewed.fence == lease.fence && renewed.expiresAt == world.clock.now + Lease.usualLength)
        guard case .held = try await world.theirs.acquireLock(of: world.place, holder: "second", run: "second") else {
            Issue.record("it was taken from its holder")
            return
        }
        await world.close()
    }

    // MARK: A lock lost by failover

    /// The database goes back to before the lease while its holder sends, and another run gets the same fence.
    @Test(arguments: LeaseStore.present)
    func whoseLeaseWasLostByFailoverStopsThoughAnotherHasItsFence(store: LeaseStore) async throws {
        let world = try await LeaseWorld(store)
        let earlier = try await world.take("earlier", in: world.mine)
        try await world.freeze(under: earlier, in: world.mine)
        try await world.mine.release(earlier, lastApplied: nil)
        let moment = try await StoreMoment(of: world.theirs)
        let lease = try await world.take("first", in: world.mine)
        let successor = Mutex<Lease?>(nil)
        let sent = Mutex(0)
        let count = Count()
        let ending = await world.run("first", under: lease, in: world.mine) { _ in
            guard count.next() == 35 else { return }
            try? await moment.restore()
            sent.withLock { $0 = world.apple.requests }
            let next = try? await world.take("second", in: world.theirs)
            successor.withLock { $0 = next }
        }
        #expect(ending == .interrupted(.lockLost))
        let second = try #require(successor.withLock { $0 })
        #expect(second.fence == lease.fence)
        try await world.expectPowerless(lease, nil, in: world.mine)
        // Of what it had claimed only the batches that were open went on: two.
        #expect(world.apple.requests <= sent.withLock { $0 } + 2 * LeaseWorld.batchSize)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
        await world.close()
    }

    /// The database goes back to before batches that this very run sent, under a lease that it still has.
    @Test(arguments: LeaseStore.present, [15, 41, 99])
    func whatARunSentAndTheDatabaseLostIsNotSentAgainUntilAPersonDecides(store: LeaseStore, request: Int) async throws {
        let world = try await LeaseWorld(store)
        let lease = try await world.take("first", in: world.mine)
        try await world.freeze(under: lease, in: world.mine)
        let moment = try await StoreMoment(of: world.theirs)
        let count = Count()
        let ending = await world.run("first", under: lease, in: world.mine) { _ in
            if count.next() == request { try? await moment.restore() }
        }
        try await expectHalted(ending, world)
        // Nor does the next run.
        try await world.mine.release(lease, lastApplied: nil)
        let second = try await world.take("second", in: world.theirs)
        try await expectHalted(await world.run("second", under: second, in: world.theirs), world)
        await world.close()
    }

    /// As above, and nothing was open at that moment: only the number of a batch that comes again tells.
    @Test(arguments: LeaseStore.present)
    func aBatchThatIsGivenToARunTwiceIsNotSentTwice(store: LeaseStore) async throws {
        let world = try await LeaseWorld(store)
        let lease = try await world.take("first", in: world.mine)
        try await world.freeze(under: lease, in: world.mine)
        let moment = try await StoreMoment(of: world.theirs)
        let pause = SetBackWhenIdle(moment: moment, clock: world.clock)
        let apple = FakeApple { _, request in request == 7 ? .refuse(500, "InternalServerError") : .accept }
        let engine = DeliveryEngine(
            store: world.mine.mortal(Life(), batchSize: LeaseWorld.batchSize),
            senders: FakeSenders(
                sender: FakeSender(apple: apple) { [apple = world.apple] target in
                    apple.with { $0.inboxes[target.token, default: []].append(target.id) }
                }), settings: DeliverySettings(longestWait: nil),
            pausing: pause, heartbeat: NoPause(), elapsed: { [clock = world.clock] in clock.elapsed })
        let ending = await engine.run(
            world.job,
            under: DeliveryPermit(run: "first", lease: lease, permission: { .granted(for: .seconds(86_400)) }))
        // All were settled when the run waited to send to one of them again.
        #expect(pause.times >= 1)
        try await expectHalted(ending, world)
        #expect(world.apple.received.count == LeaseWorld.devices)
        await world.close()
    }

    @Test(arguments: LeaseStore.present)
    func aDeliveryThatTheDatabaseLostAsAWholeIsNotCalledUnsent(store: LeaseStore) async throws {
        let world = try await LeaseWorld(store)
        let lease = try await world.take("first", in: world.mine)
        let moment = try await StoreMoment(of: world.theirs)
        let count = Count()
        let ending = await world.run("first", under: lease, in: world.mine) { _ in
            if count.next() == 35 { try? await moment.restore() }
        }
        try await expectHalted(ending, world)
        #expect(try await world.theirs.journal(of: LeaseWorld.delivery) == nil)
        await world.close()
    }

    /// Checks that nothing was sent twice, and a person is asked before anything else is.
    private func expectHalted(_ ending: DeliveryEnding, _ world: LeaseWorld) async throws {
        guard case .interrupted(.stopped(let order)) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(order.by == "first" && order.why == RegistryError.setBack.description)
        #expect(try await world.theirs.stop(of: LeaseWorld.delivery, in: world.workspace) == order)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
    }
}

/// Sets the database back when the run waits for the first time.
private final class SetBackWhenIdle: Pausing {
    private let moment: StoreMoment
    private let clock: FakeClock
    private let count = Count()

    init(moment: StoreMoment, clock: FakeClock) { (self.moment, self.clock) = (moment, clock) }

    /// How often the run waited before it was stopped.
    var times: Int { count.now }

    func pause(for duration: Duration) async throws(CancellationError) {
        clock.advance(duration)
        guard count.next() == 1 else { return }
        try? await moment.restore()
    }
}

/// Counts.
private final class Count: Sendable {
    private let count = Mutex(0)

    var now: Int { count.withLock { $0 } }

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
