import Apply
import Base
import RemoteTesting
import Synchronization
import Testing

@testable import Push

/// A week of `bugle run` with campaigns of all kinds, killed and started again: what was sent is what plans had shown.
@Suite struct RunnerWeekTests {
    /// 2026-11-30T21:30:00Z: a time at which nothing is due.
    private static let start = Instant(seconds: 1_796_074_200)
    private static let week = Duration.seconds(7 * 86_400)

    private static func recurring(
        _ name: String, _ unit: Recurrence.Unit, _ on: [String], _ minute: Int, _ zone: String,
        change: (inout Campaign) -> Void = { _ in }
    ) -> Campaign {
        var rule = Recurrence()
        (rule.every, rule.on) = (unit, on.compactMap { Recurrence.Day($0) })
        (rule.minute, rule.timeZone, rule.until) = (minute, zone, CivilDate("2027-03-01"))
        return Sample.campaign(name) {
            $0.recurrence = rule
            change(&$0)
        }
    }

    /// 20 campaigns: daily, weekly, monthly, at one time, at once, on hold.
    static let campaigns: [Campaign] =
        [
            recurring("daily-shanghai", .day, [], 540, "Asia/Shanghai"),
            recurring("daily-midnight", .day, [], 0, "America/Los_Angeles"),
            recurring("daily-late", .day, [], 23 * 60 + 59, "Pacific/Apia"),
            recurring("daily-half", .day, [], 5 * 60 + 30, "Asia/Kathmandu"),
            recurring("daily-short", .day, [], 720, "Europe/Berlin") {
                $0.recurrence?.until = CivilDate("2026-12-03")
            },
            recurring("mondays", .week, ["mon"], 600, "Europe/Berlin"),
            recurring("weekdays", .week, ["mon", "tue", "wed", "thu", "fri"], 1080, "America/New_York"),
            recurring("weekend", .week, ["sat", "sun"], 660, "Australia/Lord_Howe"),
            recurring("excepted", .week, ["tue", "wed"], 660, "Africa/Cairo") {
                $0.recurrence?.except = [CivilDate(year: 2026, month: 12, day: 1)]
            },
            recurring("first", .month, ["1"], 480, "Asia/Shanghai"),
            recurring("second-and-last", .month, ["2", "last"], 480, "UTC"),
            recurring("thirtieth", .month, ["30"], 1200, "UTC"),
            recurring("held", .day, [], 540, "UTC") { $0.hold = true },
        ] + (0..<5).map { Sample.campaign("once\($0)", at: start + .seconds(40_000 + 90_000 * $0)) } + [
            Sample.campaign("now"), Sample.campaign("held-once", at: start + .seconds(50_000)) { $0.hold = true },
        ]

    private static let workspace = Sample.workspace(campaigns) { $0.policy.maxSendsPerApply = 20 }

    /// Chances that several processes draw from.
    private final class Dice: Sendable {
        private let generator: Mutex<SeededGenerator>

        init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

        func happens(_ probability: Double) -> Bool { generator.withLock { $0.happens(probability) } }

        func number(below limit: Int) -> Int { generator.withLock { Int.random(in: 0..<limit, using: &$0) } }
    }

    /// One send, by its campaign and the time that a plan had given it.
    private struct Planned: Hashable {
        var campaign: String
        var at: Instant
    }

    private static func input(_ state: RemoteState, canSchedule: Bool, onlyDue: Bool) -> PlanInput {
        Sample.input(
            workspace, state, canSchedule: canSchedule, selection: Selection(onlyDue: onlyDue))
    }

    /// What a plan made now shows for the time ahead.
    private static func shown(_ service: FakeService, canSchedule: Bool) async throws -> Set<Planned> {
        let reader = FakeRemote(service, canSchedule: canSchedule)
        let state = try await reader.observe {
            Planner.questions(input($0, canSchedule: canSchedule, onlyDue: false))
        }
        let plan = Planner.plan(input(state, canSchedule: canSchedule, onlyDue: false)).plan
        return Set(
            plan.calendar.entries.compactMap { entry in
                // What is due by now was shown ahead by an earlier plan.
                guard let name = entry.campaign, entry.at.instant > state.now, !name.hasPrefix("held") else {
                    return nil
                }
                return Planned(campaign: name, at: entry.at.instant)
            })
    }

    /// A process that runs rounds until it is killed at a write, or told to stop.
    private static func live(
        _ service: FakeService, _ dice: Dice, canSchedule: Bool, until end: Instant
    ) async throws {
        let stop = StopSignal()
        let remote = FakeRemote(service, canSchedule: canSchedule) { _, _ in
            dice.happens(0.04) ? .die : .live
        }
        let pausing = FakePause(service) { stop.isRaised || remote.isDead }
        let run = dice.number(below: 1_000_000_000)
        do {
            try await runRounds(every: .seconds(1200), stop: stop, pausing: pausing, elapsed: { service.elapsed }) {
                if service.now >= end || dice.happens(0.02) { stop.raise() }
                _ = try await remote.dueRound(
                    input: { input($0, canSchedule: canSchedule, onlyDue: true) },
                    session: {
                        ApplySession(
                            reader: remote, writer: remote,
                            options: ApplyOptions(holder: "runner", run: "run \(run)"), stop: stop, pausing: pausing,
                            heartbeat: NoPause(), elapsed: { service.elapsed }, report: { _ in })
                    })
                // A killed process does nothing more; its last round may have ended before it noticed.
                if remote.isDead { throw RemoteError(.unavailable, "killed") }
            }
        } catch {
            guard remote.isDead else { throw error }
        }
    }

