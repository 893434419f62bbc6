internal import PushReport
internal import Testing

@Suite struct PageTests {
    private static let reports: [(String, Report)] = [
        ("review", .plan(ReportFixtures.review)), ("everyAction", .plan(ReportFixtures.everyAction)),
        ("apply", .apply(ReportFixtures.results)), ("status", .status(ReportFixtures.status)),
    ]

    @Test(arguments: [ReportFormat.markdown, .html])
    func everyReportIsRenderedAsRecorded(_ format: ReportFormat) throws {
        for (name, report) in Self.reports {
            try expectGolden(report.rendered(as: format), "\(name).\(format == .html ? "html" : "md")")
        }
    }
}
