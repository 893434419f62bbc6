internal import Base
internal import Foundation
internal import PushReport
internal import Testing

@testable internal import Push

@Suite struct MarkdownTests {
    /// A plan of many changes, of which the last are the risky ones.
    private static func large(_ count: Int) -> Plan {
        let routine = (0..<count).map { index in
            Change(
                kind: .campaign, name: "routine-\(index)", action: .send, reason: .verbatim("new"),
                delivery: ReportFixtures.delivery(),
                audience: PlannedAudience(devices: 10, Audience(channels: ["A"]).reason),
                payload: PlannedPayload(bytes: 300, limit: 4096), request: ReportFixtures.request("Goal!"),
                preview: "Goal!")
        }
        let risky = [
            Change(
                kind: .campaign, name: "zz-everyone", action: .schedule, reason: .verbatim("new"),
                delivery: ReportFixtures.delivery(at: "2026-12-27T20:00:00Z"),
                audience: PlannedAudience(devices: 9_000, Audience(everyone: true, platforms: [.ios]).reason)),
            Change(kind: .campaign, name: "zz-unknown", action: .none, reason: .verbatim("nobody knows")),
            Change(
                kind: .channel, name: "zz-blocked", action: .delete, reason: .verbatim("gone"),
                blocked: [Block(.protected, .verbatim("it is protected"))]),
        ]
        var plan = ReportFixtures.plan(
            routine + risky, diagnostics: ReportFixtures.review.diagnostics.map { $0.map(\.text) })
        plan.calendar = ReportFixtures.review.calendar
        plan.certificates = ReportFixtures.review.certificates
        return plan
    }

