import Apply
import RemoteTesting
import Testing

@testable import Push

/// `kill -9` at every write of an apply with a recurring campaign, and later applies.
@Suite struct RecurringCrashTests {
    /// 2026-12-01T01:10:00Z: the first day is due.
    private static let start = Instant(seconds: 1_796_087_400)

    private static func workspace(text: String = "It's now 2-2.", minute: Int = 540) -> Workspace {
        var rule = Recurrence()
        (rule.minute, rule.timeZone) = (minute, "Asia/Shanghai")
        (rule.from, rule.until) = (CivilDate("2026-12-01"), CivilDate("2026-12-04"))
        return Sample.workspace([Sample.campaign("daily", text: text) { $0.recurrence = rule }])
    }

    /// Applies every half hour for five days, and checks that each day came once.
    private static func expectEachDayOnce(
        _ service: FakeService, _ workspace: Workspace, canSchedule: Bool, _ comment: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        for number in 0..<240 {
            await Applier(name: "later \(number)", canSchedule: canSchedule).apply(workspace, to: service)
            service.advance(.seconds(1800))
        }
        #expect(service.received == ["daily@1": 4], "\(comment)", sourceLocation: sourceLocation)
    }

    private static func killAtEveryWrite(
        _ prepared: () async -> FakeService, _ workspace: Workspace, canSchedule: Bool
    ) async {
        let points = await Applier(canSchedule: canSchedule).apply(workspace, to: await prepared()).remote.points
        #expect(points.count > 4)
        for (place, point) in points.enumerated() {
            let service = await prepared()
            let run = await Applier(
                canSchedule: canSchedule, hook: { _, number in number == place ? .die : .live }
            ).apply(workspace, to: service)
            #expect(run.remote.isDead)
            service.advance(.seconds(130))
            await expectEachDayOnce(service, workspace, canSchedule: canSchedule, "killed \(point)")
        }
    }

    @Test func aDayThatIsDueIsSentOnceWhereverTheApplyIsKilled() async {
        await Self.killAtEveryWrite({ FakeService(now: Self.start) }, Self.workspace(), canSchedule: false)
    }

    @Test func aDayThatIsScheduledIsSentOnceWhereverTheApplyIsKilled() async {
        await Self.killAtEveryWrite(
            { FakeService(now: Self.start - .seconds(7200)) }, Self.workspace(), canSchedule: true)
    }

    @Test func aDayThatIsRescheduledIsSentOnceWhereverTheApplyIsKilled() async {
        let prepared: () async -> FakeService = {
            let service = FakeService(now: Self.start - .seconds(7200))
            await Applier().apply(Self.workspace(), to: service)
            return service
        }
        await Self.killAtEveryWrite(prepared, Self.workspace(text: "Another.", minute: 600), canSchedule: true)
    }

    @Test func aDayMissedBeforeAnApplyOfOtherTargetsIsToldByTheNextWholeOne() async throws {
        let service = FakeService(now: Self.start - .seconds(7200))
        let files = Sample.workspace(Self.workspace().campaigns + [Sample.campaign("other") { $0.hold = true }])
        var applier = Applier(canSchedule: false, keepsJournal: true)
        await applier.apply(files, to: service)
        service.advance(.seconds(4 * 3600))
        applier.targets = [.resource(.campaign, "other")]
        for _ in 0..<2 { await applier.apply(files, to: service) }
        #expect(try await service.plan(files, keepsJournal: true).changes.map(\.action).contains(.missed))
        applier.targets = []
        await applier.apply(files, to: service)
        #expect(try await !service.plan(files, keepsJournal: true).changes.map(\.action).contains(.missed))
    }

    @Test func aDayThatPassesWhileAnApplyTakesLongIsTold() async throws {
        let service = FakeService(now: Self.start - .seconds(7200))
        let applier = Applier(canSchedule: false, keepsJournal: true)
        await applier.apply(Self.workspace(), to: service)
        let files = Sample.workspace(Self.workspace().campaigns) {
            $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
        }
        service.with { $0.failingWrites["save Giants"] = [.slow(.seconds(4 * 3600))] }
        await applier.apply(files, to: service)
        #expect(try await service.plan(files, keepsJournal: true).changes.map(\.action).contains(.missed))
    }

    @Test func aCampaignThatIsOverHasNoRoundTakeTheLock() async throws {
        let remote = FakeRemote(FakeService(now: Self.start + .seconds(30 * 86_400)), canSchedule: false)
        let files = Self.workspace()
        let round = try await remote.dueRound(
            input: { Sample.input(files, $0, canSchedule: false, selection: Selection(onlyDue: true)) },
            session: { throw RemoteError(.unavailable, "something is due") })
        guard case .idle(let plan) = round else {
            Issue.record("it applied")
            return
        }
        #expect(plan.changes.map(\.action) == [.missed])
    }
}
