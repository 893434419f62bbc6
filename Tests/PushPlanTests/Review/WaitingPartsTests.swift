import Diagnostics
import PushModel
import PushPlan
import RemoteTesting
import Testing

/// Campaigns in parts whose time has not come, as reviewers see them.
@Suite struct WaitingPartsTests {
    private static let morning = LocalSchedule(
        at: LocalTime("2026-12-24T09:00:00") ?? LocalTime(seconds: 0), otherwise: "America/Los_Angeles")

    private static let greeting = Sample.campaign("greeting", at: morning.first.instant) { campaign in
        campaign.localSchedule = morning
        campaign.expiration = .after(.seconds(8 * 3600))
    }

    private static let rollout = Sample.campaign("rollout", at: Sample.start + .seconds(86_400)) { campaign in
        campaign.rollout = Rollout(
            stages: ["1%", "10%", "100%"].compactMap { Share($0) }, bake: .seconds(1800),
            stopWhen: .init(refused: Share("2%")))
    }

    /// The plan for a remote that keeps no clock, with answers to all that is asked.
    private static func plan(_ campaigns: [Campaign], isReviewed: Bool = true) -> Plan {
        var input = Sample.input(
            Sample.workspace(campaigns), RemoteState(now: Sample.start, ledgerStarted: true), canSchedule: false,
            keepsJournal: true)
        input.explainsAudiences = isReviewed
        let questions = Planner.questions(input)
        for digest in questions.counts.keys { input.state.audiences[digest] = AudienceCount(devices: 5000) }
        for digest in questions.explanations.keys {
            input.state.explanations[digest] = AudienceExplanation(
                devices: 5000, timeZones: ["Asia/Tokyo": 1000, "America/Los_Angeles": 3000, "Mars": 400, "": 600])
        }
        return Planner.plan(input).plan
    }

    @Test func theWavesOfALocalTimeAreCountedAndOnTheCalendarBeforeTheirTime() throws {
        let once = Sample.campaign("once", at: Self.morning.first.instant + .seconds(6 * 3600))
        let plan = Self.plan([Self.greeting, once])
        let change = try #require(plan.changes.first { $0.name == "greeting" })
        #expect(change.action == .wait && change.audience?.devices == 5000)
        let parts = try #require(change.audience?.review.parts)
        #expect(parts.map(\.label) == ["UTC+09:00", "UTC-08:00"] && parts.map(\.devices) == [1000, 4000])
        #expect(parts.map { $0.opensAt?.displayText } == ["2026-12-24 09:00 +09:00", "2026-12-24 09:00 -08:00"])
        let entries = plan.calendar.entries
        #expect(
            entries.map { "\($0.campaign ?? "") \($0.part ?? "")" } == [
                "greeting UTC+09:00", "once ", "greeting UTC-08:00",
            ])
        #expect(entries.map(\.at.instant) == entries.map(\.at.instant).sorted())
        for wave in entries where wave.part != nil {
            #expect(wave.latestStart == wave.at.instant + .seconds(3600))
            #expect(wave.expiresAt == wave.at.instant + .seconds(8 * 3600))
        }
    }

    @Test func aPlanThatNobodyReviewsAsksNothingAboutThem() throws {
        let plan = Self.plan([Self.greeting, Self.rollout], isReviewed: false)
        #expect(plan.changes.allSatisfy { $0.action == .wait && $0.audience == nil })
        #expect(plan.calendar.entries.count == 2)
    }

    @Test func aStageTooSmallToJudgeIsToldBeforeItsTime() throws {
        let plan = Self.plan([Self.rollout])
        #expect(plan.changes.first?.audience?.review.parts.map(\.devices) == [50, 450, 4500])
        let remark = try #require(plan.diagnostics.first { $0.code == .smallStage })
        #expect(remark.message.contains("has about 50 devices: too few to judge, it will hold"))
        #expect(plan.calendar.entries.map(\.part) == [nil])
    }
}
