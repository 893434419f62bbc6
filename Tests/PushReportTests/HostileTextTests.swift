internal import Diagnostics
internal import JSONValue
internal import PushModel
internal import PushPlan
internal import PushReport
internal import Testing

/// What a file or an answer may hold to mislead a terminal, a log or a reader, in every field of every report.
@Suite struct HostileTextTests {
    static let texts = [
        "::error file=a::x", "\n::error::x", "\r\n##[error]x", "\u{1B}[2J\u{1B}]0;x\u{7}", "\u{202E}x\u{2066}",
        "a\u{2028}::warning::b\u{85}c\u{2029}", "   ::stop-commands::x", "##vso[task.x]", "%0A::error::x,title=y",
        "\u{FEFF}\u{200B}::error::", ":", "\t::debug::x", "\"},{\"x\":\"\\", "</script>```",
    ]

    static func reports(_ text: String) -> [Report] {
        let range = SourceRange(file: text, start: SourcePosition(line: 1, column: 3))
        let diagnostics = [
            Diagnostic(.error, .unknownKey, text, at: range, help: text, related: [.init(text, at: range)]),
            Diagnostic(.note, .quota, text),
        ]
        let remote = ReportFixtures.remote(title: text, name: text)
        let last = LastApplied(commit: text, committedAt: nil, at: ReportFixtures.now, run: text)
        let changes = Action.allCases.flatMap { action in
            [[], [Block(.newLedger, text)]].map { blocked in
                Change(
                    kind: .campaign, name: text, action: action, reason: text, file: text, line: 1,
                    delivery: ReportFixtures.delivery(at: "2026-11-27T20:00:00Z", expires: text),
                    audience: PlannedAudience(devices: nil, description: text),
                    before: [text: .string(text), "x": [.string(text)]], after: [text: "", "x": [1], "y": [text: 1]],
                    request: PushRequest(endpoint: .push, body: .string(text)), preview: text, blocked: blocked)
            }
        }
        return [
            .diagnostics(diagnostics),
            .plan(
                Plan(
                    workspace: text, remote: remote, desired: Digest(of: []), lastApplied: last,
                    createdAt: ReportFixtures.now, changes: changes, diagnostics: diagnostics)),
            .apply(
                ApplyReport(
                    workspace: text, remote: remote,
                    results: ChangeOutcome.allCases.map {
                        ApplyReport.Row(
                            kind: .channel, name: text, action: .create, result: $0, detail: text, objectID: text)
                    }, exitCode: 1)),
            .status(
                StatusReport(
                    workspace: text, remote: remote, lastApplied: last, now: ReportFixtures.now,
                    rows: [
                        StatusReport.Row(
                            campaign: text, revision: 1, state: .unknown, objectID: text, commit: text, reason: text)
                    ])),
        ]
    }

    private func lines(_ report: Report, _ format: ReportFormat, _ text: String) -> [Substring] {
        let options = ReportOptions(workspaceFolder: "", sourceLine: { _, _ in text })
        return report.rendered(as: format, options: options).split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test(arguments: texts, ReportFormat.allCases)
    func itStaysTextInItsLine(_ text: String, _ format: ReportFormat) throws {
        for (report, harmless) in zip(Self.reports(text), Self.reports("harmless")) {
            let lines = lines(report, format, text)
            #expect(lines.count == self.lines(harmless, format, "harmless").count)
            for line in lines {
                #expect(!line.unicodeScalars.contains(where: HiddenCharacters.contain))
                #expect(!line.contains("##[") && !line.contains("##vso["))
            }
        }
    }

    @Test(arguments: texts, [ReportFormat.text, .json])
    func noLineBeginsACommand(_ text: String, _ format: ReportFormat) {
        for report in Self.reports(text) {
            for line in lines(report, format, text) {
                #expect(!line.drop(while: \.isWhitespace).hasPrefix("::"))
            }
        }
    }

    @Test(arguments: texts)
    func annotationsHaveOnlyOurProperties(_ text: String) throws {
        for report in Self.reports(text) {
            for line in lines(report, .github, text) where !line.isEmpty {
                let parts = line.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
                try #require(parts.count == 3)
                #expect(parts[0] == "")
                let words = parts[1].split(separator: " ", maxSplits: 1)
                #expect(["error", "warning", "notice"].contains(words[0]))
                let names = words[1].split(separator: ",").map { $0.prefix { $0 != "=" } }
                #expect(Set(names).isSubset(of: ["file", "line", "col", "endLine", "endColumn", "title"]))
                #expect(Set(names).count == names.count)
            }
        }
    }

    @Test(arguments: texts)
    func jsonGivesItBackUnchanged(_ text: String) throws {
        let json = try Self.reports(text).map { try JSONValue(parsing: $0.rendered(as: .json)) }
        #expect(json[0]["diagnostics"]?.array?.first?["message"] == .string(text))
        #expect(json[1]["workspace"] == .string(text))
        #expect(json[2]["results"]?.array?.first?["detail"] == .string(text))
        #expect(json[3]["deliveries"]?.array?.first?["campaign"] == .string(text))
    }
}
