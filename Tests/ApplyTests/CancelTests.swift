import Apply
import Base
import BaseTesting
import Push
import RemoteTesting
import Testing

/// Cancelling and rescheduling.
@Suite struct CancelTests {
    private let service = FakeService()
    private let at = Sample.start + .seconds(7200)
    private var campaign: Campaign { Sample.campaign("score", at: at) }
    private let nothing = Sample.workspace([Sample.campaign("other") { $0.hold = true }])

    private func schedule() async { await Applier().apply(Sample.workspace([campaign]), to: service) }

    @Test func aRemovedCampaignIsCancelledInOrder() async throws {
        await schedule()
        let applied = await Applier().apply(nothing, to: service)
        #expect(applied.remote.writes == ["acquireLock", "update cancelling", "cancel", "update cancelled", "release"])
        #expect(service.state("score") == .cancelled)
        service.advance(.seconds(86_400))
        #expect(service.received.isEmpty)
        #expect(try await !service.plan(nothing).hasChanges)
    }

    @Test(arguments: [nil, Sample.campaign("score", at: Sample.start + .seconds(7200)) { $0.hold = true }])
    func whatAnInterruptedApplyScheduledIsCancelledAtOnce(held: Campaign?) async {
        service.leave(campaign, .sending, age: .seconds(700))
        service.make("score")
        var wanted = nothing
        wanted.campaigns += [held].compactMap(\.self)
        await Applier().apply(wanted, to: service)
        #expect(service.state("score") == .cancelled)
        service.advance(.seconds(86_400))
        #expect(service.received.isEmpty)
    }

