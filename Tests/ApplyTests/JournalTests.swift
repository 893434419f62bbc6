import Apply
import Base
import Push
import RemoteTesting
import Testing

/// Deliveries through a remote that keeps a journal of every device.
@Suite struct JournalTests {
    private let service = FakeService()
    private let workspace = Sample.workspace([Sample.campaign("score")])
    private let applier = Applier(canSchedule: false, keepsJournal: true)

    private func plan(_ workspace: Workspace? = nil) async throws -> Plan {
        try await service.plan(workspace ?? self.workspace, keepsJournal: true)
    }

    @Test func aDeliveryEndsWithItsFigures() async throws {
        #expect(await applier.apply(workspace, to: service).result("score")?.outcome == .done)
        #expect(service.entry("score")?.figures == DeliveryFigures(devices: 3, successes: 3, invalidTokens: 0))
        #expect(service.received == ["score@1": 1])
        #expect(try await plan().changes.isEmpty)
    }

    @Test func anInterruptedDeliveryGoesOnWhereItStood() async throws {
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        #expect(await applier.apply(workspace, to: service).result("score")?.outcome == .failed)
        #expect(service.state("score") == .sending)
        let change = try #require(try await plan().changes.first)
        #expect(change.action == .resume)
        #expect(change.audience?.devices == 2)
        #expect(change.reason.text.contains("1 of 3 devices are done"))
        await applier.apply(workspace, to: service)
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test func whatGoesOnLaterNamesWhomRulesLeftOut() async {
        service.with {
            $0.deviceAnswers = [.accept, .later(.seconds(600))]
            $0.leftOut = [.capped: 50]
        }
        let result = await applier.apply(workspace, to: service).result("score")
        #expect(result?.outcome == .partly)
        #expect(result?.figures?.devices == 1 && result?.figures?.leftOut == [.capped: 50])
    }

    @Test func anInterruptedDeliveryDoesNotGoOnWhileAgeWouldHaveDecided() async throws {
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        let patient = Sample.workspace([Sample.campaign("score") { $0.window = .seconds(6 * 3600) }])
        await applier.apply(patient, to: service)
        service.advance(.seconds(5 * 3600))
        await applier.apply(patient, to: service)
        #expect(service.received == ["score@1": 1])
    }

    @Test func whatIsLeftAfterTheWindowIsMissedAndCounted() async throws {
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        await applier.apply(workspace, to: service)
        service.advance(.seconds(3601))
        #expect(try await plan().changes.first?.action == .resume)
        let applied = await applier.apply(workspace, to: service)
        #expect(applied.result("score")?.outcome == .partly)
        #expect(applied.result("score")?.figures?.missed == 2)
        #expect(service.entry("score")?.figures?.missed == 2)
        #expect(service.with { $0.inboxes.values.map(\.count).reduce(0, +) } == 1)
        #expect(try await plan().changes.isEmpty)
    }

    @Test func thePlanSaysHowManyDevicesANewRevisionOrAGoneFileLeavesOut() async throws {
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        await applier.apply(workspace, to: service)
        for changed in [
            Sample.campaign("score") { $0.revision = 2 }, Sample.campaign("other") { $0.hold = true },
        ] {
            let change = try #require(
                try await plan(Sample.workspace([changed])).changes.first { $0.action == .resume })
            #expect(change.reason.text.contains("2 devices are missed"), "\(change.reason)")
        }
    }

