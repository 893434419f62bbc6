internal import Base
internal import Foundation
internal import ProgramTesting
internal import Push
internal import Testing

@testable internal import PushReport

@Suite struct ApplyReportTests {
    private let report = Report.apply(ReportFixtures.results)

    @Test func everyResultIsPrinted() {
        #expect(
            report.rendered(as: .text) == """
                giants → production   LeanCloud · push.example.com

                  ✓ channel Mets           created
                  ✓ campaign giants-score  sent, 12,345 devices
                  ✗ campaign refused       refused: dev profile disabled for massive push
                  ✗ campaign failed        failed: no answer
                  ? campaign lost          unknown
                  · campaign later         skipped: an earlier send failed

                Applied: 2 done, 1 refused, 1 failed, 1 unknown, 1 skipped.
                Find out what happened, then:
                bugle resolve CAMPAIGN --as sent|unsent|proceed|abandoned --reason TEXT

                """)
    }

    @Test func aLongOutcomeStandsUnderTheNameInWholeWords() {
        var report = ReportFixtures.results
        report.results[1].name = String(repeating: "n", count: 64)
        report.results[2].detail = .verbatim(
            "nobody knows what happened; 'bugle resolve giants-score@1 --as sent|unsent --reason TEXT' tells")
        report.results[3].detail = .verbatim(String(repeating: "推送服务没有回答，请查明结果。", count: 12))
        report.results[4].detail = .verbatim(String(repeating: "w", count: 300))
        for language in Language.allCases {
            let text = Report.apply(report).rendered(as: .text, options: ReportOptions(language: language))
            let lines = text.split(separator: "\n").map(String.init)
            for line in lines { #expect(DisplayWidth.of(line) <= 80, "\(line)") }
            let command = "      'bugle resolve giants-score@1 --as sent|unsent --reason TEXT'"
            #expect(lines.contains { $0.hasPrefix(command) }, "\(text)")
        }
        let ascii = Report.apply(report).rendered(
            as: .text, options: ReportOptions(style: TextStyle(usesUnicode: false)))
        #expect(ascii.split(separator: "\n").allSatisfy { DisplayWidth.of(String($0)) <= 80 })
    }

    @Test func whatIsDueNextIsSaid() {
        var report = ReportFixtures.results
        report.next = .init(campaign: "season-tickets", at: OffsetInstant("2026-11-27T20:00:00+08:00")!)
        for form in [ReportFormat.text, .markdown, .html] {
            let text = Report.apply(report).rendered(as: form)
            #expect(text.contains("Next: season-tickets, 2026-11-27 20:00 +08:00."), "\(text)")
        }
    }

    /// What a comment shows is read from this file.
    @Test func whatWasWrittenIsReadBack() throws {
        var report = ReportFixtures.results
        report.results[1].figures = DeliveryFigures(
            devices: 500, successes: 490, invalidTokens: 1, inDoubt: 4, missed: 12, simulated: 9,
            leftOut: [.heldOut: 650, .capped: 2104, .tooLarge: 3, .stale: 20_000])
        report.results[1].page = "https://push.example.com/console/pushes/5f0b"
        report.results[1].occurrence = CivilDate("2026-11-20")
        report.next = .init(campaign: "season-tickets", at: OffsetInstant("2026-11-27T20:00:00+08:00")!)
        (report.language, report.waiting) = (.chinese, 3)
        let bytes = Report.apply(report).bytes(as: .json)
        var read = try ApplyReport.read(bytes)
        #expect(Report.apply(read).bytes(as: .json) == bytes)
        read.remote = report.remote
        #expect(read == report)
    }

    @Test(arguments: [
        ("", "JSON"), ("[]", "wrong type"), ("{}", "formatVersion is missing"),
        (#"{"formatVersion":"9.0"}"#, "formatVersion has a value"),
        (
            #"{"formatVersion":"1.0","tool":"x","workspace":"w","remote":"r","results":[{"kind":"Campaign","name":7}]}"#,
            "results[0]"
        ),
        (
            #"{"formatVersion":"1.0","tool":"x","workspace":"w","remote":"r","results":[{"kind":"Campaign","name":"a","#
                + #""action":"send","result":"done","figures":{"devices":9223372036854775807}}]}"#, "devices"
        ),
    ])
    func whatIsNoResultIsRefused(_ text: String, _ because: String) {
        do {
            _ = try ApplyReport.read(Array(text.utf8))
            Issue.record("\(text) was read")
        } catch {
            #expect(error.text(in: "it").contains(because), "\(error.text(in: "it"))")
        }
    }

    @Test func aCommentBeginsWithWhatWasSentAndLinksThePushes() {
        var report = ReportFixtures.results
        report.results[1].page = "https://push.example.com/console/pushes/5f0b?a=1&b=2"
        report.results[1].figures?.inDoubt = 12
        report.results[2].page = "https://push.example.com/\"><img src=x>"
        let text = Report.apply(report).rendered(as: .markdown)
        #expect(
            text.contains(
                "<b>Applied: 1 push sent to 12,345 devices, 1 created, 1 refused, 1 failed, 1 unknown, 1 skipped, "
                    + "12 in doubt.</b>"), "\(text)")
        #expect(
            text.contains("<a href=\"https://push.example.com/console/pushes/5f0b?a=1&amp;b=2\">✅ giants-score</a>"),
            "\(text)")
        #expect(text.components(separatedBy: "<a ").count == 2 && !text.contains("<img"), "a link that ends is none")
        let order = ["⚠️ lost", "⛔ refused", "⛔ failed", "⚠️ later", "✅ channel Mets"].map {
            text.range(of: $0)!.lowerBound
        }
        #expect(order == order.sorted(), "what a person must look at comes first")
    }

    @Test func theJSONHasEveryResultAndTheExitCode() throws {
        try expectGolden(report.rendered(as: .json), "apply.json")
    }

    @Test func githubIsToldWhatWasNotDone() {
        #expect(
            report.rendered(as: .github) == """
                ::error title=refused::campaign refused: send refused: dev profile disabled for massive push
                ::error title=failed::campaign failed: cancel failed: no answer
                ::error title=unknown::campaign lost: schedule unknown
                ::warning title=skipped::campaign later: send skipped: an earlier send failed

                """)
    }

    @Test func devicesThatAreSimulatedAreCalledSo() {
        var report = ReportFixtures.results
        report.results[1].figures = DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0, simulated: 1)
        #expect(Report.apply(report).rendered(as: .text).contains("  sent, 1 simulated device\n"))
        report.results[1].figures?.devices = 2
        #expect(Report.apply(report).rendered(as: .text).contains("  sent, 2 devices, 1 simulated device\n"))
    }

    @Test func whatReachedNobodyIsNotCalledSent() {
        let reason = Reason(Reason.Result.notSent, .reason(Reason(Reason.Result.nobodyWasIn)))
        var row = ReportFixtures.results.results[1]
        (row.detail, row.figures) = (
            reason, DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0, leftOut: [.capped: 50])
        )
        var report = ReportFixtures.results
        report.results = [row]
        let text = Report.apply(report).rendered(as: .text)
        #expect(text.contains("✓ campaign giants-score  not sent: nobody was in its audience, 50 capped"), "\(text)")
        let comment = Report.apply(report).rendered(as: .markdown)
        #expect(comment.contains("Applied: nothing sent, 1 done."), "\(comment)")
        #expect(!comment.contains("| sent"), "\(comment)")
    }

    @Test(arguments: [
        (Action.send, ChangeOutcome.unknown, "1 push sent to 1,167 devices, 1 unknown, 3 in doubt"),
        (.resume, .partly, "1 push sent to 1,167 devices, 1 in part, 3 in doubt"),
        (.reschedule, .done, "1 push sent to 99,988 devices, 3 in doubt"),
    ])
    func whatSomeDevicesGotIsNotCalledUnsent(_ action: Action, _ result: ChangeOutcome, _ sentence: String) {
        var report = ReportFixtures.results
        let figures = DeliveryFigures(devices: 100_000, successes: 1_164, invalidTokens: 0, inDoubt: 3, missed: 12)
        report.results = [
            ApplyReport.Row(kind: .campaign, name: "derby", action: action, result: result, figures: figures)
        ]
        let comment = Report.apply(report).rendered(as: .markdown)
        #expect(comment.contains("Applied: \(sentence)."), "\(comment)")
    }

    @Test(arguments: [
        (Action.send, ChangeOutcome.unknown, Reason.verbatim("no answer"), "1 unknown"),
        (.send, .failed, Reason(Reason.Result.continuesThere), "1 failed"),
        (.send, .failed, .verbatim("no answer"), "nothing sent, 1 failed"),
        (Action.none, .unknown, .verbatim("no answer"), "nothing sent, 1 unknown"),
    ])
    func nothingIsCalledUnsentOfWhichNobodyKnowsThat(
        _ action: Action, _ result: ChangeOutcome, _ detail: Reason, _ sentence: String
    ) {
        var report = ReportFixtures.results
        report.results = [
            ApplyReport.Row(kind: .campaign, name: "derby", action: action, result: result, detail: detail)
        ]
        let comment = Report.apply(report).rendered(as: .markdown)
        #expect(comment.contains("Applied: \(sentence)."), "\(comment)")
    }

    @Test func everyLineNamesWhomRulesLeftOutAndWhoWasMissed() throws {
        var report = ReportFixtures.results
        report.results[1].figures = DeliveryFigures(
            devices: 500, successes: 490, invalidTokens: 0, missed: 12,
            leftOut: [.heldOut: 650, .capped: 2104, .tooLarge: 3, .stale: 20_000])
        report.results[5].figures = DeliveryFigures(
            devices: 0, successes: 0, invalidTokens: 0, leftOut: [.capped: 50])
        let lines: [(Language, String, String)] = [
            (
                .english,
                "sent, 500 devices, 650 held out, 2,104 capped, 3 too large with values of their own, 12 missed",
                "skipped, 0 devices, 50 capped: an earlier send failed"
            ),
            (.chinese, "500 台设备，对照组 650 台，频次已满 2,104 台，3 台代入字段值后过大，错过 12 台", "0 台设备，频次已满 50 台："),
        ]
        for (language, sent, skipped) in lines {
            let text = Report.apply(report).rendered(as: .text, options: ReportOptions(language: language))
                .replacing(/\n      ?(?=\S)/, with: language == .english ? " " : "").replacing("    ", with: "")
            #expect(text.contains(sent) && text.contains(skipped), "\(language): \(text)")
        }
        for format in [ReportFormat.markdown, .html] {
            let text = Report.apply(report).rendered(as: format)
            for part in [
                "650 held out; 2,104 capped; 3 too large with values of their own; 12 missed",
                "50 capped; an earlier send failed",
            ] {
                #expect(text.contains(part), "\(format): \(text)")
            }
        }
        let json = try JSONValue(parsing: Report.apply(report).rendered(as: .json))
        let figures = json["results"]?.array?[1]["figures"]
        #expect(figures?["leftOut"] == ["heldOut": 650, "capped": 2104, "tooLarge": 3, "stale": 20_000])
        #expect(figures?["missed"] == 12 && figures?["capped"] == 2104)
    }

    @Test func nothingToApplyIsSaid() {
        let report = Report.apply(
            ApplyReport(workspace: "giants", remote: ReportFixtures.remote(), results: [], exitCode: 0))
        #expect(report.rendered(as: .text).hasSuffix("\n\nNothing to apply: production matches the workspace.\n"))
        let waits = Report.apply(
            ApplyReport(workspace: "giants", remote: ReportFixtures.remote(), results: [], waiting: 2, exitCode: 0))
        #expect(waits.rendered(as: .text).hasSuffix("\n\nNothing to apply now: 2 waiting.\n"))
        let unasked = Report.apply(
            ApplyReport(workspace: "giants", remote: ReportFixtures.remote(), results: [], exitCode: 10))
        #expect(unasked.rendered(as: .text).hasSuffix("\n\nNothing was changed.\n"))
    }

    @Test(arguments: ReportFormat.allCases.filter { $0 != .sarif && $0 != .csv && $0 != .svg })
    func whatGoesOnByDesignIsSaidInsteadOfSkipped(_ form: ReportFormat) throws {
        var report = ReportFixtures.results
        let detail = "stage 1 of 3 sent, 627 devices; judged at 2026-11-24T19:26:02Z, next: bugle apply --due"
        report.results[1].result = .ongoing
        report.results[1].detail = .verbatim(detail)
        let text = Report.apply(report).rendered(as: form)
        // It is nothing that a pull request is told of.
        #expect(text.replacing("\n      ", with: " ").contains(detail) == (form != .github))
        if form == .text { #expect(text.contains("▶") && text.contains("1 ongoing")) }
        if form == .json { #expect(text.contains("\"result\": \"ongoing\"")) }
    }

    @Test func whatGoesOnByDesignNamesWhomRulesLeftOutBehindItsCommand() {
        var report = ReportFixtures.results
        report.results[1].result = .ongoing
        report.results[1].detail = .verbatim("stage 1 of 3 sent, 627 devices; next: bugle apply --due")
        report.results[1].figures?.leftOut = [.capped: 50]
        for (language, ending) in [(Language.english, "--due;50capped"), (.chinese, "--due；频次已满50台")] {
            let text = Report.apply(report).rendered(as: .text, options: ReportOptions(language: language))
            #expect(text.filter { !$0.isWhitespace }.contains(ending), "\(text)")
        }
    }

    @Test func whatWasDoneInPartIsSaidSo() {
        var report = ReportFixtures.results
        report.results[1].result = .partly
        #expect(Report.apply(report).rendered(as: .text).contains("1 in part"))
        #expect(Report.apply(report).rendered(as: .github).contains("::warning title=partly::"))
    }

    @Test func theResultOfAChangeBearsItsNames() {
        let change = ReportFixtures.sample.changes[2]
        let result = ApplyReport.Row(of: change, .done, objectID: "x")
        #expect(result.name == change.name && result.action == .send && result.delivery == change.delivery?.id)
    }
}

@Suite struct StatusReportTests {
    private let report = Report.status(ReportFixtures.status)

    @Test func everyDeliveryIsARow() {
        #expect(
            report.rendered(as: .text) == """
                giants → production   LeanCloud · push.example.com
                last applied v1.2, 45 s ago

                CAMPAIGN        REVISION  STATE    AT UTC            DEVICES  SUCCESSES  INVALID
                巨人得分              12  sent     2026-11-20 12:00   12,345     12,000        3
                    PUSH 5f0b1c2d   COMMIT abc1234
                season-tickets         1  unknown  2026-11-20 12:00        -          -        -
                    REASON no answer\\nat all

                2 deliveries: 1 sent, 1 unknown.

                """)
    }

    @Test func whatTheServiceHasNotHandedOnIsCountedAsItsRowSays() {
        var report = ReportFixtures.status
        report.rows[0].wait = .verbatim("the server waits")
        let text = Report.status(report).rendered(as: .text)
        #expect(text.contains("  ongoing  ") && text.hasSuffix("\n\n2 deliveries: 1 unknown, 1 ongoing.\n"), "\(text)")
    }

    @Test func theVerdictsOnStagesAreATableWithTheirNumbers() {
        var report = ReportFixtures.status
        let (go, halt) = (
            StageVerdict(
                stage: 1, decision: .go, at: ReportFixtures.now,
                answers: .init(accepted: 1200, refused: 1, deadTokens: 3, inDoubt: 0),
                rule: Reason(.noRatePassed, .count(1204))),
            StageVerdict(
                stage: 2, decision: .halt, at: ReportFixtures.now + .seconds(1800),
                answers: .init(accepted: 11_000, refused: 400, deadTokens: 30, inDoubt: 2),
                rule: Reason(
                    .ratePassed, .text("refused"), .count(400), .count(11_430), .text("3.1%"), .text("2%")))
        )
        report.rows[0].state = .halted
        report.rows[0].figures?.verdicts = [go, halt]
        let text = Report.status(report).rendered(as: .text)
        #expect(
            text.contains(
                """
                STAGE  VERDICT  AT UTC            SUCCESSES  REFUSED  INVALID
                """), "\(text)")
        #expect(
            text.contains(
                "2  halt     2026-11-20 12:30     11,000      400       30\n    IN DOUBT 2   REASON refused is 400 of "
                    + "11,430, at least 3.1%, above 2%\n"), "\(text)")
        let chinese = Report.status(report).rendered(as: .text, options: ReportOptions(language: .chinese))
        #expect(chinese.contains("中止") && chinese.contains("refused 为 400 / 11,430，至少 3.1%，超过上限 2%"), "\(chinese)")
        let page = Report.status(report).rendered(as: .html)
        #expect(page.contains("1,204 answers, no rate passes its limit") && page.contains("Verdicts on stages"))
    }

    @Test func onlyTheLastDaysOfARecurringCampaignAreShownUnlessSomethingIsOpen() throws {
        var report = ReportFixtures.status
        report.rows = (1...30).map { day in
            StatusReport.Row(
                campaign: "daily", revision: 1, occurrence: CivilDate("2026-11-\(day < 10 ? "0" : "")\(day)"),
                state: day == 3 ? .unknown : .sent)
        }
        let text = Report.status(report).rendered(as: .text)
        for day in ["2026-11-03", "2026-11-26", "2026-11-30"] { #expect(text.contains(day), "\(day)") }
        for day in ["2026-11-01", "2026-11-04", "2026-11-25"] { #expect(!text.contains(day), "\(day)") }
        #expect(text.contains("24 more") && text.contains("30 deliveries: 29 sent, 1 unknown."), "\(text)")
        let rows = try #require(try JSONValue(parsing: Report.status(report).rendered(as: .json))["deliveries"]?.array)
        #expect(rows.count == 30)
    }

    @Test func whatWasSimulatedIsCalledSo() {
        var report = ReportFixtures.status
        report.rows[0].figures = DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0, simulated: 12_345)
        #expect(Report.status(report).rendered(as: .text).contains("2026-11-20 12:00  12,345 simulated"))
        report.rows[0].figures?.devices = 2
        #expect(Report.status(report).rendered(as: .text).contains("  2 and 12,345 simulated\n"))
        let chinese = Report.status(report).rendered(as: .text, options: ReportOptions(language: .chinese))
        #expect(chinese.contains("  2 与模拟 12,345"), "\(chinese)")
    }

    @Test func columnsWithoutATextAreLeftOut() {
        var report = ReportFixtures.status
        for index in report.rows.indices {
            (report.rows[index].figures, report.rows[index].objectID, report.rows[index].reason) = (nil, nil, nil)
        }
        for form in [ReportFormat.text, .markdown, .html] {
            let text = Report.status(report).rendered(as: form)
            for heading in ["DEVICES", "SUCCESSES", "INVALID", "PUSH", "REASON"] { #expect(!text.contains(heading)) }
            #expect(text.contains("COMMIT"))
        }
    }

    @Test func timesAreByTheZonesClock() {
        var report = ReportFixtures.status
        report.zone = ZoneClock("Asia/Shanghai")
        let text = Report.status(report).rendered(as: .text)
        #expect(text.contains("AT +08:00 ") && text.contains("  2026-11-20 20:00 "), "\(text)")
        let chinese = Report.status(report).rendered(as: .text, options: ReportOptions(language: .chinese))
        #expect(chinese.contains("时间 +08:00") && chinese.contains("2026年11月20日 20:00"), "\(chinese)")
        // Where clocks changed between the rows, each time has its own offset.
        report.zone = ZoneClock("America/New_York")
        report.rows[1].at = Instant("2026-10-20T12:00:00Z")
        let changed = Report.status(report).rendered(as: .text)
        #expect(
            changed.contains("2026-11-20 07:00 -05:00") && changed.contains("2026-10-20 08:00 -04:00"), "\(changed)")
        #expect(!changed.contains("AT -"))
    }

    @Test func noLineIsWiderThanATerminal() {
        var report = ReportFixtures.status
        report.rows[0].campaign = String(repeating: "n", count: 64)
        report.rows[0].figures = DeliveryFigures(
            devices: 1_000_000, successes: 1_000_000, invalidTokens: 1_000_000, inDoubt: 5, missed: 6, simulated: 1681,
            verdicts: [
                StageVerdict(
                    stage: 1, decision: .halt, at: ReportFixtures.now,
                    answers: .init(accepted: 11_000, refused: 400, deadTokens: 30, inDoubt: 2),
                    rule: .verbatim(
                        "refused is 400 of 11,430, at least 3.1%, above 2%, which ends the rollout for every device"))
            ], leftOut: [.capped: 7, .heldOut: 8, .tooLarge: 9])
        report.rows[1].reason = .verbatim(
            String(repeating: "推送服务没有回答，", count: 20) + String(repeating: "w", count: 300))
        for language in Language.allCases {
            for isUnicode in [true, false] {
                let options = ReportOptions(language: language, style: TextStyle(usesUnicode: isUnicode))
                let text = Report.status(report).rendered(as: .text, options: options)
                for line in text.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 80, "\(line)") }
                for part in ["1,681", "5f0b1c2d", "abc1234"] { #expect(text.contains(part), "\(text)") }
            }
        }
    }

    @Test func theJSONHasEveryDelivery() throws {
        try expectGolden(report.rendered(as: .json), "status.json")
    }

    @Test func githubIsToldWhatIsUnknown() {
        #expect(
            report.rendered(as: .github)
                == "::warning title=outcome unknown::campaign season-tickets, revision 1: outcome unknown: "
                + "no answer\\nat all\n")
    }

    @Test func anEmptyLedgerIsSaid() {
        let status = StatusReport(
            workspace: "giants", remote: ReportFixtures.remote(), now: ReportFixtures.now, rows: [])
        #expect(Report.status(status).rendered(as: .text).hasSuffix("\n\nNothing was delivered yet.\n"))
    }

    @Test func eventsAreShownWithTheirShareOfTheAcceptedDevices() throws {
        var row = StatusReport.Row(
            campaign: "x", revision: 1, state: .sent,
            figures: DeliveryFigures(devices: 2100, successes: 2000, invalidTokens: 0))
        let status = { (row: StatusReport.Row) in
            Report.status(
                StatusReport(
                    workspace: "giants", remote: ReportFixtures.remote(), now: ReportFixtures.now, rows: [row]))
        }
        #expect(!status(row).rendered(as: .text).contains("OPENED"))
        row.events = EventFigures(parts: [
            .init(number: 1, form: 0, received: 1500, opened: 20), .init(number: 2, form: 1, received: 0, opened: 10),
        ])
        let text = status(row).rendered(as: .text)
        #expect(text.contains("1,500 (75 %)") && text.contains("30 (1.5 %)") && !text.contains("DISMISSED"), "\(text)")
        let json = try JSONValue(parsing: status(row).rendered(as: .json))
        let events = json["deliveries"]?.array?.first?["events"]
        #expect(events?["received"] == 1500 && events?["opened"] == 30 && events?["dismissed"] == 0)
        #expect(events?["parts"]?.array?.map { $0["opened"] } == [20, 10])
        row.figures = nil
        #expect(status(row).rendered(as: .text).contains("1,500 "))
    }

    @Test func aRowIsMadeOfALedgerEntry() {
        let id = ReportFixtures.delivery().id
        let entry = LedgerEntry(
            delivery: id, generation: 0, notificationID: id, workspace: "giants", campaign: "x", revision: 3,
            state: .scheduled, request: nil, fingerprint: Digest(of: []), content: Digest(of: []), encoder: 1,
            intendedAt: ReportFixtures.now, scheduledAt: ReportFixtures.now + .seconds(9), window: .seconds(1),
            fence: 1, provenance: Provenance(commit: "abc"))
        let row = StatusReport.Row(of: entry)
        #expect(row.at == entry.scheduledAt && row.commit == "abc" && row.revision == 3 && row.figures == nil)
    }
}
