internal import Base
internal import Push
internal import PushReport
internal import Testing

/// `bugle history`.
@Suite struct HistoryReportTests {
    private let report = Report.history(ReportFixtures.history)

    @Test func theNewestComesFirstWithWhoAppliedItAndToHowMany() {
        #expect(
            report.rendered(as: .text) == """
                giants → production   LeanCloud · push.example.com
                applied since 2026-10-21 20:00 +08:00

                APPLIED +08:00    BY      CAMPAIGN          STATE      DEVICES  COMMIT
                2026-11-20 19:50  willie  everybody@1       refused          -  abc1234
                    RUN github run 812   REASON dev profile disabled for massive push
                2026-11-20 19:50  willie  season-tickets@1  scheduled        -  abc1234
                    RUN github run 812   AT +08:00 2026-11-21 20:00
                2026-11-19 20:00  hayes   giants-score@1    sent        12,345  abc1234
                    RUN github run 811

                3 deliveries: 1 scheduled, 1 sent, 1 refused.
                4 earlier deliveries: a longer --since lists them.

                """)
    }

    @Test func itIsInChineseToo() {
        let text = report.rendered(as: .text, options: ReportOptions(language: .chinese))
        #expect(
            text == """
                giants → production   LeanCloud · push.example.com
                自 2026年10月21日 20:00 +08:00 起执行

                执行时间 +08:00       执行人  推送活动          状态    设备数  提交
                2026年11月20日 19:50  willie  everybody@1       被拒绝       -  abc1234
                    运行 github run 812   原因 dev profile disabled for massive push
                2026年11月20日 19:50  willie  season-tickets@1  已定时       -  abc1234
                    运行 github run 812   时间 +08:00 2026年11月21日 20:00
                2026年11月19日 20:00  hayes   giants-score@1    已发送  12,345  abc1234
                    运行 github run 811

                共 3 次投递：已定时 1，已发送 1，被拒绝 1。
                更早还有 4 次投递：用更长的 --since 列出。

                """)
        #expect(text.split(separator: "\n").allSatisfy { DisplayWidth.of(String($0)) <= 80 })
    }

    @Test func noLineIsWiderThanATerminal() {
        var report = ReportFixtures.history
        let long = String(repeating: "巨人队比分更新", count: 30)
        report.rows += [
            ReportFixtures.applied(
                String(repeating: "n", count: 64), by: "the-team-of-the-giants[bot]", run: "github run 8123456",
                devices: 1_000_000_000,
                reason: .verbatim(long + " a-word-" + String(repeating: "w", count: 200) + " and the rest")
            ),
            ReportFixtures.applied("x", by: nil),
        ]
        for language in Language.allCases {
            let text = Report.history(report).rendered(as: .text, options: ReportOptions(language: language))
            for line in text.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 80, "\(line)") }
            #expect(text.contains(String(repeating: "n", count: 64)) && text.contains("github run 8123456"), "\(text)")
        }
    }

    @Test func anEmptyHistoryIsSaidWithWhatIsBefore() {
        var report = ReportFixtures.history
        report.rows = []
        let text = Report.history(report).rendered(as: .text)
        #expect(
            text.hasSuffix("\n\nNothing was applied.\n4 earlier deliveries: a longer --since lists them.\n"), "\(text)")
    }

    @Test func theTableIsForSpreadsheetsAndRunsNothing() throws {
        var report = ReportFixtures.history
        report.rows = [
            ReportFixtures.applied("=cmd|' /C calc'!A0", by: "@SUM(1+1)", run: "+1, \"two\"\nthree", devices: 7)
        ]
        let lines = Report.history(report).rendered(as: .csv).split(separator: "\r\n").map(String.init)
        #expect(
            lines == [
                "appliedAt,actor,campaign,revision,occurrence,state,at,devices,successes,invalidTokens,inDoubt,missed,"
                    + "tooLarge,heldOut,capped,simulated,commit,run,delivery,objectId,reason",
                "2026-11-20T12:00:00Z,'@SUM(1+1),'=cmd|' /C calc'!A0,1,,sent,2026-11-20T12:00:00Z,7,7,0,0,0,0,0,0,0,"
                    + "abc1234def5678abc1234def5678abc1234def56,\"'+1, \"\"two\"\"\\nthree\","
                    + "\(ReportFixtures.delivery().id.text),,",
            ], "\(lines)")
    }

    @Test func theJSONHasEveryDeliveryInOrderWithItsFigures() throws {
        let json = try JSONValue(parsing: report.rendered(as: .json))
        #expect(json["earlier"] == 4 && json["since"] == "2026-10-21T12:00:00Z")
        let rows = try #require(json["applied"]?.array)
        #expect(rows.map { $0["campaign"] } == ["everybody", "season-tickets", "giants-score"])
        #expect(rows.map { $0["actor"] } == ["willie", "willie", "hayes"])
        #expect(rows[2]["devices"] == 12_345 && rows[2]["appliedAt"] == "2026-11-19T12:00:00Z")
        #expect(rows[0]["reason"] == "dev profile disabled for massive push" && rows[0]["devices"] == .null)
    }

    @Test func otherReportsAreNoTable() {
        for report in [Report.status(ReportFixtures.status), .apply(ReportFixtures.results)] {
            #expect(report.rendered(as: .csv) == "")
        }
    }
}
