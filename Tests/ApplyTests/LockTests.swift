import Apply
import Base
import Push
import RemoteTesting
import Testing

@Suite struct LeaseKeeperTests {
    private let service = FakeService()
    private let remote: FakeRemote

    init() { remote = FakeRemote(service) }

    private func keeper() async throws -> LeaseKeeper {
        guard case .acquired(let lease) = try await remote.acquireLock(holder: "ann", run: "run") else {
            throw RemoteError(.unavailable, "held")
        }
        return LeaseKeeper(lease, writer: remote, began: service.elapsed, elapsed: { [service] in service.elapsed })
    }

    @Test func aRequestStartsWhileItsTimeoutAndTenSecondsAreLeft() async throws {
        let keeper = try await keeper()
        service.advance(.seconds(80))
        #expect(await keeper.hasTime(for: .seconds(30)))
        #expect(!remote.writes.contains("renew"))
    }

    @Test func withLessLeftTheLockIsRenewedFirst() async throws {
        let keeper = try await keeper()
        service.advance(.seconds(81))
        #expect(await keeper.hasTime(for: .seconds(30)))
        #expect(remote.writes.contains("renew"))
        #expect(await keeper.lease.expiresAt == Sample.start + .seconds(201))
    }

    @Test func aRenewalThatFailsLeavesTheOldEndStanding() async throws {
        let keeper = try await keeper()
        service.advance(.seconds(81))
        service.with { $0.failingWrites["renew"] = [.refused, .refused] }
        #expect(await !keeper.hasTime(for: .seconds(30)))
        #expect(await keeper.hasTime(for: .seconds(29)))
        #expect(await !keeper.isLost)
    }

    @Test func aLockThatSomebodyElseHasIsLostForGood() async throws {
        let keeper = try await keeper()
        service.advance(.seconds(120))
        _ = try await FakeRemote(service).acquireLock(holder: "bob", run: "other")
        #expect(await !keeper.hasTime(for: .zero))
        #expect(await keeper.isLost)
        service.with { $0.lock?.run = "run" }
        #expect(await !keeper.hasTime(for: .zero))
    }

    @Test func itIsRenewedEveryThirtySeconds() async throws {
        let keeper = try await keeper()
        service.advance(.seconds(29))
        await keeper.renewIfDue()
        #expect(!remote.writes.contains("renew"))
        service.advance(.seconds(1))
        await keeper.renewIfDue()
        #expect(remote.writes.count { $0 == "renew" } == 1)
        await keeper.renewIfDue()
        #expect(remote.writes.count { $0 == "renew" } == 1)
    }

    @Test func aRenewalCountsFromWhenItWasAskedFor() async throws {
        let keeper = try await keeper()
        service.advance(.seconds(30))
        service.with { $0.failingWrites["renew"] = [.slow(.seconds(60))] }
        await keeper.renewIfDue()
        // 60 s are left of the lock as it was asked for.
        service.with { $0.failingWrites["renew"] = [.refused] }
        #expect(await !keeper.hasTime(for: .seconds(51)))
        #expect(await keeper.hasTime(for: .seconds(50)))
    }
}

@Suite struct LockTakingTests {
    private let service = FakeService()

    private func take(_ name: String, timeout: Duration, stop: StopSignal = StopSignal()) async throws -> String {
        let taking = try await LeaseKeeper.take(
            FakeRemote(service), pausing: FakePause(service) { stop.isRaised },
            options: ApplyOptions(lockTimeout: timeout, holder: name, run: "run of \(name)"),
            elapsed: { [service] in service.elapsed }, report: { _ in })
        switch taking {
        case .taken: return "taken"
        case .held(let lock, _): return "held by \(lock.holder), fence \(lock.fence)"
        case .stopped: return "stopped"
        }
    }

    @Test func aFreeLockIsTaken() async throws {
        #expect(try await take("ann", timeout: .zero) == "taken")
        #expect(service.with { $0.lock?.fence } == 1)
    }

    @Test func withoutATimeoutAHeldLockEndsAtOnce() async throws {
        _ = try await take("ann", timeout: .zero)
        #expect(try await take("bob", timeout: .zero) == "held by ann, fence 1")
        #expect(service.now == Sample.start)
    }

    @Test(arguments: [(118, "held by ann, fence 1"), (120, "taken")])
    func theTimeoutIsWaitedFor(seconds: Int, ending: String) async throws {
        _ = try await take("ann", timeout: .zero)
        #expect(try await take("bob", timeout: .seconds(seconds)) == ending)
    }

    @Test func aStopEndsTheWait() async throws {
        _ = try await take("ann", timeout: .zero)
        let stop = StopSignal()
        stop.raise()
        #expect(try await take("bob", timeout: .seconds(600), stop: stop) == "stopped")
        #expect(service.now == Sample.start)
    }

    @Test func everyTakeRaisesTheFence() async throws {
        for fence in 1...3 {
            _ = try await take("ann\(fence)", timeout: .zero)
            #expect(service.with { $0.lock?.fence } == fence)
            service.advance(.seconds(120))
        }
    }
}
