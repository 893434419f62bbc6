internal import Base
internal import ProgramTesting
internal import PushReport
internal import Testing

@testable internal import Push

/// Every report in Chinese; that English stays as it is, the other goldens say.
@Suite struct ChineseReportTests {
    static let reports: [(name: String, report: Report)] = [
        ("review", .plan(ReportFixtures.review)), ("everyAction", .plan(ReportFixtures.everyAction)),
        ("apply", .apply(ReportFixtures.results)), ("status", .status(ReportFixtures.status)),
    ]

    private static func rendered(_ report: Report, as format: ReportFormat) -> String {
        report.rendered(as: format, options: ReportOptions(language: .chinese))
    }

    @Test(arguments: reports.indices)
    func everyFormForPeopleIsAsRecorded(_ index: Int) throws {
        let (name, report) = Self.reports[index]
        for (format, ending) in [(ReportFormat.text, "txt"), (.markdown, "md"), (.html, "html")] {
            let text = Self.rendered(report, as: format)
            if format != .html || name == "review" { try expectGolden(text, "Chinese/\(name).\(ending)") }
            if format == .html {
                #expect(try PageCheck(text).problems == [] && text.contains("<html lang=\"zh-Hans\">"))
            }
        }
    }

    @Test(arguments: reports.indices)
    func whatMachinesReadIsTheSameInEveryLanguage(_ index: Int) {
        let report = Self.reports[index].report
        for format in [ReportFormat.json, .github, .sarif] {
            #expect(Self.rendered(report, as: format) == report.rendered(as: format))
        }
    }

    @Test func aPlanOfAThousandCampaignsFitsIntoAChineseCommentToo() {
        let changes = (0..<1000).map { index in
            Change(
                kind: .campaign, name: "routine-\(index)", action: .send, reason: Reason(.notDelivered),
                delivery: ReportFixtures.delivery(), audience: PlannedAudience(devices: 10, Reason(.everyone)))
        }
        for limit in [65_000, 5_000, 700] {
            let text = Report.plan(ReportFixtures.plan(changes)).rendered(
                as: .markdown, options: ReportOptions(language: .chinese, markdownLimit: limit))
            #expect(text.utf16.count <= limit)
            if limit > 1_000 { #expect(text.contains("推送一旦发出便无法撤回。") && text.contains("完整内容见 HTML 或 JSON 产物。")) }
        }
    }

    /// Ideographs mean nothing to any service; what does is a reference in Chinese too.
    @Test func whatCouldMeanAnythingIsCodeInAChineseCommentToo() {
        for text in [
            "通知 @all", "见 #12", "https://例.example", "提交 0123456789abcdef", "www.例", "见 GH-12", "：tada: :tada:",
            "AB2-15", "X_1-7", "*iteration:12", "~-x",
        ] {
            let change = Change(
                kind: .campaign, name: "x", action: .cancel, reason: .verbatim(text), preview: "今晚八点")
            let comment = Self.rendered(.plan(ReportFixtures.plan([change])), as: .markdown)
            #expect(comment.contains("<code>") && !comment.contains("<td>\(text)</td>"), "\(text)")
            #expect(comment.contains("“今晚八点”"))
        }
    }
}
