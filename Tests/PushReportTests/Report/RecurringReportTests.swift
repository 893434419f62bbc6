import Base
import Testing

@testable internal import Push
@testable internal import PushReport

/// What people read of recurring campaigns.
@Suite struct RecurringReportTests {
    private static func day(_ text: String) -> CivilDate { CivilDate(text) ?? CivilDate(daysSince1970: 0) }
    private static func time(_ text: String) -> OffsetInstant {
        OffsetInstant(text) ?? OffsetInstant(Instant(seconds: 0))
    }

    private static func delivery(_ text: String, at: String?) -> PlannedDelivery {
        PlannedDelivery(
            id: DeliveryID(workspace: "giants", campaign: "weekly", revision: 1, occurrence: .on(day(text))),
            generation: 0, revision: 1, occurrence: .on(day(text)), at: at.map(time), expiresAt: nil,
            expires: Expiration.after(.seconds(12 * 3600)).reason)
    }

    private static let ahead = PlannedOccurrences(
        next: ["2026-12-07", "2026-12-10"].map { text in
            PlannedOccurrences.Next(
                date: day(text), delivery: delivery(text, at: nil).id, at: time("\(text)T09:00:00+08:00"),
                latestStart: time("\(text)T10:00:00+08:00"))
        }, following: 10, last: day("2027-01-14"), absent: ["2027-02-30"],
        mustRun: PlannedOccurrences.Span(
            from: time("2026-12-07T09:00:00+08:00"), until: time("2026-12-07T10:00:00+08:00")))

    private static func line(
        _ name: String, _ action: Action, reason: Reason = Reason(.changed), before: JSONValue? = nil,
        after: JSONValue? = nil
    ) -> Change {
        var change = Change(kind: .campaign, name: name, action: action, reason: reason, before: before, after: after)
        change.occurrences = ahead
        return change
    }

    private static let plan = ReportFixtures.plan([
        line(
            "new", .create,
            after: ["every": "week", "on": ["mon", "thu"], "at": "09:00", "audience": "x", "content": "sha256:0"]),
        line("changed", .update, before: ["at": "08:00", "every": "week"], after: ["at": "09:00", "every": "week"]),
        line("same", .wait, reason: Reason(.remoteSendsLast)),
        Change(
            kind: .campaign, name: "today", action: .send, reason: Reason(.notDelivered),
            delivery: delivery("2026-12-03", at: nil)),
        Change(
            kind: .campaign, name: "pending", action: .schedule, reason: Reason(.notDelivered),
            delivery: delivery("2026-12-07", at: "2026-12-07T09:00:00+08:00")),
        Change(
            kind: .campaign, name: "late", action: .missed,
            reason: Reason(
                .windowsEnded, .count(2), .day(CivilDate(year: 2026, month: 11, day: 26)),
                .day(CivilDate(year: 2026, month: 11, day: 30))),
            delivery: delivery("2026-11-30", at: "2026-11-30T09:00:00+08:00")),
        Change(kind: .campaign, name: "gone", action: .delete, reason: Reason(.notDeclared), before: ["every": "day"]),
    ])

    private func text(_ report: Report, _ language: Language) -> String {
        report.rendered(as: .text, options: ReportOptions(language: language))
    }

    @Test func aPlanSaysWhatIsAheadAndWhatHoldsForToday() {
        #expect(
            text(.plan(Self.plan), .english) == """
                giants → production   LeanCloud · push.example.com

                Merging sends 1 push to an uncounted audience now, schedules 1, starts 1 recurring campaign, updates 1 resource and deletes 1; nothing is blocked; 1 push was missed.

                  + campaign new                                              12 occurrences ahead
                      at            09:00
                      every         week
                      on            mon, thu
                      next          2026-12-07 09:00 +08:00, 2026-12-10 09:00 +08:00
                      then          10 more until 2027-01-14
                      no such day   2027-02-30
                      must run      between 2026-12-07 09:00 +08:00 and 2026-12-07 10:00 +08:00
                  ~ campaign changed                                          12 occurrences ahead
                      at            08:00 → 09:00
                      next          2026-12-07 09:00 +08:00, 2026-12-10 09:00 +08:00
                      then          10 more until 2027-01-14
                      no such day   2027-02-30
                      must run      between 2026-12-07 09:00 +08:00 and 2026-12-07 10:00 +08:00
                  ▶ campaign today                                            sends now (2026-12-03)
                  ◷ campaign pending                                          2026-12-07 09:00 +08:00, expires after 12h
                  - campaign gone
                  … campaign same                                             12 occurrences ahead
                      next          2026-12-07 09:00 +08:00, 2026-12-10 09:00 +08:00
                      then          10 more until 2027-01-14
                      no such day   2027-02-30
                      must run      between 2026-12-07 09:00 +08:00 and 2026-12-07 10:00 +08:00
                  ∅ campaign late                                             missed 2026-11-30 09:00 +08:00
                      reason        the windows of 2 occurrences ended, 2026-11-26 to 2026-11-30

                Plan: 1 to create, 1 to update, 1 to delete. Deliveries: 1 to send, 1 to schedule, 0 to cancel, 1 waiting, 1 missed, 0 blocked.
                A push cannot be taken back.

                """)
    }

    @Test func aPlanInChineseSaysTheSame() {
        let text = text(.plan(Self.plan), .chinese)
        func day(_ text: String) -> String { CivilDate(text).map(Language.chinese.day) ?? "" }
        for words in [
            "后续还有 12 次", "接下来", "还有 10 次，最后一次在 \(day("2027-01-14"))", "没有这一天", "须执行 apply",
            "立即发送（\(day("2026-12-03"))）",
            "2 次的发送窗口已结束（\(day("2026-11-26")) 至 \(day("2026-11-30"))）",
        ] {
            #expect(text.contains(words), "\(words)\n\(text)")
        }
    }

    @Test func aSavedPlanIsReadBack() throws {
        let change = try #require(try JSONValue(parsing: Self.plan.savedBytes())["changes"]?.array?.first)
        #expect(change["delivery"]?.isNull == true)
        #expect(change["occurrences"]?["following"] == 10 && change["occurrences"]?["last"] == "2027-01-14")
        #expect(change["occurrences"]?["next"]?.array?.first?["date"] == "2026-12-07")
        #expect(try Plan.read(saved: Self.plan.savedBytes()) == Self.plan)
    }

    @Test func statusAndResultsNameTheDay() {
        let status = StatusReport(
            workspace: "giants", remote: ReportFixtures.remote(), now: ReportFixtures.now,
            rows: [
                StatusReport.Row(
                    campaign: "weekly", revision: 1, occurrence: Self.day("2026-12-03"), state: .sent,
                    at: ReportFixtures.now),
                StatusReport.Row(campaign: "once", revision: 1, state: .sent, at: ReportFixtures.now),
            ])
        #expect(text(.status(status), .english).contains("REVISION  DAY"))
        #expect(text(.status(status), .english).contains("2026-12-03"))
        #expect(!text(.status(ReportFixtures.status), .english).contains("DAY"))
        let results = ApplyReport(
            workspace: "giants", remote: ReportFixtures.remote(),
            results: [ApplyReport.Row(of: Self.plan.changes[2], .done)], exitCode: 0)
        #expect(text(.apply(results), .english).contains("sent (2026-12-03)"))
    }
}