    @Test func aCancelledCampaignThatComesBackIsDeliveredUnderANewID() async {
        await schedule()
        await Applier().apply(nothing, to: service)
        await schedule()
        #expect(service.entry("score")?.generation == 1)
        #expect(service.entry("score")?.notificationID == Sample.delivery("score", generation: 1))
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test func aMovedCampaignIsNeverAliveTwice() async throws {
        await schedule()
        let moved = Sample.workspace([Sample.campaign("score", at: at + .seconds(600))])
        let most = MaximumKept(service)
        await Applier { _, _ in most.look() }.apply(moved, to: service)
        #expect(most.value == 1)
        #expect(service.entry("score")?.generation == 1)
        #expect(service.with { $0.kept.map(\.push.at) } == [at + .seconds(600)])
        #expect(try await service.plan(moved).changes.isEmpty)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test func aCampaignMovedToNowIsSentOnce() async throws {
        await schedule()
        let moved = Sample.workspace([Sample.campaign("score")])
        await Applier().apply(moved, to: service)
        #expect(service.state("score") == .sent)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
        #expect(try await service.plan(moved).changes.isEmpty)
    }

    @Test func whatWaitsForACancelOfItsOwnHoldsNothingElseBack() async {
        await schedule()
        let raised = Sample.workspace([Sample.campaign("score", revision: 2), Sample.campaign("zoo")]) {
            $0.policy.maxCancelsPerApply = 0
        }
        let applied = await Applier().apply(raised, to: service)
        #expect(applied.outcome?.results.map(\.outcome) == [.skipped, .skipped, .done])
        #expect(service.received == ["zoo@1": 1])
    }

    @Test func aPendingRevisionThatIsTakenBackIsNotSent() async {
        let first = Sample.workspace([Sample.campaign("score")])
        await Applier().apply(first, to: service)
        await Applier().apply(Sample.workspace([Sample.campaign("score", revision: 2, at: at)]), to: service)
        await Applier().apply(first, to: service)
        #expect(service.state("score", revision: 2) == .cancelled)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test func aTimerSendsNothingBesideAPushThatOnlyAnApplyCancels() async throws {
        await schedule()
        let raised = Sample.workspace([Sample.campaign("score", revision: 2, at: service.now)])
        await Applier(onlyDue: true).apply(raised, to: service)
        #expect(service.received.isEmpty)
        await Applier().apply(raised, to: service)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@2": 1])
    }

    @Test func aPushThatStaysListedIsNotReplaced() async throws {
        await schedule()
        service.with { $0.ignoresCancel = true }
        let moved = Sample.workspace([Sample.campaign("score", at: at + .seconds(600))])
        let applied = await Applier().apply(moved, to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(!applied.remote.writes.contains("send"))
        #expect(service.state("score") == .cancelling)
        service.with { $0.ignoresCancel = false }
        await Applier().apply(moved, to: service)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test func foundInCancellingAndListedItIsCancelledAgain() async {
        await schedule()
        await Applier { point, _ in point.name == "cancel" ? .die : .live }.apply(nothing, to: service)
        #expect(service.state("score") == .cancelling)
        service.advance(.seconds(130))
        await Applier().apply(nothing, to: service)
        #expect(service.state("score") == .cancelled)
        #expect(service.with { $0.kept.isEmpty })
    }

    @Test func foundInCancellingAndGoneBeforeItsTimeItIsAskedToBeDroppedOnceMoreAndCancelled() async {
        await schedule()
        await Applier { point, _ in point.name == "cancel" && point.phase == .after ? .die : .live }
            .apply(nothing, to: service)
        service.advance(.seconds(130))
        #expect(await Applier().apply(nothing, to: service).remote.writes.contains("cancel"))
        #expect(service.state("score") == .cancelled)
    }

    @Test func theIDByWhichAListNamesAPushIsKept() async {
        await schedule()
        #expect(service.entry("score")?.scheduledID == 1)
    }

    @Test(arguments: [1, 2, 3])
    func aLateListDoesNotKeepAPushAliveThatWasCancelled(late: Int) async throws {
        service.with { $0.listsAreLateBy = late }
        await schedule()
        await Applier().apply(nothing, to: service)
        for _ in 0..<2 where service.state("score") != .cancelled { await Applier().apply(nothing, to: service) }
        #expect(service.state("score") == .cancelled)
        service.advance(.seconds(86_400))
        #expect(service.received.isEmpty)
    }

    @Test(arguments: [1, 2, 3])
    func withLateListsAMovedCampaignIsNeverAliveTwice(late: Int) async throws {
        service.with { $0.listsAreLateBy = late }
        await schedule()
        let moved = Sample.workspace([Sample.campaign("score", at: at + .seconds(600))])
        let most = MaximumKept(service)
        for _ in 0..<3 { await Applier { _, _ in most.look() }.apply(moved, to: service) }
        #expect(most.value == 1)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    /// One to three stale answers in a row, wherever they come: none shows the push, or all still do.
    @Test(arguments: [true, false], [true, false])
    func staleListsAnywhereNeitherKeepAPushNorDoubleIt(areEmpty: Bool, isMoved: Bool) async throws {
        for place in 0..<8 {
            for count in 1...3 {
                let service = FakeService()
                await Applier().apply(Sample.workspace([campaign]), to: service)
                let old = service.with { $0.kept.map(\.push) }
                service.with { world in
                    world.staleLists = Array(repeating: nil, count: place)
                    world.staleLists += Array(repeating: areEmpty ? [] : old, count: count)
                }
                let wanted =
                    isMoved ? Sample.workspace([Sample.campaign("score", at: at + .seconds(600))]) : nothing
                let most = MaximumKept(service)
                for _ in 0..<2 { await Applier { _, _ in most.look() }.apply(wanted, to: service) }
                service.with { $0.staleLists = [] }
                await Applier { _, _ in most.look() }.apply(wanted, to: service)
                #expect(most.value <= 1, "\(count) from \(place)")
                #expect(try await service.plan(wanted).changes.allSatisfy { $0.action == .wait })
                service.advance(.seconds(86_400))
                #expect(service.received == (isMoved ? ["score@1": 1] : [:]), "\(count) from \(place)")
            }
        }
    }

    @Test(arguments: [1, 2, 3])
    func aScheduleWhoseRunWasKilledIsNotMadeTwiceBecauseListsAreLate(late: Int) async throws {
        service.with { $0.listsAreLateBy = late }
        await Applier { point, _ in point.name == "send" && point.phase == .after ? .die : .live }
            .apply(Sample.workspace([campaign]), to: service)
        service.advance(.seconds(660))
        await schedule()
        #expect(service.with { $0.kept.count } == 1)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test(arguments: [1, 2, 3])
    func withoutItsIDAndWithLateListsAMovedCampaignIsNeverAliveTwice(late: Int) async throws {
        await schedule()
        // The run that scheduled it was killed before a list named it, and the lists show nothing yet.
        service.with { world in
            for index in world.ledger.indices { world.ledger[index].scheduledID = nil }
            world.listsAreLateBy = late
        }
        let moved = Sample.workspace([Sample.campaign("score", at: at + .seconds(600))])
        let most = MaximumKept(service)
        for _ in 0..<4 { await Applier { _, _ in most.look() }.apply(moved, to: service) }
        #expect(most.value == 1)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test func aPushThatIsGoneFromTheFilesIsCancelledAlthoughNoListShowsIt() async throws {
        await schedule()
        service.with { $0.listsAreLateBy = 1000 }
        #expect(await Applier().apply(nothing, to: service).remote.writes.contains("cancel"))
        #expect(service.state("score") == .cancelled)
        #expect(service.with { $0.kept.isEmpty })
    }

    @Test func oneLateListLongAfterItWasScheduledDoesNotKeepItAlive() async throws {
        // The run ended before a list named it.
        service.leave(campaign, .sending, age: .seconds(700))
        service.make("score")
        service.with { $0.listsAreLateBy = 1000 }
        await Applier().apply(Sample.workspace([campaign]), to: service)
        #expect(service.state("score") == .scheduled && service.entry("score")?.scheduledID == nil)
        service.advance(.seconds(1200))
        service.with { $0.listsAreLateBy = 1 }
        let applied = await Applier().apply(nothing, to: service)
        #expect(applied.result("score")?.outcome == .done, "\(applied)")
        #expect(service.state("score") == .cancelled)
        service.advance(.seconds(86_400))
        #expect(service.received.isEmpty)
    }

    @Test func aPushThatNoListEverNamedIsUnknownAndNotReplaced() async throws {
        service.with { $0.listsAreLateBy = 1000 }
        await schedule()
        #expect(service.entry("score")?.scheduledID == nil)
        let applied = await Applier().apply(nothing, to: service)
        #expect(applied.result("score")?.outcome == .unknown)
        #expect(applied.result("score")?.detail?.text.contains("its push is in no list") == true)
        #expect(service.state("score") == .cancelling)
        let moved = Sample.workspace([Sample.campaign("score", at: at + .seconds(600))])
        let again = await Applier().apply(moved, to: service)
        #expect(again.result("score")?.outcome == .unknown)
        #expect(!again.remote.writes.contains("send"))
        // As soon as a list shows it, it is cancelled.
        service.with { $0.listsAreLateBy = 0 }
        await Applier().apply(moved, to: service)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
        #expect(service.entry("score")?.generation == 1)
    }

    @Test func anIDThatTheServiceGaveToSomebodyElseIsLeftAlone() async throws {
        await schedule()
        service.with { world in
            let other = ScheduledPush(id: world.kept[0].push.id, notificationID: "others", at: at)
            world.kept[0].push = other
        }
        await Applier().apply(nothing, to: service)
        #expect(service.with { $0.kept.map(\.push.notificationID) } == ["others"])
    }

    /// The ledger knows generation 1 as `state`, and a push of generation 0 is alive beside it.
    private func leaveStray(_ state: DeliveryState) {
        service.leave(campaign, .sending, age: .seconds(1200))
        service.make("score")
        service.with { $0.ledger = [] }
        service.leave(campaign, state, age: .seconds(600), generation: 1)
        if state == .scheduled { service.make("score") }
    }

    @Test(arguments: [DeliveryState.scheduled, .cancelled, .sending, .refused, .unsent])
    func aPushOfAnEarlierGenerationIsOursAndIsCancelled(state: DeliveryState) async throws {
        leaveStray(state)
        let workspace = Sample.workspace([campaign])
        let plan = try await service.plan(workspace)
        #expect(!plan.diagnostics.map(\.code).contains(.unmanaged))
        #expect(plan.changes.contains { $0.action == .cancel || $0.action == .reschedule })
        await Applier().apply(workspace, to: service)
        #expect(service.with { $0.kept.count } == 1)
        #expect(try await service.plan(workspace).changes.isEmpty)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test(arguments: [DeliveryState.scheduled, .cancelled])
    func aPushOfAnEarlierGenerationIsCancelledWithItsCampaign(state: DeliveryState) async throws {
        leaveStray(state)
        for _ in 0..<2 { await Applier().apply(nothing, to: service) }
        #expect(service.with { $0.kept.isEmpty })
        service.advance(.seconds(86_400))
        #expect(service.received.isEmpty)
    }

    /// Lists that were asked for after the plan's show nothing, and the ledger has the id of another push.
    @Test(arguments: [1, 2, 3])
    func whatThePlansListNamedIsCancelledWhateverLaterListsShow(late: Int) async throws {
        leaveStray(.cancelled)
        service.with { world in
            world.ledger[0].scheduledID = 99
            world.staleLists = [nil] + Array(repeating: [], count: late)
        }
        let moved = Sample.workspace([Sample.campaign("score", at: at + .seconds(600))])
        let most = MaximumKept(service)
        await Applier { _, _ in most.look() }.apply(moved, to: service)
        #expect(most.value == 1)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test func aStrayPushThatFiresWhileEarlierChangesTakeLongIsNotCalledCancelled() async throws {
        leaveStray(.cancelled)
        service.with { world in
            world.ledger[0].scheduledID = 99
            world.failingWrites["save Giants"] = [.slow(.seconds(20))]
        }
        service.advance(.seconds(7190))
        let workspace = Sample.workspace([campaign]) {
            $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
        }
        for _ in 0..<2 { await Applier().apply(workspace, to: service) }
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test func aStrayPushThatStaysListedKeepsItsDeliveryFromBeingSentAgain() async throws {
        leaveStray(.sending)
        service.with { $0.ignoresCancel = true }
        let applied = await Applier().apply(Sample.workspace([campaign]), to: service)
        #expect(applied.outcome?.results.map(\.outcome) == [.failed, .skipped])
        #expect(!applied.remote.writes.contains("send"))
    }

    @Test func foundInCancellingAndFiredItIsSentWithAWarning() async throws {
        service.leave(campaign, .cancelling, age: .seconds(60))
        service.make("score")
        service.advance(.seconds(7200))
        let applied = await Applier().apply(nothing, to: service)
        #expect(applied.result("score")?.outcome == .done)
        #expect(applied.warnings.contains { $0.contains("[fired-before-cancel]") })
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
        #expect(try await !service.plan(nothing).hasChanges)
    }

    @Test func firedBeforeItsRescheduleItIsNotSentAgain() async throws {
        service.leave(campaign, .cancelling, age: .seconds(60))
        service.make("score")
        service.advance(.seconds(7200))
        let moved = Sample.workspace([Sample.campaign("score", at: service.now + .seconds(7200))])
        let applied = await Applier().apply(moved, to: service)
        #expect(!applied.remote.writes.contains("send"))
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test func foundInCancellingPastItsTimeWithoutARecordItIsUnknown() async throws {
        service.leave(campaign, .cancelling, age: .seconds(60))
        service.advance(.seconds(7200))
        #expect(await Applier().apply(nothing, to: service).result("score")?.outcome == .unknown)
        #expect(service.state("score") == .unknown)
    }

    @Test func foundInCancellingPastItsTimeWithAFailedLookUpItIsLookedUpByTheNextApply() async throws {
        service.leave(campaign, .cancelling, age: .seconds(60))
        service.make("score")
        service.advance(.seconds(7200))
        service.with { $0.failingReads[.record] = 1_000_000 }
        #expect(await Applier().apply(nothing, to: service).result("score")?.outcome == .unknown)
        #expect(service.state("score") == .cancelling)
        service.with { $0.failingReads = [:] }
        await Applier().apply(nothing, to: service)
        #expect(service.state("score") == .sent)
    }

    @Test func aPushDueWithinFiveMinutesIsNotTouched() async throws {
        await schedule()
        service.advance(.seconds(7200 - 299))
        #expect(try await service.plan(nothing).changes.first?.blocked.map(\.rule) == [.tooLateToChange])
        #expect(await Applier().apply(nothing, to: service).remote.writes == ["acquireLock", "release"])
        service.advance(.seconds(600))
        #expect(service.received == ["score@1": 1])
    }

    @Test func aPushThatComesDueWhileEarlierChangesTakeLongIsNotTouched() async throws {
        await schedule()
        service.advance(.seconds(7200 - 310))
        let workspace = Sample.workspace([Sample.campaign("other") { $0.hold = true }]) {
            $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
        }
        service.with { $0.failingWrites["save Giants"] = [.slow(.seconds(20))] }
        #expect(await Applier().apply(workspace, to: service).result("score")?.outcome == .skipped)
        #expect(service.state("score") == .scheduled)
        service.advance(.seconds(600))
        #expect(service.received == ["score@1": 1])
    }

    @Test func aCancelThatCannotBeWrittenTouchesNothing() async {
        await schedule()
        service.with { $0.failingWrites["update cancelling"] = [.refused] }
        let applied = await Applier().apply(nothing, to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(!applied.remote.writes.contains("cancel"))
        #expect(service.with { $0.kept.count } == 1)
    }

    @Test func aCancelThatIsNotRecordedIsNotFollowedByANewPush() async throws {
        await schedule()
        let moved = Sample.workspace([Sample.campaign("score", at: at + .seconds(600))])
        service.with {
            $0.failingWrites["update cancelled"] = [.refused]
            $0.failingWrites["update sending"] = [.refused]
        }
        let applied = await Applier().apply(moved, to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(!applied.remote.writes.contains("send"))
        await Applier().apply(moved, to: service)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }
}

/// The most pushes that were ever kept at once.
private final class MaximumKept: Sendable {
    private let service: FakeService
    private let most = Counter()

    init(_ service: FakeService) { self.service = service }

    func look() -> FakeRemote.Fate {
        most.raise(to: service.with { $0.kept.count })
        return .live
    }

    var value: Int { most.value }
}