    @Test(arguments: [0, 1, 2])
    func onHoldInTheMiddleOfItWhatIsLeftWaitsAndReleasedEverybodyGetsItOnce(accepted: Int) async throws {
        service.with { $0.deviceAnswers = Array(repeating: .accept, count: accepted) + [.interrupt] }
        await applier.apply(workspace, to: service)
        let held = Sample.workspace([Sample.campaign("score") { $0.hold = true }])
        let change = try #require(try await plan(held).changes.first)
        #expect(change.action == .wait)
        #expect(change.reason.text.contains("on hold; it continues if released by"))
        let journal = service.with { $0.journals }
        for _ in 0..<3 {
            let applied = await applier.apply(held, to: service)
            #expect(applied.outcome?.results.isEmpty == true)
            #expect(applied.remote.writes == ["acquireLock", "release"])
            service.advance(.seconds(600))
        }
        #expect(service.with { $0.journals } == journal)
        #expect(service.state("score") == .sending)
        await applier.apply(workspace, to: service)
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test func heldForLongerThanItsWindowTheRestIsMissedWhenItIsReleasedAndNotBefore() async throws {
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        await applier.apply(workspace, to: service)
        service.advance(.seconds(3601))
        let held = Sample.workspace([Sample.campaign("score") { $0.hold = true }])
        #expect(try await plan(held).changes.first?.reason.text.contains("on hold, and its time is over") == true)
        await applier.apply(held, to: service)
        #expect(service.state("score") == .sending)
        await applier.apply(workspace, to: service)
        #expect(service.entry("score")?.figures?.missed == 2)
    }

    @Test func aDeliveryThatWaitsForARetryGoesOnLaterAndHoldsNothingUp() async throws {
        let two = Sample.workspace([Sample.campaign("a"), Sample.campaign("b")])
        service.with { $0.deviceAnswers = [.accept, .later(.seconds(900))] }
        let applied = await applier.apply(two, to: service)
        let result = try #require(applied.result("a"))
        #expect(result.outcome == .partly)
        #expect(result.detail?.text.contains((Sample.start + .seconds(900)).text) == true)
        #expect(applied.result("b")?.outcome == .done)
        #expect(service.state("a") == .sending)
        #expect(applied.remote.writes.last == "release")
        service.advance(.seconds(900))
        await applier.apply(two, to: service)
        #expect(service.received == ["a@1": 1, "b@1": 1])
    }

    @Test func devicesWhoseTimeWasOverAreToldByTheApplyThatFindsThemAndOnce() async throws {
        let later = FakeDeviceAnswer.later(.seconds(900))
        func results(_ answers: FakeDeviceAnswer...) async -> ChangeResult? {
            service.with { $0.deviceAnswers = answers }
            return await applier.apply(workspace, to: service).result("score")
        }
        #expect(await results(.accept, later)?.outcome == .partly)
        let id = Sample.delivery("score")
        service.with { world in
            guard let device = world.journals[id]?.devices.filter({ $0.value == .waiting }).keys.max() else { return }
            world.journals[id]?.devices[device] = .missed
        }
        let told = try #require(await results(later))
        #expect(told.outcome == .partly && told.figures?.missed == 1)
        #expect(told.detail?.text.contains("an apply must run at") == true)
        #expect(service.state("score") == .sending && service.entry("score")?.figures?.missed == 1)
        #expect(await results(later)?.outcome == .partly)
        let last = await results()
        #expect(last?.outcome == .done && last?.figures?.missed == 1)
        #expect(service.state("score") == .sent && service.entry("score")?.figures?.missed == 1)
    }

    @Test func aDeliveryOfWhichAllDevicesWereMissedIsNotSent() async throws {
        service.with { $0.deviceAnswers = [.later(.seconds(900))] }
        await applier.apply(workspace, to: service)
        service.with { world in
            let id = Sample.delivery("score")
            for device in world.inboxes.keys { world.journals[id]?.devices[device] = .missed }
        }
        // As if an apply had been killed before it could say so.
        #expect(await applier.apply(workspace, to: service).result("score")?.outcome != .done)
        #expect(service.state("score") == .unsent)
        #expect(service.received.isEmpty)
    }

    @Test func quietHoursThatBeginInTheMiddleOfItLeaveTheRestForTheirEnd() async throws {
        let workspace = Sample.workspace([Sample.campaign("score") { $0.window = .seconds(86_400) }]) {
            $0.policy.quietHours = QuietHours(from: 12 * 60 + 1, to: 13 * 60, timeZone: "UTC")
        }
        service.with { $0.deviceAnswers = [.slow(.seconds(70))] }
        let applied = await applier.apply(workspace, to: service)
        #expect(applied.result("score")?.outcome == .ongoing)
        #expect(applied.result("score")?.detail?.text.contains("2026-11-20T13:00:00Z") == true)
        #expect(service.with { $0.inboxes.values.map(\.count).reduce(0, +) } == 1)
        service.advance(.seconds(3600))
        await applier.apply(workspace, to: service)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aTextThatIsEditedWhileItIsDeliveredIsNoted() async throws {
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        await applier.apply(workspace, to: service)
        #expect(try await plan().diagnostics.isEmpty)
        let edited = Sample.workspace([Sample.campaign("score", text: "other")])
        let plan = try await plan(edited)
        #expect(plan.changes.map(\.action) == [.resume])
        #expect(plan.diagnostics.map(\.code) == [.editedAfterDelivery])
        #expect(plan.diagnostics.first?.message.text.contains("during its delivery") == true)
        await applier.apply(edited, to: service)
        #expect(service.received == ["score@1": 1])
        #expect(try await self.plan(edited).diagnostics.map(\.code) == [.editedAfterDelivery])
    }

    @Test func whatWasNotBegunBeforeTheWindowEndedIsUnsent() async throws {
        service.with { $0.deviceAnswers = [.interrupt] }
        await applier.apply(workspace, to: service)
        service.advance(.seconds(3601))
        #expect(try await plan().changes.first?.action == .missed)
        let applied = await applier.apply(workspace, to: service)
        // Three devices got nothing: that is said as of any that are missed.
        #expect(applied.result("score")?.outcome == .partly)
        #expect(service.state("score") == .unsent)
        #expect(service.received.isEmpty)
        #expect(service.with { $0.journals[Sample.delivery("score")]?.count { $0 == .waiting } } == 0)
    }

    @Test func whatWasNotBegunInItsWindowIsUnsentForGoodThoughTheApplyThatFoundItWasKilled() async throws {
        service.with { $0.deviceAnswers = [.interrupt] }
        await applier.apply(workspace, to: service)
        service.advance(.seconds(3601))
        var killed = applier
        // Its journal is closed, and the ledger does not say why.
        killed.hook = { point, _ in point.name == "update unsent" && point.phase == .before ? .die : .live }
        await killed.apply(workspace, to: service)
        #expect(service.state("score") == .sending)
        service.advance(.seconds(130))
        #expect(await applier.apply(workspace, to: service).result("score")?.outcome == .partly)
        #expect(service.entry("score")?.isMissedForGood == true)
        await applier.apply(workspace, to: service)
        #expect(service.received.isEmpty)
    }

    @Test func anInterruptedDeliveryOfACampaignThatIsGoneIsConcluded() async throws {
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        await applier.apply(workspace, to: service)
        await applier.apply(
            Sample.workspace([Sample.campaign("other", text: "Another.") { $0.hold = true }]), to: service)
        #expect(service.state("score") == .sent)
        #expect(service.entry("score")?.figures?.missed == 2)
    }

    @Test func devicesInDoubtAreToldAndHoldNothingBack() async throws {
        let workspace = Sample.workspace([Sample.campaign("score"), Sample.campaign("second")])
        service.with { $0.deviceAnswers = [.lostAnswer] }
        let applied = await applier.apply(workspace, to: service)
        #expect(applied.result("score")?.outcome == .unknown)
        #expect(applied.result("score")?.detail?.text.contains("bugle resolve score@1") == true)
        #expect(applied.result("second")?.outcome == .done)
        #expect(service.state("score") == .sent)
        let plan = try await plan(workspace)
        #expect(plan.changes.map(\.action) == [.none] && plan.hasUnknown)
        #expect(await applier.apply(workspace, to: service).result("score")?.needsPerson == true)
        #expect(service.received == ["score@1": 1, "second@1": 1])
        // Once it has expired, nothing is left to decide.
        service.advance(.seconds(8 * 86_400))
        let late = try await self.plan(workspace)
        #expect(late.changes.isEmpty && late.diagnostics.map(\.code).contains(.inDoubt))
        #expect(await applier.apply(workspace, to: service).result("score") == nil)
    }

    @Test func anAudienceThatGrewBetweenThePlanAndItsFreezeIsSentNothing() async throws {
        func grows(to count: Int, limits: (inout Workspace) -> Void) async throws {
            let service = FakeService()
            let workspace = Sample.workspace([Sample.campaign("score")], change: limits)
            var growing = applier
            growing.afterRead = { read in
                guard read == .count else { return }
                service.with { world in
                    for number in world.inboxes.count..<count { world.inboxes["new\(number)"] = [] }
                }
            }
            let applied = await growing.apply(workspace, to: service)
            #expect(applied.result("score")?.outcome == .skipped)
            #expect(applied.result("score")?.detail?.text.contains("\(count) devices exceed") == true)
            #expect(service.state("score") == .unsent)
            #expect(service.received.isEmpty)
        }
        try await grows(to: 4) { $0.policy.maxAudience = 3 }
        try await grows(to: 4) { $0.campaigns[0].maxAudience = 3 }
        try await grows(to: 104) { $0.policy.maxAudienceGrowth = 0.2 }
        let applied = await applier.apply(
            Sample.workspace([Sample.campaign("score")]) { $0.policy.maxAudience = 3 }, to: service)
        #expect(applied.result("score")?.outcome == .done)
    }

    @Test func inQuietHoursAnInterruptedDeliveryWaits() async throws {
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        await applier.apply(workspace, to: service)
        let quiet = Sample.workspace([Sample.campaign("score") { $0.window = .seconds(86_400) }]) {
            $0.policy.quietHours = QuietHours(
                from: 11 * 60, to: 14 * 60, timeZone: "UTC")
        }
        #expect(try await plan(quiet).changes.first?.action == .wait)
        #expect(await applier.apply(quiet, to: service).result("score")?.outcome == .ongoing)
        #expect(service.state("score") == .sending)
    }

    @Test func whatAHelperTookUpOfARefusedDeliveryIsNotSentAnew() async throws {
        let service = service
        service.with { $0.deviceAnswers = [.refuse] }
        var helped = applier
        helped.hook = { point, _ in
            if point.name == "conclude", point.phase == .before {
                service.with { world in
                    guard let device = world.inboxes.keys.min() else { return }
                    world.inboxes[device]?.append("score@1")
                    world.journals[Sample.delivery("score")]?.devices[device] = .accepted
                }
            }
            return .live
        }
        #expect(await helped.apply(workspace, to: service).result("score")?.outcome == .refused)
        #expect(service.state("score") == .sent)
        #expect(service.entry("score")?.figures?.missed == 2)
        await applier.apply(workspace, to: service)
        #expect(service.with { $0.inboxes.values.map(\.count).max() } == 1)
    }

    @Test func whatAHelperTookUpWhileTheHolderSentNothingIsGoneOnWith() async throws {
        let service = service
        service.with { $0.deviceAnswers = [.outOfReach] }
        var helped = applier
        helped.hook = { point, _ in
            service.with { world in
                guard point.name == "freeze", point.phase == .after, let device = world.inboxes.keys.min() else {
                    return
                }
                world.inboxes[device]?.append("score@1")
                world.journals[Sample.delivery("score")]?.devices[device] = .accepted
            }
            return .live
        }
        #expect(await helped.apply(workspace, to: service).result("score")?.outcome == .failed)
        #expect(service.state("score") == .sending)
        let next = await applier.apply(workspace, to: service)
        #expect(next.result("score")?.outcome == .done)
        #expect(service.entry("score")?.figures?.missed == 0)
        #expect(service.with { $0.inboxes.values.allSatisfy { $0.count == 1 } })
    }

    @Test func aRefusedRunKilledAtAnyWriteNeverLeavesItsJournalOpenToAHelper() async throws {
        func service() -> FakeService {
            let service = FakeService()
            service.with { $0.deviceAnswers = [.refuse] }
            return service
        }
        let whole = await applier.apply(workspace, to: service())
        #expect(whole.result("score")?.outcome == .refused)
        #expect(whole.remote.writes.suffix(3) == ["conclude", "update refused", "release"])
        for point in 0..<whole.remote.points.count {
            let service = service()
            var first = applier
            first.hook = { _, number in number == point ? .die : .live }
            await first.apply(workspace, to: service)
            // Whoever helps still holds the dead run's lease, and claims what its journal offers.
            service.with { world in
                for (id, journal) in world.journals {
                    for (device, state) in journal.devices where state == .waiting {
                        world.inboxes[device]?.append("score@1")
                        world.journals[id]?.devices[device] = .accepted
                    }
                }
            }
            service.advance(.seconds(130))
            service.with { $0.deviceAnswers = [] }
            for _ in 0..<3 { await applier.apply(workspace, to: service) }
            #expect(service.received == ["score@1": 1], "killed at \(whole.remote.points[point])")
            #expect(service.state("score") == .sent, "killed at \(whole.remote.points[point])")
        }
    }

    @Test func aJournalThatCannotBeClosedKeepsItsDeliveryOpen() async throws {
        let service = service
        service.with { $0.deviceAnswers = [.refuse] }
        var first = applier
        first.hook = { point, _ in point.name == "conclude" ? .die : .live }
        #expect(await first.apply(workspace, to: service).result("score")?.outcome == .failed)
        #expect(service.state("score") == .sending)
    }

    @Test func aRunWhoseLockWasFreedByHandSaysThatItLostIt() async throws {
        let service = service
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        var unlocked = applier
        unlocked.hook = { point, _ in
            if point.name == "outcome", point.phase == .after { service.with { $0.lock?.run = "" } }
            return .live
        }
        let applied = await unlocked.apply(workspace, to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(applied.ending == "lockLost")
    }

    @Test func aJournalThatCannotBeReadLeavesItsDeliveryOpen() async throws {
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        await applier.apply(workspace, to: service)
        service.advance(.seconds(900))
        service.with { $0.failingReads[.record] = 2 }
        #expect(await applier.apply(workspace, to: service).result("score")?.outcome == .failed)
        #expect(service.state("score") == .sending)
        await applier.apply(workspace, to: service)
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aRunKilledAtAnyWriteLosesNothingAndDoublesNothing() async throws {
        let whole = await applier.apply(workspace, to: FakeService())
        for point in 0..<whole.remote.points.count {
            let service = FakeService()
            var first = applier
            first.hook = { _, number in number == point ? .die : .live }
            await first.apply(workspace, to: service)
            service.advance(.seconds(130))
            let second = await applier.apply(workspace, to: service)
            let inboxes = service.with { $0.inboxes.values.map(\.count) }
            let doubtful = service.entry("score")?.figures?.inDoubt ?? 0
            #expect(inboxes.allSatisfy { $0 <= 1 }, "killed at \(point)")
            #expect(inboxes.count { $0 == 0 } <= doubtful, "killed at \(point)")
            #expect(doubtful <= 1, "killed at \(point)")
            #expect(service.state("score") == .sent, "killed at \(point): \(second.ending)")
        }
    }
}
