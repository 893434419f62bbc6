internal import Base
internal import FoundationEssentials
internal import ProgramTesting
internal import PushReport
internal import Testing

@testable internal import Push

@Suite struct PlanTextTests {
    private func text(_ plan: Plan, _ style: TextStyle = TextStyle()) -> String {
        Report.plan(plan).rendered(as: .text, options: ReportOptions(style: style))
    }

    @Test func theSampleOfTheContractIsRenderedToTheLetter() {
        #expect(
            text(ReportFixtures.sample) == """
                giants → production   LeanCloud · push.example.com

                Merging sends 1 push to 12,345 devices now, schedules 1, creates 1 resource and updates 1; 1 push is blocked by allowEveryone.

                  + channel Mets
                  ~ deviceProfile driver
                      certificate   sha256:1f2a77… → sha256:9c0d31…
                      expires       2026-12-01 → 2027-12-01
                  ▶ campaign giants-score                                     sends now
                      audience      channel Giants, where scores = true       12,345 devices
                      payload       312 of 4,096 bytes
                      “Giants scored against the A's! It's now 2-2.”
                  ◷ campaign season-tickets                                   2026-11-27 20:00 +08:00, expires after 7d
                  ! campaign everybody                                        blocked: allowEveryone is false

                Plan: 1 to create, 1 to update, 0 to delete. Deliveries: 1 to send, 1 to schedule, 0 to cancel, 1 blocked.
                A push cannot be taken back.

                """)
    }

    @Test func everySymbolStandsInTheTableOfItsPage() throws {
        let page = try String(contentsOf: repository.appending(path: "docs/reference/plan-text.md"), encoding: .utf8)
        let items = text(ReportFixtures.everyAction).split(separator: "\n").filter {
            $0.hasPrefix("  ") && !$0.hasPrefix("   ") && $0.dropFirst(3).first == " "
        }
        let symbols = Set(items.compactMap { $0.dropFirst(2).first })
        #expect(symbols.count == 11, "\(symbols)")
        for symbol in symbols { #expect(page.contains("`\(symbol)`"), "\(symbol)") }
    }

    @Test func ofManyWavesTheLastAreOne() throws {
        var plan = ReportFixtures.sample
        let index = try #require(plan.changes.firstIndex { $0.name == "giants-score" })
        plan.changes[index].audience?.review.parts = (0..<9).map { hour in
            let offset = (14 - hour) * 3600
            return AudienceReview.Part(
                label: .verbatim(LocalSchedule.label(ofOffset: offset)),
                opensAt: OffsetInstant(ReportFixtures.now + .seconds(3600 * hour), offset: offset),
                devices: 1000 - hour)
        }
        #expect(text(plan).contains(" UTC+14:00 1,000 · "))
        #expect(text(plan).contains(" · UTC+08:00 994 · 2 others 1,985\n"))
        plan.changes[index].audience?.review.parts.removeLast()
        #expect(text(plan).contains(" · UTC+08:00 994 · UTC+07:00 993\n"))
    }

    /// In text, comment and page, in both languages, and as a member for programs.
    @Test func whoMatchesAndGetsNothingStandsUnderTheAudience() throws {
        var plan = ReportFixtures.sample
        let index = try #require(plan.changes.firstIndex { $0.name == "giants-score" })
        plan.changes[index].audience?.leftOut = [.invalid: 34, .stale: 20_000, .android: 2_670]
        let english = "20,000 not seen for 90 days · 2,670 Android: no way to them here · 34 dead tokens"
        #expect(text(plan).contains("      left out      \(english)\n"))
        let chinese = "20,000 台已 90 天没有出现 · 2,670 台 Android：这里没有通道 · 34 个失效 token"
        for form in [ReportFormat.text, .markdown, .html] {
            let report = Report.plan(plan)
            #expect(report.rendered(as: form, options: ReportOptions()).contains("20,000 not seen for 90 days"))
            #expect(report.rendered(as: form, options: ReportOptions(language: .chinese)).contains(chinese))
        }
        plan.changes[index].audience?.staleAfter = .seconds(180 * 86_400)
        #expect(text(plan).contains("20,000 not seen for 180 days"))
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
    }

    @Test(arguments: [
        (TextStyle(), "everyAction.txt"), (TextStyle(usesUnicode: false), "everyAction.ascii.txt"),
        (TextStyle(isColoured: true), "everyAction.colour.txt"),
    ])
    func everyActionHasItsLine(_ style: TextStyle, _ golden: String) throws {
        try expectGolden(text(ReportFixtures.everyAction, style), golden)
    }

    @Test func withoutColourNoEscapeIsWritten() {
        #expect(!text(ReportFixtures.everyAction).unicodeScalars.contains("\u{1B}"))
    }

    @Test func inASCIIOnlyTheTextsOfFilesAreOtherThanASCII() {
        #expect(text(ReportFixtures.sample, TextStyle(usesUnicode: false)).utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func aPlanWithoutChangesIsNoMatchWhileSomethingWaits() {
        let changes = [
            Change(
                kind: .campaign, name: "held", action: .wait, reason: .verbatim("held"),
                delivery: ReportFixtures.delivery()),
            Change(kind: .campaign, name: "late", action: .missed, reason: Reason(.windowOver)),
        ]
        #expect(
            text(ReportFixtures.plan(changes)) == """
                giants → production   LeanCloud · push.example.com

                Merging sends nothing: 1 push waits for the time to come; 1 push was missed.

                  … campaign held                                             waits
                      reason        held
                  ∅ campaign late                                             missed
                      reason        its window ended

                Plan: 0 to create, 0 to update, 0 to delete. Deliveries: 0 to send, 0 to schedule, 0 to cancel, 1 waiting, 1 missed, 0 blocked.

                """)
        #expect(
            text(ReportFixtures.plan([])) == """
                giants → production   LeanCloud · push.example.com

                No changes: production matches the workspace.

                """)
    }

    @Test func anUnknownOutcomeIsNoMatch() {
        let plan = ReportFixtures.plan([Change(kind: .campaign, name: "x", action: .none, reason: .verbatim("lost"))])
        #expect(!text(plan).contains("No changes"))
        #expect(text(plan).contains("0 to cancel, 1 unknown, 0 blocked."))
        #expect(!text(plan).contains("taken back"))
    }

    @Test(arguments: [Action.send, .schedule, .reschedule, .resume])
    func aPlanThatMaySendWarns(_ action: Action) {
        let change = Change(
            kind: .campaign, name: "x", action: action, reason: .verbatim(""), delivery: ReportFixtures.delivery())
        #expect(text(ReportFixtures.plan([change])).hasSuffix("\nA push cannot be taken back.\n"))
        var blocked = change
        blocked.blocked = [Block(.maxSendsPerApply, .verbatim("6 sends, and 5 are allowed"))]
        #expect(!text(ReportFixtures.plan([blocked])).contains("taken back"))
    }

    @Test(arguments: [
        (
            LastApplied(
                commit: "abc1234", committedAt: nil, at: ReportFixtures.now - .seconds(7200), run: "github run 812"),
            "last applied abc1234, 2 h ago, by github run 812"
        ),
        (
            LastApplied(commit: nil, committedAt: nil, at: ReportFixtures.now - .seconds(5), run: nil),
            "last applied 5 s ago"
        ),
        (
            LastApplied(commit: "v2", committedAt: nil, at: ReportFixtures.now + .seconds(5), run: nil),
            "last applied v2, 0 s ago"
        ),
    ])
    func theHeadSaysWhatWasAppliedLast(_ last: LastApplied, _ line: String) {
        let lines = text(ReportFixtures.plan([], lastApplied: last)).split(separator: "\n")
        #expect(lines[1] == line)
    }

    @Test func equalPlansAreTheSameText() {
        let plan = ReportFixtures.everyAction
        let other = Plan(
            workspace: plan.workspace, remote: plan.remote, desired: plan.desired, lastApplied: plan.lastApplied,
            createdAt: plan.createdAt, isSimulated: true, changes: plan.changes.reversed(),
            diagnostics: plan.diagnostics.reversed())
        #expect(text(plan) == text(other))
    }

    @Test func aSavedPlanIsShownAsItWas() throws {
        let plan = ReportFixtures.everyAction
        #expect(text(try Plan.read(saved: plan.savedBytes())) == text(plan))
    }

    @Test func thePlanAsJSONIsThePlanFile() {
        let plan = ReportFixtures.everyAction
        #expect(Array(Report.plan(plan).rendered(as: .json).utf8) == plan.savedBytes())
    }

    @Test func valuesThatWouldLookAlikeAreShownWhole() {
        let hash = String(repeating: "0", count: 58)
        let change = Change(
            kind: .deviceProfile, name: "x", action: .update, reason: .verbatim(""),
            before: ["a": .string("sha256:1f2a77\(hash)"), "expires": "2026-12-01T00:00:00Z"],
            after: ["a": .string("sha256:1f2a77\(hash.dropLast())1"), "expires": "2026-12-01T00:00:01Z"])
        let shown = text(ReportFixtures.plan([change]))
        #expect(shown.contains("a             sha256:1f2a77\(hash) → sha256:1f2a77\(hash.dropLast())1\n"))
        #expect(shown.contains("expires       2026-12-01T00:00:00Z → 2026-12-01T00:00:01Z\n"))
    }

    @Test func aDeliveryThatIsSetAnewForTheSameTimeShowsNoChangeOfIt() {
        let change = Change(
            kind: .campaign, name: "x", action: .reschedule, reason: .verbatim("its segment changed"),
            delivery: ReportFixtures.delivery(at: "2026-11-27T20:00:00+08:00"),
            before: ["at": "2026-11-27T12:00:00Z"], after: ["at": "2026-11-27T20:00:00+08:00", "window": "1h"])
        let lines = text(ReportFixtures.plan([change])).split(separator: "\n")
        #expect(lines[2].hasSuffix("rescheduled to 2026-11-27 20:00 +08:00, expires after 7d"))
        #expect(lines[3] == "      reason        its segment changed")
    }
}
