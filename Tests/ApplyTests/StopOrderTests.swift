import Apply
import Base
import Push
import RemoteTesting
import Testing

/// What `bugle stop` does to plans and applies of a service that keeps no journal.
@Suite struct StopOrderTests {
    private let service = FakeService()
    private let at = Sample.start + .seconds(7200)
    private let workspace = Sample.workspace([Sample.campaign("a"), Sample.campaign("b")])

    private func stop(_ campaign: String?) {
        let entry = campaign.flatMap { service.entry($0) }
        let order = StopOrder(entry, by: "mina on mac", at: service.now, why: "wrong link")
        service.with { $0.stops.append(order) }
    }

    private func remote(keepsJournal: Bool = false) -> FakeRemote {
        FakeRemote(service, canSchedule: !keepsJournal, keepsJournal: keepsJournal)
    }

    @Test func everythingStoppedStartsNothingAndSaysSoFirst() async throws {
        stop(nil)
        let plan = try await service.plan(workspace)
        #expect(
            plan.stops.map(\.headline.text) == [
                "every delivery: stopped by mina on mac at 2026-11-20T12:00:00Z: wrong link"
            ])
        #expect(plan.hasUnknown && plan.isBlocked)
        #expect(PlanVerdict(of: plan).code == .undecided)
        let nothing = try await service.plan(Sample.workspace([]))
        #expect(nothing.changes.isEmpty && PlanVerdict(of: nothing).code == .undecided)
        #expect(plan.changes.allSatisfy { $0.blocked.contains { $0.rule == .stopped } })
        await Applier().apply(workspace, to: service)
        #expect(service.received.isEmpty && service.state("a") == nil)
        service.with { $0.stops = [] }
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["a@1": 1, "b@1": 1])
    }

    @Test func aStopBetweenThePlanAndTheRequestLetsNothingLeave() async throws {
        var applier = Applier()
        applier.hook = { [service] point, _ in
            if point.phase == .before, point.name == "insert sending" {
                let order = StopOrder(by: "mina on mac", at: service.now, why: "wrong link")
                service.with { $0.stops = [order] }
            }
            return .live
        }
        let applied = await applier.apply(workspace, to: service)
        #expect(service.received.isEmpty)
        #expect(applied.result("a")?.outcome == .unknown)
        #expect(applied.result("a")?.detail?.text.contains("stopped by mina on mac") == true)
        #expect(service.state("a") == .unsent)
        service.with { $0.stops = [] }
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["a@1": 1, "b@1": 1])
    }

    @Test func aPendingPushThatWasStoppedIsCancelledAndWaitsForAPerson() async throws {
        let files = Sample.workspace([Sample.campaign("score", at: at)])
        await Applier().apply(files, to: service)
        stop("score")
        let applied = await Applier().apply(files, to: service)
        #expect(applied.remote.writes == ["acquireLock", "update cancelling", "cancel", "update cancelled", "release"])
        // Not scheduled again, whatever the files say.
        let plan = try await service.plan(files)
        #expect(plan.hasUnknown && !plan.hasChanges)
        #expect(plan.changes.first?.reason.text.contains("bugle resolve score@1 --as proceed|abandoned") == true)
        await Applier().apply(files, to: service)
        service.advance(.seconds(86_400))
        #expect(service.received.isEmpty)
    }

    /// The order bears the id of the push that is being replaced.
    @Test func aStopWhileAPendingPushIsReplacedKeepsTheNextOneFromLeaving() async throws {
        await Applier().apply(Sample.workspace([Sample.campaign("score", at: at)]), to: service)
        var applier = Applier()
        applier.hook = { [service] point, _ in
            if point.phase == .after, point.name == "cancel" {
                let order = StopOrder(service.entry("score"), by: "mina on mac", at: service.now, why: "wrong link")
                service.with { $0.stops = [order] }
            }
            return .live
        }
        let later = Sample.workspace([Sample.campaign("score", at: at + .seconds(3600))])
        let applied = await applier.apply(later, to: service)
        #expect(applied.result("score")?.outcome == .unknown)
        let plan = try await service.plan(later)
        #expect(plan.stops.count == 1 && plan.hasUnknown && !plan.hasChanges)
        try await decide(true)
        #expect(service.with { $0.stops.isEmpty && $0.kept.isEmpty })
        await Applier().apply(later, to: service)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    private func decide(_ proceeds: Bool, keepsJournal: Bool = false) async throws {
        let remote = remote(keepsJournal: keepsJournal)
        guard case .acquired(let lease) = try await remote.acquireLock(holder: "mina", run: "resolve") else { return }
        let (entries, stops) = try await remote.stoppedLedger()
        let entry = try #require(entries.first)
        #expect(entry.isStopped)
        var decided = try await remote.decided(entry, proceeds: proceeds, reason: "it is right", under: lease)
        decided.fence = lease.fence
        try await remote.update(decided, under: lease)
        try await remote.lift(stops[0])
        try await remote.release(lease, lastApplied: nil)
    }

    @Test(arguments: [true, false]) func whatWasCancelledGoesOnOrIsGivenUpAsAPersonSays(proceeds: Bool) async throws {
        let files = Sample.workspace([Sample.campaign("score", at: at)])
        await Applier().apply(files, to: service)
        stop("score")
        await Applier().apply(files, to: service)
        try await decide(proceeds)
        await Applier().apply(files, to: service)
        service.advance(.seconds(86_400))
        await Applier().apply(files, to: service)
        #expect(service.received == (proceeds ? ["score@1": 1] : [:]))
        #expect(try await !service.plan(files).hasUnknown)
    }

    /// The command cancels the push itself; no apply has recorded that when a person decides.
    @Test(arguments: [true, false])
    func aStoppedPushThatGoesOnBeforeAnApplyIsSentOnce(isGone: Bool) async throws {
        let files = Sample.workspace([Sample.campaign("score", at: at)])
        await Applier().apply(files, to: service)
        stop("score")
        if isGone { service.with { $0.kept = [] } }
        try await decide(true)
        await Applier().apply(files, to: service)
        service.advance(.seconds(86_400))
        await Applier().apply(files, to: service)
        #expect(service.received == ["score@1": 1])
    }

    @Test(arguments: [true, false])
    func whatIsGivenUpAtItsTimeIsNotSentLaterInItsWindow(keepsJournal: Bool) async throws {
        let files = Sample.workspace([Sample.campaign("score", at: service.now)])
        let applier = Applier(canSchedule: !keepsJournal, keepsJournal: keepsJournal, onlyDue: true)
        var stopped = applier
        stopped.hook = { [service] point, _ in
            if point.phase == .after, point.name == "insert sending" {
                let order = StopOrder(service.entry("score"), by: "mina on mac", at: service.now, why: "wrong link")
                service.with { $0.stops = [order] }
            }
            return .live
        }
        await stopped.apply(files, to: service)
        try await decide(false, keepsJournal: keepsJournal)
        service.advance(.seconds(120))
        #expect(try await service.plan(files, keepsJournal: keepsJournal).changes.map(\.action) == [.missed])
        await applier.apply(files, to: service)
        #expect(service.received.isEmpty)
    }

    @Test func howLongAPersonTakesIsNotCountedAgainstWhatIsLeft() async throws {
        let files = Sample.workspace([Sample.campaign("score")])
        let applier = Applier(canSchedule: false, keepsJournal: true)
        service.with { $0.deviceAnswers = [.accept, .interrupt] }
        await applier.apply(files, to: service)
        stop("score")
        service.advance(.seconds(2 * 3600))
        try await decide(true, keepsJournal: true)
        #expect(await applier.apply(files, to: service).result("score")?.outcome == .done)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aStoppedDeliveryIsWrittenAsTheLedgerHasIt() async throws {
        service.leave(Sample.campaign("score"), .unsent, age: .seconds(700))
        stop("score")
        var entry = try #require(try await remote().stoppedLedger().entries.first)
        #expect(entry.state == .halted && entry.resolveCommand.contains("proceed|abandoned"))
        #expect(entry.unstopped == service.entry("score"))
        // What an apply has found out meanwhile stays.
        entry.state = .cancelled
        #expect(entry.unstopped.state == .cancelled)
    }

    @Test(arguments: ["score", nil]) func theLedgerNeverKnowsWhatStopsADelivery(campaign: String?) async throws {
        let files = Sample.workspace([Sample.campaign("score", at: at)])
        await Applier().apply(files, to: service)
        stop(campaign)
        await Applier().apply(files, to: service)
        #expect(service.state("score") == .cancelled)
        #expect(service.with { $0.ledger.allSatisfy { $0.stopped == nil } })
    }

    @Test func aTeamIsToldOnceOfEachStop() async throws {
        service.leave(Sample.campaign("score"), .unsent, age: .seconds(700)) { $0.told = ["failed"] }
        stop("score")
        let entry = try #require(try await remote().stoppedLedger().entries.first)
        let news = entry.untold(at: service.now)
        #expect(news.map(\.kind) == [.stopped] && news[0].reason?.text.contains("wrong link") == true)
        let told = entry.telling(news)
        #expect(told.untold(at: service.now).isEmpty)
        // What the ledger is given knows of the message, and of no stop.
        #expect(told.unstopped.state == .unsent && told.unstopped.told?.count == 2)
        service.advance(.seconds(60))
        let again = StopOrder(entry.unstopped, by: "li on ci", at: service.now, why: "again")
        #expect(told.unstopped.stopped(by: again).untold(at: service.now).map(\.kind) == [.stopped])
    }

    @Test func aRaisedRevisionIsDeliveredWhateverBecameOfTheStoppedOne() async throws {
        service.leave(Sample.campaign("score"), .unsent, age: .seconds(700))
        stop("score")
        let next = Sample.workspace([Sample.campaign("score") { $0.revision = 2 }])
        await Applier().apply(next, to: service)
        #expect(service.received == ["score@2": 1])
    }

    /// Records are kept for a week: afterwards nobody could look it up.
    @Test(arguments: [true, false])
    func whatWasStoppedBeforeItWasSentStaysKnownHoweverOldItIs(isRaised: Bool) async throws {
        service.leave(Sample.campaign("score"), .cancelled, age: .seconds(7 * 86_400))
        stop("score")
        let files = Sample.workspace(isRaised ? [Sample.campaign("score", revision: 2)] : [])
        await Applier().apply(files, to: service)
        #expect(service.state("score") == .cancelled)
        #expect(service.received == (isRaised ? ["score@2": 1] : [:]))
        #expect(try await !service.plan(files).hasChanges)
    }

    /// The ledger has it as 'scheduled' for good.
    @Test(arguments: ["score", nil]) func whatTheServiceSentAtItsTimeIsNotStoppedLater(campaign: String?) async throws {
        let files = Sample.workspace([Sample.campaign("score", at: at)])
        await Applier().apply(files, to: service)
        service.advance(.seconds(8 * 86_400))
        stop(campaign)
        #expect(await Applier().apply(files, to: service).remote.writes == ["acquireLock", "release"])
        #expect(service.state("score") == .scheduled && service.received == ["score@1": 1])
        let (entries, stops) = try await remote().stoppedLedger()
        #expect(entries.allSatisfy { $0.stopped == nil } && stops.count == (campaign == nil ? 1 : 0))
    }

    /// The command cancels its push itself; no apply may have come before it was too late for one to cancel.
    @Test(arguments: [7140, 7260], [true, false])
    func whatWasStoppedShortlyBeforeItsTimeIsSettledByTheNextApply(after seconds: Int, isInFiles: Bool) async throws {
        let score = Sample.campaign("score", at: at)
        let other = Sample.campaign("other") { $0.hold = true }
        await Applier().apply(Sample.workspace([score, other]), to: service)
        stop("score")
        service.with { $0.kept = [] }
        service.advance(.seconds(seconds))
        await Applier().apply(Sample.workspace(isInFiles ? [score, other] : [other]), to: service)
        #expect(service.state("score") == (seconds < 7200 ? .cancelled : .unknown))
        #expect(service.received.isEmpty)
    }

    /// The command has cancelled any number of them.
    @Test func noLimitOnCancelsKeepsAnApplyFromRecordingAStop() async throws {
        let files = Sample.workspace([Sample.campaign("score", at: at)]) { $0.policy.maxCancelsPerApply = 0 }
        await Applier().apply(files, to: service)
        stop("score")
        await Applier().apply(files, to: service)
        #expect(service.state("score") == .cancelled)
    }

    @Test func aRaisedRevisionDoesNotWaitForAStoppedOneWhoseTimeHasPassed() async throws {
        await Applier().apply(Sample.workspace([Sample.campaign("score", at: at)]), to: service)
        stop("score")
        service.with { $0.kept = [] }
        service.advance(.seconds(7260))
        await Applier().apply(Sample.workspace([Sample.campaign("score", revision: 2)]), to: service)
        #expect(service.received == ["score@2": 1])
    }

    /// A service may be late: what it still lists would be sent beside the next one.
    @Test(arguments: [true, false])
    func aRaisedRevisionWaitsForAStoppedOneThatIsStillListed(onlyDue: Bool) async throws {
        await Applier().apply(Sample.workspace([Sample.campaign("score", at: at)]), to: service)
        stop("score")
        let late = service.with { $0.kept }
        service.with { $0.kept = [] }
        service.advance(.seconds(7260))
        service.with { $0.kept = late }
        let next = Sample.workspace([Sample.campaign("score", revision: 2, at: at)])
        await Applier(onlyDue: onlyDue).apply(next, to: service)
        #expect(service.received["score@2"] == nil)
    }

    /// A service may be late, and does not tell the ledger that it has sent a push.
    @Test func whatIsStoppedWhenItsTimeHasJustComeIsLookedUp() async throws {
        let files = Sample.workspace([Sample.campaign("score", at: at)])
        await Applier().apply(files, to: service)
        service.advance(.seconds(7230))
        stop("score")
        await Applier().apply(files, to: service)
        #expect(service.state("score") == .sent && service.received == ["score@1": 1])
        #expect(try await !service.plan(files).hasUnknown)
    }

    @Test func whatWasDeliveredIsNotStoppedAndNoOrderForItIsInForce() async throws {
        await Applier().apply(workspace, to: service)
        stop("a")
        let (entries, stops) = try await remote().stoppedLedger()
        #expect(entries.allSatisfy { $0.state == .sent } && stops.isEmpty)
    }
}