    @Test(arguments: [65_000, 20_000, 5_000, 2_000, 700, 100])
    func aThousandCampaignsFitAndTheRiskyLead(_ limit: Int) throws {
        let text = Report.plan(Self.large(1000)).rendered(as: .markdown, options: ReportOptions(markdownLimit: limit))
        #expect(text.utf16.count <= limit)
        guard limit >= 5_000 else { return }
        let order = [
            "1 blocked", "A push cannot be taken back.", "zz-blocked", "zz-unknown", "zz-everyone", "routine-0",
        ]
        let places = try order.map { try #require(text.range(of: $0)?.lowerBound, "\($0)") }
        #expect(places == places.sorted())
        #expect(text.contains(/… [0-9,]+ more: [0-9,]+ to send; the full report is in the HTML or JSON artifact/))
        #expect(text.contains("1 warning") || text.contains("audience-at-firing"))
        #expect(text.contains("Calendar") && text.contains("Certificates"))
        if limit == 65_000 { #expect(text.utf16.count > 50_000) }
    }

    @Test func everyChangeIsWholeWhereThereIsRoom() {
        let text = Report.plan(Self.large(20)).rendered(as: .markdown)
        #expect(!text.contains("more:"))
        #expect((0..<20).allSatisfy { text.contains("routine-\($0)</code>") })
    }

    @Test func everyBlockThatIsOpenedIsClosed() throws {
        for count in [0, 1, 30, 200, 1000] {
            let text = Report.plan(Self.large(count)).rendered(as: .markdown)
            for name in ["details", "summary", "table", "tr", "td", "ul", "li", "p", "pre", "code", "b", "h3"] {
                let (opened, closed) = (
                    text.matches(of: try Regex("<\(name)[ >]")), text.matches(of: try Regex("</\(name)>"))
                )
                #expect(opened.count == closed.count, "\(name)")
            }
        }
    }

    @Test func aVeryLongTextIsCut() {
        let long = String(repeating: "北京 @a ", count: 50_000)
        let plan = ReportFixtures.plan([
            Change(
                kind: .campaign, name: long, action: .send, reason: .verbatim(long), preview: long,
                blocked: [Block(.protected, .verbatim(long))])
        ])
        #expect(Report.plan(plan).rendered(as: .markdown).utf16.count < 10_000)
    }

    @Test(arguments: [
        "It's 2–1! 50 % off, “today” only (20:00 +08:00); see you?", "新赛季门票开售：今晚 20:00！", "R&D, A/B, 3 < 4",
        "a @ b # c ~ d",
        "where scores = true", "2026-11-27 20:00 +08:00", "*bold* _it_ `code` [x]", "Привет — как дела?",

    ])
    func punctuationAndOtherScriptsAreNotCode(text: String) {
        let plan = ReportFixtures.plan([
            Change(kind: .campaign, name: "x", action: .cancel, reason: .verbatim(text), preview: text)
        ])
        let comment = Report.plan(plan).rendered(as: .markdown)
        #expect(!comment.contains("<td><code>") && !comment.contains("“<code>"))
    }

    @Test func theTextIsSeenWithoutAClick() throws {
        let comment = Report.plan(ReportFixtures.review).rendered(as: .markdown)
        let row = try #require(comment.firstMatch(of: /<tr><td>⚠️ <b>everyone<\/b>.*?<\/tr>/))
        #expect(row.output.contains("<br/>“新赛季门票开售”") && row.output.contains("812,000"))
        let fold = try #require(comment.range(of: "<details>"))
        #expect(row.range.lowerBound < fold.lowerBound)
    }

    /// Five pushes that quiet hours block are five rows with a word, and one sentence.
    @Test func whatBlocksSeveralIsSaidOnce() throws {
        let reason = Reason(.quietNow, .text("22:00–08:00 Asia/Shanghai"))
        let changes = (0..<5).map { index in
            Change(
                kind: .campaign, name: "night-\(index)", action: .send, reason: .verbatim("new"),
                delivery: ReportFixtures.delivery(),
                audience: PlannedAudience(devices: 10, Audience(channels: ["A"]).reason),
                blocked: [Block(.quietHours, reason)] + (index == 0 ? [Block(.minAudience, .verbatim("too few"))] : []))
        }
        let plan = ReportFixtures.plan(changes)
        for (language, word) in [(Language.english, "quiet hours"), (.chinese, "免打扰时段")] {
            let options = ReportOptions(language: language)
            let comment = Report.plan(plan).rendered(as: .markdown, options: options)
            let said = language.say(reason)
            #expect(comment.split(separator: "</table>").dropFirst().joined().components(separatedBy: said).count == 2)
            #expect(comment.components(separatedBy: "<td>⛔ \(word)<").count == 6)
            let page = Report.plan(plan).rendered(as: .html, options: options)
            #expect(page.components(separatedBy: said).count == 2, "\(language)")
        }
    }

    @Test func aLongWarningIsNoCodeButTheWordsThatAServiceWouldLink() {
        let text = "stage 1 of giants-1 has about 50 devices: see https://example.com/a, or ask @ops; it will hold"
        let plan = ReportFixtures.plan([], diagnostics: [Diagnostic(.warning, .smallStage, text)])
        let comment = Report.plan(plan).rendered(as: .markdown)
        #expect(comment.contains("stage 1 of <code>giants-1</code> has about 50 devices: see <code>https"))
        #expect(comment.contains("</code>, or ask <code>&#64;ops</code>; it will hold"))
    }

    /// One line a pair, after everything else, and none of them twice.
    @Test func pairsThatAreTooCloseStandAtTheEnd() throws {
        var plan = ReportFixtures.review
        plan.diagnostics += [
            PlanDiagnostic(
                .warning, .collision,
                Reason(
                    .get, .count(81), .text("tickets"),
                    .reason(Reason(.after, .age(seconds: 1800), .text("everyone"))))),
            PlanDiagnostic(
                .warning, .collision,
                Reason(
                    .get, .count(9), .text("derby"),
                    .reason(Reason(.after, .age(seconds: 300), .reason(Reason(.delivered, .text("old"))))))),
        ]
        for (format, end) in [(ReportFormat.markdown, "</li>"), (.html, "</bdi></li>")] {
            let text = Report.plan(plan).rendered(as: format)
            let pair = try #require(text.range(of: "everyone and tickets: 30 min apart, 81 devices\(end)"))
            #expect(try #require(text.range(of: "audience-at-firing")).lowerBound < pair.lowerBound)
            #expect(!text.contains("30 min after everyone") && text.contains("after the delivered old"))
        }
    }
}
