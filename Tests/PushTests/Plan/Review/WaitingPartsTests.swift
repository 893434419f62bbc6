import Base
import Foundation
import RemoteTesting
import Testing

@testable import Push

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
    private static func plan(_ campaigns: [Campaign], isReviewed: Bool = true, quiet: QuietHours? = nil) -> Plan {
        var input = Sample.input(
            Sample.workspace(campaigns) { $0.policy.quietHours = quiet },
            RemoteState(now: Sample.start, ledgerStarted: true), canSchedule: false,
            keepsJournal: true)
        input.explainsAudiences = isReviewed
        let questions = Planner.questions(input)
        for digest in questions.counts.keys { input.state.audiences[digest] = AudienceCount(devices: 5000) }
        for digest in questions.explanations.keys {
            input.state.explanations[digest] = AudienceCount(
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
        #expect(parts.map(\.label.text) == ["UTC+09:00", "UTC−08:00"] && parts.map(\.devices) == [1000, 4000])
        #expect(parts.map { $0.opensAt?.displayText } == ["2026-12-24 09:00 +09:00", "2026-12-24 09:00 -08:00"])
        let entries = plan.calendar.entries
        #expect(
            entries.map { "\($0.campaign ?? "") \($0.part ?? "")" } == [
                "greeting UTC+09:00", "once ", "greeting UTC−08:00",
            ])
        #expect(entries.map(\.at.instant) == entries.map(\.at.instant).sorted())
        for wave in entries where wave.part != nil {
            #expect(wave.latestStart == wave.at.instant + .seconds(3600))
            #expect(wave.expiresAt == wave.at.instant + .seconds(8 * 3600))
        }
    }

    @Test func theWavesHaveEveryDeviceHoweverManyTimeZonesItsAudienceHas() throws {
        let zones = TimeZone.knownTimeZoneIdentifiers.filter { ZoneClock($0) != nil }
        #expect(zones.count > 300)
        var counts = Dictionary(uniqueKeysWithValues: zones.map { ($0, 1) })
        for index in 0..<100 { counts["Mars/\(index)"] = 2 }
        let explanation = AudienceCount(
            devices: zones.count + 200, timeZones: AudienceCount.zones(counts))
        let parts = AudienceReview.Part.waves(Self.morning, explanation)
        let fallback = parts.first { $0.opensAt?.instant == Self.morning.fallback }
        var expected: [Instant: Int] = [Self.morning.fallback: 200]
        for zone in zones { expected[Self.morning.wave(in: zone) ?? Self.morning.fallback, default: 0] += 1 }
        #expect(parts.map(\.devices).reduce(0, +) == explanation.devices)
        #expect(parts.compactMap(\.opensAt?.instant) == expected.keys.sorted())
        #expect(fallback?.devices == expected[Self.morning.fallback])
        // Of the zones themselves a plan shows the largest.
        #expect(explanation.shown.timeZones.count == AudienceCount.mostNames)
    }

    @Test func aPlanThatNobodyReviewsAsksNothingAboutThem() throws {
        let plan = Self.plan([Self.greeting, Self.rollout], isReviewed: false)
        #expect(plan.changes.allSatisfy { $0.action == .wait && $0.audience == nil })
        // Stages stand in the files, waves in the audience.
        #expect(plan.calendar.entries.map(\.part) == ["1%", "10%", "100%", nil])
    }

    @Test func aStageTooSmallToJudgeIsToldBeforeItsTime() throws {
        let plan = Self.plan([Self.rollout])
        #expect(plan.changes.first?.audience?.review.parts.map(\.devices) == [50, 450, 4500])
        let remark = try #require(plan.diagnostics.first { $0.code == .smallStage })
        #expect(remark.message.text.contains("has about 50 devices: too few to judge, it will hold"))
    }

    @Test func stagesAreOnTheCalendarAtTheirEarliestTimes() throws {
        let start = Sample.start + .seconds(86_400)
        let once = Sample.campaign("once", at: start + .seconds(2400))
        let entries = Self.plan([Self.rollout, once]).calendar.entries
        #expect(
            entries.map { "\($0.campaign ?? "") \($0.part ?? "")" } == [
                "rollout 1%", "rollout 10%", "once ", "rollout 100%",
            ])
        let stages = entries.filter { $0.part != nil }
        #expect(stages.map(\.at.instant) == [start, start + .seconds(1800), start + .seconds(3600)])
        #expect(stages.map(\.isEstimate) == [false, true, true])
        #expect(stages.map(\.latestStart) == stages.map { $0.at.instant + .seconds(3600) })
        #expect(stages[0].localTimes.count == 2 && stages[1].localTimes.isEmpty)
    }

    @Test func aRolloutExpiresNoSoonerThanItsLastStageMayOpen() {
        var campaign = Self.rollout
        (campaign.scheduledAt, campaign.expiration) = (OffsetInstant(Sample.start), .after(.seconds(600)))
        let entry = Ledger.entry(campaign, .sending, now: Sample.start, age: .zero)
        // An apply comes once an hour: the second stage opened at the end of its window, and so does the third.
        let state = JournalState(
            targets: 5000, answered: 500, inDoubt: 0, waiting: 4500, lastOutcomeAt: Sample.start + .seconds(3600),
            stage: 3)
        let resumption = Resumption.decide(
            entry, evidence: .journal(state), context: ResumeContext(.delivered, quietHours: nil),
            now: Sample.start + .seconds(7200))
        #expect(resumption == .goOn(state))
    }

    @Test func whatIsOverOfARolloutIsNotOnTheCalendarAgain() throws {
        let start = Sample.start - .seconds(600)
        var campaign = Self.rollout
        campaign.scheduledAt = OffsetInstant(start)
        let entry = Ledger.entry(campaign, .sending, now: Sample.start, age: .seconds(600))
        for (stage, opensAt, parts, action) in [
            (1, nil, ["1%", "10%", "100%"], Action.resume), (2, Sample.start + .seconds(900), ["10%", "100%"], .wait),
            (3, nil, ["100%"], .resume),
        ] as [(Int, Instant?, [String], Action)] {
            let state = JournalState(
                targets: 5000, answered: 50, inDoubt: 0, waiting: 4950, lastOutcomeAt: start, opensAt: opensAt,
                stage: stage)
            let input = Sample.input(
                Sample.workspace([campaign]),
                RemoteState(
                    now: Sample.start, ledger: [entry], ledgerStarted: true,
                    evidence: [entry.notificationID: .journal(state)]), canSchedule: false, keepsJournal: true)
            let entries = Planner.plan(input).plan.calendar.entries
            #expect(entries.map(\.part) == parts && Set(entries.map(\.action)) == [action])
            #expect(entries.first?.at.instant == opensAt ?? Sample.start && entries.first?.isEstimate == false)
            #expect(entries.dropFirst().allSatisfy { $0.isEstimate })
        }
    }

    @Test func aWaveMustHaveStartedBeforeItsClocksShowQuietHours() throws {
        let quiet = try #require(QuietHours(from: 9 * 60 + 20, to: 18 * 60, timeZone: "device"))
        let entries = Self.plan([Self.greeting], quiet: quiet).calendar.entries
        #expect(entries.count == 2)
        for wave in entries { #expect(wave.latestStart == wave.at.instant + .seconds(20 * 60)) }
        let wide = try #require(QuietHours(from: 22 * 60, to: 8 * 60, timeZone: "device"))
        for wave in Self.plan([Self.greeting], quiet: wide).calendar.entries {
            #expect(wave.latestStart == wave.at.instant + .seconds(3600))
        }
    }

    @Test func quietHoursByDeviceBlockWhatCannotKeepThem() throws {
        let once = Sample.campaign("once")
        for (from, blocked) in [(8, ["greeting", "once"]), (22, ["once"])] {
            let quiet = try #require(QuietHours(from: from * 60, to: from * 60 + 120, timeZone: "device"))
            var due = Self.greeting
            // Its first wave is due.
            due.localSchedule?.at = LocalTime(seconds: Sample.start.seconds / 86_400 * 86_400 + 9 * 3600)
            due.scheduledAt = due.localSchedule?.first
            let plan = Self.plan([due, once], quiet: quiet)
            let held = plan.changes.filter { $0.blocked.contains { $0.rule == .quietHours } }
            #expect(held.map(\.name).sorted() == blocked, "\(from)")
            #expect(plan.changes.filter { $0.action == .send }.map(\.name).sorted() == ["greeting", "once"])
        }
    }
}
