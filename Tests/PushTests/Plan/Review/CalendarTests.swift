import Base
import RemoteTesting
import Testing

@testable import Push

/// Which deliveries stand in a plan's calendar, and when.
@Suite struct CalendarTests {
    private static let later = Sample.start + .seconds(86_400)

    private static func state(
        _ ledger: [LedgerEntry] = [], scheduled: [ScheduledPush] = [], evidence: [DeliveryID: Evidence] = [:]
    ) -> RemoteState {
        RemoteState(
            now: Sample.start, ledger: ledger, ledgerStarted: true, scheduled: scheduled, evidence: evidence)
    }

    private static func push(_ entry: LedgerEntry, at: Instant = later, id: Int64 = 1) -> ScheduledPush {
        ScheduledPush(id: id, notificationID: entry.notificationID.text, at: at)
    }

    @Test func aPlanWithoutDeliveriesHasNoCalendar() {
        let plan = Ledger.plan(Sample.workspace { $0.policy.minimumGap = .seconds(5) })
        #expect(plan.calendar == PlanCalendar())
        #expect(plan.json["calendar"] == nil && plan.json["certificates"] == nil)
    }

    @Test func sendsStandAtNowAndSchedulesAtTheirTime() throws {
        let at = try #require(OffsetInstant("2026-11-27T20:00:00+08:00"))
        let plan = Ledger.plan(
            Sample.workspace([
                Sample.campaign("later") {
                    $0.scheduledAt = at
                    $0.window = .seconds(600)
                }, Sample.campaign("now") { $0.expiration = .never },
            ]))
        #expect(
            plan.calendar.entries == [
                PlanCalendar.Entry(
                    campaign: "now", action: .send, at: OffsetInstant(Sample.start),
                    latestStart: Sample.start + .seconds(3600)),
                PlanCalendar.Entry(
                    campaign: "later", action: .schedule, at: at, latestStart: at.instant + .seconds(600),
                    expiresAt: at.instant + .seconds(7 * 86_400)),
            ])
    }

    @Test func whatRulesHoldBackIsMarked() {
        let plan = Ledger.plan(Sample.workspace([Sample.campaign("a") { $0.expiration = nil }]))
        #expect(plan.calendar.entries.map(\.isBlocked) == [true])
    }

    @Test func whatWaitsStandsAtItsTimeUntilThatIsOver() {
        let held = Sample.campaign("held", at: Self.later) { $0.hold = true }
        let past = Sample.campaign("past", at: Sample.start - .seconds(3601)) { $0.hold = true }
        let timeless = Sample.campaign("timeless") { $0.hold = true }
        let plan = Ledger.plan(Sample.workspace([held, past, timeless]))
        #expect(plan.summary[.wait] == 3)
        #expect(plan.calendar.entries.map(\.campaign) == ["held"])
        #expect(plan.calendar.entries.map(\.action) == [.wait])
    }

    @Test func aPendingPushThatThePlanLeavesHasItsCampaignsNameAndNoAction() {
        let campaign = Sample.campaign("ours", at: Self.later)
        let entry = Ledger.entry(campaign, .scheduled, now: Sample.start, age: .seconds(60))
        let theirs = ScheduledPush(id: 2, notificationID: "theirs", at: Self.later + .seconds(7200))
        let plan = Ledger.plan(
            Sample.workspace([campaign]), Self.state([entry], scheduled: [Self.push(entry), theirs]))
        #expect(plan.changes.isEmpty)
        #expect(plan.calendar.entries.map(\.campaign) == ["ours", nil])
        #expect(plan.calendar.entries.map(\.action) == [nil, nil])
        #expect(plan.calendar.entries.first?.expiresAt == entry.expiresAt)
    }

    @Test func aPendingPushThatIsCancelledIsGone() {
        let entry = Ledger.entry(
            Sample.campaign("gone", at: Self.later), .scheduled, now: Sample.start, age: .seconds(60))
        let plan = Ledger.plan(
            Sample.workspace([Sample.campaign("other", at: Self.later, text: "Willie Hayes is injured.")]),
            Self.state([entry], scheduled: [Self.push(entry)]))
        #expect(plan.summary[.cancel] == 1)
        #expect(plan.calendar.entries.map(\.campaign) == ["other"])
        #expect(plan.calendar.collisions.isEmpty)
    }

    @Test func aRescheduledPushStandsOnceAndBesideItsPendingSelfWhenRulesHoldItBack() {
        let campaign = Sample.campaign("moved", at: Self.later)
        let entry = Ledger.entry(campaign, .scheduled, now: Sample.start, age: .seconds(60))
        let moved = Sample.campaign("moved", at: Self.later + .seconds(60))
        let state = Self.state([entry], scheduled: [Self.push(entry)])
        let plan = Ledger.plan(Sample.workspace([moved]), state)
        #expect(plan.calendar.entries.map(\.action) == [.reschedule])
        #expect(plan.calendar.entries.map(\.at.instant) == [Self.later + .seconds(60)])
        let soon = Self.state([entry], scheduled: [Self.push(entry, at: Sample.start + .seconds(60))])
        let blocked = Ledger.plan(Sample.workspace([moved]), soon)
        #expect(blocked.isBlocked)
        #expect(blocked.calendar.entries.map(\.action) == [nil, .reschedule])
        #expect(blocked.calendar.collisions.isEmpty)
    }

    @Test func aResumeThatSendsStandsAtNowAndOneThatDoesNotStandsNowhere() {
        let campaign = Sample.campaign("open")
        let entry = Ledger.entry(campaign, .sending, now: Sample.start, age: .seconds(60))
        let sending = Ledger.plan(Sample.workspace([campaign]), Self.state([entry]))
        #expect(sending.calendar.entries.map(\.action) == [.resume])
        #expect(sending.calendar.entries.map(\.at.instant) == [Sample.start])
        let record = PushRecord(
            objectID: "x", .done,
            figures: DeliveryFigures(devices: 1, successes: 1, invalidTokens: 0))
        let adopted = Ledger.plan(
            Sample.workspace([campaign]), Self.state([entry], evidence: [entry.notificationID: .found(record)]))
        #expect(adopted.summary[.resume] == 1)
        #expect(adopted.calendar == PlanCalendar())
    }

    @Test func aPendingPushCollidesWithWhatIsPlannedByTheLedgersRequest() throws {
        let pending = Sample.campaign("pending", at: Self.later) {
            $0.audience = Audience(channels: ["a"], platforms: [.ios])
        }
        let entry = Ledger.entry(pending, .scheduled, now: Sample.start, age: .seconds(60))
        let state = Self.state([entry], scheduled: [Self.push(entry)])
        for (platform, collides) in [(Platform.ios, true), (.android, false)] {
            let campaign = Sample.campaign("planned", at: Self.later + .seconds(60)) {
                $0.audience = Audience(channels: ["b"], platforms: [platform])
            }
            let plan = Ledger.plan(Sample.workspace([pending, campaign]), state)
            #expect(plan.calendar.collisions.count == (collides ? 1 : 0))
            let messages = plan.diagnostics.filter { $0.code == .collision }.map(\.message.text)
            #expect(
                messages
                    == (collides
                        ? ["some devices may get planned 60 s after the pending pending; minimumGap is 1h"] : []))
        }
    }

    @Test func pendingPushesDoNotCollideWithEachOther() {
        let pushes = (1...3).map { ScheduledPush(id: $0, notificationID: "theirs\($0)", at: Self.later) }
        let plan = Ledger.plan(Sample.workspace(), Self.state(scheduled: pushes))
        #expect(plan.calendar.entries.count == 3)
        #expect(plan.calendar.collisions.isEmpty && plan.calendar.otherCollisions == 0)
    }

    @Test func timesThatMoveAreNoDifference() {
        let plan = Ledger.plan(Sample.workspace([Sample.campaign("a")]))
        var later = plan
        later.calendar = PlanCalendar()
        later.certificates = [PlannedCertificate(name: "p", environment: .production, topic: "t")]
        #expect(PlanDifference.between(reviewed: plan, now: later, growth: 0.2, isTrusted: false) == [])
    }
}