    @Test(arguments: 0..<4)
    func whatIsSentIsWhatThePlansHadShown(seed: Int) async throws {
        let canSchedule = seed % 2 == 1
        let service = FakeService(now: Self.start)
        let dice = Dice(seed: UInt64(seed))
        var calendar = try await Self.shown(service, canSchedule: canSchedule)
        await Applier(canSchedule: canSchedule).apply(Self.workspace, to: service)
        #expect(service.received["now@1"] == 1)
        let end = Self.start + Self.week
        var nextLook = service.now
        while service.now < end {
            if service.now >= nextLook {
                calendar.formUnion(try await Self.shown(service, canSchedule: canSchedule))
                nextLook = service.now + .seconds(86_400)
            }
            try await Self.live(service, dice, canSchedule: canSchedule, until: min(end, nextLook))
            service.advance(.seconds(Int64(dice.number(below: 600))))
        }
        // The last sends may have been interrupted.
        try await Self.live(service, dice, canSchedule: canSchedule, until: service.now + .seconds(2400))
        let last = service.now - .seconds(4 * 3600)
        let names = service.with { world in
            Dictionary(
                world.ledger.flatMap { entry in entry.notificationIDs().map { ($0.text, entry) } }
            ) { first, _ in first }
        }
        var open = calendar.filter { $0.at < last }
        #expect(open.count > 40)
        var early = 0
        for push in service.with({ $0.records }) {
            let entry = try #require(names[push.notificationID])
            guard entry.campaign != "now" else { continue }
            let planned = calendar.first { planned in
                planned.campaign == entry.campaign && planned.at <= push.visibleAt + .seconds(60)
                    && push.visibleAt <= planned.at + .seconds(3600)
            }
            let match = try #require(planned, "\(entry.campaign) \(entry.occurrence.text) at \(push.visibleAt.text)")
            if entry.occurrence != .once, push.visibleAt < match.at { early += 1 }
            #expect(match.at >= last || open.remove(match) != nil, "twice: \(match)")
        }
        #expect(open.isEmpty, "never: \(open)")
        #expect(early == 0, "before its time")
        #expect(service.received.values.allSatisfy { $0 > 0 })
        #expect(service.received.keys.allSatisfy { !$0.hasPrefix("held") })
    }

    @Test func aRoundWithNothingDueWritesNothing() async throws {
        let service = FakeService(now: Self.start)
        let remote = FakeRemote(service, canSchedule: false)
        let workspace = Sample.workspace([Self.campaigns[5], Sample.campaign("now")])
        let ending = try await remote.dueRound(
            input: { Sample.input(workspace, $0, canSchedule: false, selection: Selection(onlyDue: true)) },
            session: { throw RemoteError(.unavailable, "no session is needed") })
        guard case .idle(let plan) = ending else {
            Issue.record("something was due")
            return
        }
        #expect(!plan.hasChanges && remote.writes.isEmpty)
    }

    @Test(arguments: [true, false])
    func whatWasInterruptedForLongerThanItsWindowIsRecordedByTheNextRoundAndByNoOther(keepsJournal: Bool) async throws {
        let service = FakeService()
        let workspace = Sample.workspace([Sample.campaign("score")])
        var killed = Applier(canSchedule: false, keepsJournal: keepsJournal)
        killed.hook = { point, _ in point.name == "insert sending" && point.phase == .after ? .die : .live }
        await killed.apply(workspace, to: service)
        service.advance(.seconds(3601))
        var applied: [ChangeResult?] = []
        for _ in 0..<2 {
            let remote = FakeRemote(service, canSchedule: false, keepsJournal: keepsJournal)
            let round = try await remote.dueRound(
                input: {
                    Sample.input(
                        workspace, $0, canSchedule: false, keepsJournal: keepsJournal,
                        selection: Selection(onlyDue: true))
                },
                session: {
                    ApplySession(
                        reader: remote, writer: remote, options: ApplyOptions(holder: "runner", run: "run"),
                        stop: StopSignal(), pausing: FakePause(service), heartbeat: NoPause(),
                        elapsed: { service.elapsed }, report: { _ in })
                })
            if case .applied(let outcome) = round { applied.append(outcome.results.first) }
        }
        #expect(applied.map { $0?.change.action } == [.missed])
        #expect(service.entry("score")?.isMissedForGood == true && service.received.isEmpty)
    }

    @Test func roundsBeginAtEqualIntervalsAndEndWithTheSignal() async throws {
        let service = FakeService(now: Self.start)
        let stop = StopSignal()
        let begun = Mutex<[Int64]>([])
        try await runRounds(
            every: .seconds(60), stop: stop, pausing: FakePause(service) { stop.isRaised },
            elapsed: { service.elapsed }
        ) {
            let number = begun.withLock { begun in
                begun.append(service.elapsed.wholeSeconds)
                return begun.count
            }
            // The second takes longer than the interval.
            service.advance(number == 2 ? .seconds(90) : .seconds(20))
            if number == 4 { stop.raise() }
        }
        #expect(begun.withLock { $0 } == [0, 60, 150, 210])
    }
}
