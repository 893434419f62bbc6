import Apply
import Push
import RemoteTesting
import Synchronization
import Testing

/// Two applies of one workspace.
@Suite struct RaceTests {
    @Test func aSecondApplyAtAnyPointOfTheFirstIsLockedOutAndNamesIt() async throws {
        let points = await Applier().apply(CrashTests.after, to: await CrashTests.prepared()).remote.points
        for number in points.indices {
            let service = await CrashTests.prepared()
            let ending = Mutex("")
            await Applier { _, index in
                guard index == number else { return .live }
                let second = await Applier(name: "bob").apply(CrashTests.after, to: service)
                ending.withLock { $0 = second.ending }
                return .live
            }
            .apply(CrashTests.after, to: service)
            // Before the lock is taken and after it was freed the way is free.
            let isFree = number == 0 || number == points.count - 1
            #expect(ending.withLock { $0 } == (isFree ? "finished" : "held by ann"), "\(points[number])")
            try await CrashTests.expectExactlyOnce(service, "\(points[number])")
        }
    }

    @Test func twoAppliesAtOnceDeliverOnce() async throws {
        for _ in 0..<20 {
            let service = await CrashTests.prepared()
            async let first = Applier(name: "ann").apply(CrashTests.after, to: service).ending
            async let second = Applier(name: "bob").apply(CrashTests.after, to: service).ending
            let endings = await [first, second]
            #expect(endings.contains("finished"))
            #expect(endings.allSatisfy { ["finished", "held by ann", "held by bob"].contains($0) })
            try await CrashTests.expectExactlyOnce(service, "\(endings)")
        }
    }

    /// A run that stands still for longer than its lock holds, while another one does the work.
    @Test func aRunThatLostItsLockStartsNothingNew() async throws {
        let points = await Applier().apply(CrashTests.after, to: await CrashTests.prepared()).remote.points
        for number in points.indices.dropFirst().dropLast() {
            let service = await CrashTests.prepared()
            let stalled = await Applier { _, index in
                guard index == number else { return .live }
                service.advance(.seconds(130))
                await Applier(name: "bob").apply(CrashTests.after, to: service)
                return .live
            }
            .apply(CrashTests.after, to: service)
            #expect(stalled.ending == "lockLost" || stalled.ending == "finished", "\(points[number])")
            let later = stalled.remote.points.dropFirst(number + 1).filter { $0.phase == .before }.map(\.name)
            #expect(!later.contains("send"), "\(points[number]): \(later)")
            #expect(!later.contains("insert sending"), "\(points[number]): \(later)")
            try await CrashTests.expectExactlyOnce(service, "stalled \(points[number])")
        }
    }

    @Test func aLockLostMidwaySkipsWhatWasNotBegun() async throws {
        let service = FakeService()
        let workspace = Sample.workspace([Sample.campaign("a"), Sample.campaign("b"), Sample.campaign("c")])
        let first = await Applier { point, _ in
            guard point.name == "update sent", point.phase == .after, service.received == ["a@1": 1] else {
                return .live
            }
            service.advance(.seconds(130))
            await Applier(name: "bob").apply(workspace, to: service)
            return .live
        }
        .apply(workspace, to: service)
        #expect(first.ending == "lockLost")
        #expect(first.outcome?.results.map(\.outcome) == [.done, .skipped, .skipped])
        #expect(service.received == ["a@1": 1, "b@1": 1, "c@1": 1])
    }

    @Test func aLockLostWhileAnOutcomeIsOpenLeavesItUnknownToThisRun() async {
        let service = FakeService()
        let workspace = Sample.workspace([Sample.campaign("a")])
        service.with { $0.answers = [.lostAnswer] }
        let first = await Applier { point, _ in
            guard point.name == "send", point.phase == .after else { return .live }
            service.advance(.seconds(130))
            await Applier(name: "bob").apply(workspace, to: service)
            return .live
        }
        .apply(workspace, to: service)
        #expect(first.ending == "lockLost")
        #expect(first.result("a")?.outcome == .unknown)
        #expect(service.state("a") == .sent)
        #expect(service.received == ["a@1": 1])
    }

    @Test func aDeadApplysLockIsTakenOverOnceItEnds() async throws {
        let service = FakeService()
        let workspace = Sample.workspace([Sample.campaign("a")])
        await Applier { point, _ in point.name == "insert sending" ? .die : .live }.apply(workspace, to: service)
        service.advance(.seconds(119))
        #expect(await Applier(name: "bob").apply(workspace, to: service).ending == "held by ann")
        service.advance(.seconds(1))
        #expect(await Applier(name: "bob").apply(workspace, to: service).ending == "finished")
        #expect(service.received == ["a@1": 1])
    }

    @Test func waitingForTheLockTakesItWhenItEnds() async throws {
        let service = FakeService()
        let workspace = Sample.workspace([Sample.campaign("a")])
        await Applier { point, _ in point.name == "insert sending" ? .die : .live }.apply(workspace, to: service)
        var bob = Applier(name: "bob")
        bob.lockTimeout = .seconds(60)
        #expect(await bob.apply(workspace, to: service).ending == "held by ann")
        bob.lockTimeout = .seconds(90)
        #expect(await bob.apply(workspace, to: service).ending == "finished")
        #expect(service.received == ["a@1": 1])
    }
}
