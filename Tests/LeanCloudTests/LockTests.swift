import Apply
import Base
import HTTP
import Push
import RemoteTesting
import Synchronization
import Testing

@testable import LeanCloud

@Suite struct LockTests {
    private let service = FakeService()

    private func lease(_ attempt: LockAttempt) -> Lease? {
        if case .acquired(let lease) = attempt { lease } else { nil }
    }

    private func holder(_ attempt: LockAttempt) -> String? {
        if case .held(let record, _) = attempt { record.run } else { nil }
    }

    @Test func theFirstApplyMakesTheObjectWaitsAndTakesIt() async throws {
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "mina@mac", run: "r1")))
        #expect(lease.fence == 1)
        #expect(service.pauses == [.seconds(2)])
        #expect(lease.expiresAt == service.now + .seconds(120))
        let record = try #require(try await service.reader.lock())
        #expect(record.run == "r1")
        #expect(record.holder == "mina@mac")
        #expect(record.acquiredAt == service.now)
        let conditions = service.seen.filter { $0.method == .put }.map { $0.query["where"] }
        #expect(conditions == [#"{"expiresAt":{"$lte":"2026-11-20T12:00:02.000Z"},"fence":0}"#])
    }

    @Test func everyObjectIsForTheMasterKeyAlone() async throws {
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h", run: "r1")))
        try await service.writer.insert(.example(), under: lease)
        try await service.writer.save(
            ResourceRecord(kind: .channel, name: "Giants", fields: ["name": "Giants"]), under: lease)
        try await service.writer.startLedger()
        let created = service.seen.filter { $0.method == .post }
        #expect(created.count == 4)
        for seen in created { #expect(seen.body?["ACL"] == [:]) }
        #expect(service.seen.allSatisfy { $0.method != .put || $0.body?["ACL"] == nil })
    }

    @Test func aHeldLockIsNotTaken() async throws {
        _ = try await service.writer.acquireLock(holder: "h1", run: "r1")
        service.advance(.seconds(119))
        #expect(holder(try await service.writer.acquireLock(holder: "h2", run: "r2")) == "r1")
    }

    @Test func anExpiredLockIsTakenOverWithAHigherFence() async throws {
        _ = try await service.writer.acquireLock(holder: "h1", run: "r1")
        service.advance(.seconds(121))
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h2", run: "r2")))
        #expect(lease.fence == 2)
    }

    @Test func oneOfTwoRunsThatSeeAFreeLockGetsIt() async throws {
        service.put("BugleLock", LockObject.unclaimed(workspace: "giants"))
        service.advance(.seconds(60))
        let faster = Mutex<LockAttempt?>(nil)
        // Between the second run's look and its claim, the first run takes the lock.
        service.script(
            .put, "BugleLock",
            .first {
                let attempt = try? await service.writer.acquireLock(holder: "h1", run: "r1")
                faster.withLock { $0 = attempt }
            })
        let slower = try await service.writer.acquireLock(holder: "h2", run: "r2")
        #expect(holder(slower) == "r1")
        #expect(faster.withLock { $0 }.flatMap { lease($0) }?.fence == 1)
    }

    @Test func twoObjectsMadeAtOnceLeaveOneLock() async throws {
        let other = Mutex<LockAttempt?>(nil)
        // Both runs find nothing; the second makes its object while the first makes its own.
        service.script(
            .post, "BugleLock",
            .first {
                let attempt = try? await service.writer.acquireLock(holder: "h2", run: "r2")
                other.withLock { $0 = attempt }
            })
        let first = try await service.writer.acquireLock(holder: "h1", run: "r1")
        #expect(service.objects("BugleLock").count == 2)
        #expect(other.withLock { $0 }.flatMap { lease($0) } != nil)
        #expect(holder(first) == "r2")
    }

    @Test func anObjectThatWasJustMadeIsLeftAloneFirst() async throws {
        service.put("BugleLock", LockObject.unclaimed(workspace: "giants"))
        #expect(lease(try await service.writer.acquireLock(holder: "h", run: "r1")) != nil)
        #expect(service.pauses == [.seconds(2)])
    }

    @Test func manyRunsAtOnceLeaveOneHolder() async throws {
        for _ in 0..<20 {
            let service = FakeService()
            let taken = await withTaskGroup(of: Bool.self) { group in
                for run in 0..<8 {
                    group.addTask {
                        let attempt = try? await service.writer.acquireLock(holder: "h", run: "r\(run)")
                        if case .acquired = attempt { return true }
                        return false
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 1)
        }
    }

    @Test func aClaimWhoseAnswerIsLostIsReadBack() async throws {
        service.script(.put, "BugleLock", .loseAnswer)
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h", run: "r1")))
        #expect(lease.fence == 1)
        #expect(service.seen.filter { $0.method == .put }.count == 1)
    }

    @Test func aClaimThatNeverArrivedIsMadeAgain() async throws {
        service.script(.put, "BugleLock", .loseRequest)
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h", run: "r1")))
        #expect(lease.fence == 1)
        #expect(service.objects("BugleLock").first?["fence"] == 1)
    }

    @Test func aLockObjectWhoseAnswerIsLostDoesNotMatter() async throws {
        service.script(.post, "BugleLock", .loseAnswer)
        #expect(lease(try await service.writer.acquireLock(holder: "h", run: "r1")) != nil)
        #expect(service.objects("BugleLock").count == 1)
    }

    @Test func renewingProlongs() async throws {
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h", run: "r1")))
        service.advance(.seconds(30))
        let renewed = try #require(try await service.writer.renew(lease))
        #expect(renewed.expiresAt == service.now + .seconds(120))
        #expect(try await service.reader.lock()?.expiresAt == renewed.expiresAt)
        #expect(service.seen.last { $0.method == .put }?.query["where"] == #"{"fence":1,"run":"r1"}"#)
    }

    @Test func aLockThatWasTakenOverCannotBeRenewed() async throws {
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h", run: "r1")))
        service.advance(.seconds(130))
        _ = try await service.writer.acquireLock(holder: "h2", run: "r2")
        #expect(try await service.writer.renew(lease) == nil)
        #expect(try await service.reader.lock()?.run == "r2")
    }

    @Test func aLockThatIsTakenOverDuringTheRenewalIsLost() async throws {
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h", run: "r1")))
        service.advance(.seconds(130))
        service.script(
            .put, "BugleLock", .first { _ = try? await service.writer.acquireLock(holder: "h2", run: "r2") })
        #expect(try await service.writer.renew(lease) == nil)
        #expect(try await service.reader.lock()?.run == "r2")
    }

    @Test func aRenewalWhoseAnswerIsLostIsSettled() async throws {
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h", run: "r1")))
        service.script(.put, "BugleLock", .loseAnswer, .loseRequest)
        #expect(try await service.writer.renew(lease) != nil)
    }

    @Test func releasingFreesTheLockAndRemembersTheApply() async throws {
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h", run: "r1")))
        let applied = LastApplied(
            commit: "abc1234", committedAt: Instant("2026-11-20T10:00:00Z"), at: service.now, run: "github run 812")
        try await service.writer.release(lease, lastApplied: applied)
        let record = try #require(try await service.reader.lock())
        #expect(!record.isHeld(at: service.now))
        #expect(record.lastApplied == applied)
        #expect(record.expiresAt < service.now)
        let next = try #require(self.lease(try await service.writer.acquireLock(holder: "h", run: "r2")))
        #expect(next.fence == 2)
        try await service.writer.release(next, lastApplied: nil)
        #expect(try await service.reader.lock()?.lastApplied == applied)
    }

    @Test func releasingALostLockChangesNothing() async throws {
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h", run: "r1")))
        service.advance(.seconds(130))
        _ = try await service.writer.acquireLock(holder: "h2", run: "r2")
        try await service.writer.release(lease, lastApplied: nil)
        #expect(try await service.reader.lock()?.run == "r2")
    }

    @Test func aReleaseWhoseAnswerIsLostIsSettled() async throws {
        let lease = try #require(lease(try await service.writer.acquireLock(holder: "h", run: "r1")))
        service.script(.put, "BugleLock", .loseAnswer)
        try await service.writer.release(lease, lastApplied: nil)
        #expect(try await service.reader.lock()?.run == "")
        #expect(service.seen.filter { $0.method == .put }.count == 2)
    }

    @Test func unlockingNeedsTheFenceOfAHeldLock() async throws {
        #expect(try await service.writer.unlock(fence: 1) == false)
        _ = try await service.writer.acquireLock(holder: "h", run: "r1")
        #expect(try await service.writer.unlock(fence: 2) == false)
        #expect(try await service.writer.unlock(fence: 1) == true)
        #expect(try await service.writer.unlock(fence: 1) == false)
        #expect(lease(try await service.writer.acquireLock(holder: "h", run: "r2"))?.fence == 2)
    }

    @Test func anUnlockWhoseAnswerIsLostWasOne() async throws {
        _ = try await service.writer.acquireLock(holder: "h", run: "r1")
        service.script(.put, "BugleLock", .loseAnswer)
        #expect(try await service.writer.unlock(fence: 1) == true)
    }

    @Test func withoutADateHeaderNothingIsLocked() async {
        service.with { $0.sendsDate = false }
        let error = await #expect(throws: RemoteError.self) {
            try await service.writer.acquireLock(holder: "h", run: "r1")
        }
        #expect(error?.kind == .unexpectedAnswer)
    }

    @Test(
        arguments: [
            ["run": 1], ["fence": "1"], ["fence": -1], ["expiresAt": "soon"], ["holder": nil],
            ["lastApplied": ["at": "never"]], ["lastApplied": "abc"],
        ] as [[String: JSONValue?]])
    func aLockOfAnotherShapeIsAnErrorThatNamesIt(_ change: [String: JSONValue?]) async {
        var members = LockObject.unclaimed(workspace: "giants")
        for (key, value) in change { members[key] = value }
        service.put("BugleLock", members)
        let error = await #expect(throws: RemoteError.self) { try await service.reader.lock() }
        #expect(error?.kind == .unexpectedAnswer)
        #expect(error?.description.contains("BugleLock object id00000001") == true)
    }

    @Test func anotherWorkspacesLockIsNotOurs() async throws {
        service.put("BugleLock", LockObject.unclaimed(workspace: "mets"))
        #expect(try await service.reader.lock() == nil)
        #expect(lease(try await service.writer.acquireLock(holder: "h", run: "r1"))?.fence == 1)
        #expect(service.objects("BugleLock").count == 2)
    }
}
