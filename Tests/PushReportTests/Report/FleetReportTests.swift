internal import Base
internal import Foundation
internal import ProgramTesting
internal import Push
internal import Testing

@testable internal import PushReport

/// One report on many workspaces.
@Suite struct FleetReportTests {
    private static func section(_ folder: String, _ report: Report, _ code: Int = 0, _ message: String? = nil)
        -> FleetReport.Section
    {
        FleetReport.Section(
            folder: folder, report: report, message: message, exitCode: code,
            ending: code == 3 ? .endedInvalid : code == 4 ? .endedCredentials : .endedWell, path: "apps/" + folder)
    }

    private static let findings: [Diagnostic] = [
        Diagnostic(
            .error, .unknownKey, "unknown key 'chanels'; did you mean 'channels'?",
            at: SourceRange(file: "apps/market/a.yaml", start: SourcePosition(line: 3, column: 1)))
    ]

    private static let plans = Report.fleet(
        FleetReport([
            section("herald", .plan(ReportFixtures.sample)),
            section("market", .diagnostics(findings), 3),
            section(
                "old", .diagnostics([]), 0, "removed since main; what waits at a service for its time is still sent"),
            section("quiet", .plan(ReportFixtures.plan([]))),
            section("stadium", .diagnostics([]), 4, "STADIUM_MASTER_KEY is not set"),
        ]))

    @Test(arguments: Language.allCases) func everyFormIsAsRecorded(_ language: Language) throws {
        for (format, ending) in [(ReportFormat.text, "txt"), (.markdown, "md"), (.json, "json"), (.github, "github")] {
            let text = Self.plans.rendered(as: format, options: ReportOptions(language: language))
            try expectGolden(text, "Fleet/plans.\(language.rawValue).\(ending)")
        }
    }

    @Test func theSentenceAddsUpThePlansAndNamesWhatIsWrong() {
        let text = Self.plans.rendered(as: .text)
        #expect(text.contains("Look at 2 of 5 workspaces: market, stadium."))
        let twice = FleetReport(["a", "b"].map { Self.section($0, .plan(ReportFixtures.sample)) })
        let summary = String(decoding: twice.summary(options: ReportOptions()), as: UTF8.self)
        #expect(summary.contains("sends 2 pushes to 24,690 devices now"), "\(summary)")
        #expect(summary.contains("2 pushes are blocked") && summary.contains("Nothing was wrong in 2 workspaces."))
        #expect(Report.fleet(FleetReport([])).rendered(as: .text) == "No workspace has changed.\n")
    }

    @Test func resultsAreAddedUp() {
        let report = ApplyReport(
            workspace: "giants", remote: ReportFixtures.remote(),
            results: [
                ApplyReport.Row(
                    kind: .campaign, name: "one", action: .send, result: .done,
                    figures: DeliveryFigures(devices: 1200, successes: 1200, invalidTokens: 0))
            ], exitCode: 0)
        let text = Report.fleet(FleetReport(["a", "b"].map { Self.section($0, .apply(report)) })).rendered(as: .text)
        #expect(text.contains("Applied: 2 pushes sent to 2,400 devices."), "\(text)")
    }

    @Test func theTableComesBeforeTheSections() throws {
        let text = Self.plans.rendered(as: .markdown)
        let places = try ["5 workspaces", "Look at 2 of 5", "<table>", "<summary>⚠️ herald", "<summary>⛔ market"]
            .map { try #require(text.range(of: $0)?.lowerBound, "\($0) in \(text)") }
        #expect(places == places.sorted())
        // What the row has said already has no section.
        #expect(!text.contains("<summary>✅ quiet") && !text.contains("<summary>⛔ stadium"))
    }

    @Test(arguments: [65_000, 20_000, 8_000, 3_000, 500], [1, 40, 400])
    func aCommentStaysUnderItsLimit(_ limit: Int, _ count: Int) {
        let sections = (0..<count).map { index in
            index % 10 == 3
                ? Self.section("app-\(index)", .diagnostics(Self.findings), 3)
                : Self.section("app-\(index)", .plan(ReportFixtures.review))
        }
        let text = Report.fleet(FleetReport(sections)).rendered(
            as: .markdown, options: ReportOptions(markdownLimit: limit))
        #expect(text.utf16.count <= limit || limit == 500)
        guard limit > 3_000, count > 3 else { return }
        #expect(text.contains("<summary>⛔ <code>app-3<"), "what is wrong comes in first")
        for name in ["details", "summary", "table", "tr", "td", "p", "h3"] {
            #expect(
                text.components(separatedBy: "<\(name)>").count == text.components(separatedBy: "</\(name)>").count
                    || name == "td")
        }
    }

    @Test(arguments: [0, 1, 5, 60]) func aPageIsWholeAndItsAnchorsAreEachOnce(_ count: Int) throws {
        let sections = (0..<count).map { Self.section("app-\($0)", .plan(ReportFixtures.review)) }
        let page = Report.fleet(FleetReport(sections)).rendered(as: .html)
        #expect(try PageCheck(page).problems == [])
        let ids = page.matches(of: /id="([^"]+)"/).map { String($0.output.1) }
        #expect(Set(ids).count == ids.count)
        for target in page.matches(of: /href="#([^"]+)"/) { #expect(ids.contains(String(target.output.1))) }
        #expect(page.utf8.count < 12_000_000)
    }

    @Test func aListKeepsEveryFileByteForByte() throws {
        let key = try #require(PlanKey(Secret(String(repeating: "k", count: 32))))
        let plan = ReportFixtures.sample.savedBytes(signedWith: key)
        let entries = ["a", "\"b\n\u{202E}", "c"].map {
            FleetFile.Entry(
                folder: $0, exitCode: $0 == "a" ? 0 : 3, message: $0 == "c" ? "no \"formatVersion\":" : nil,
                written: plan)
        }
        let bytes = FleetFile(entries).bytes
        #expect(try JSONValue(parsing: bytes).array?.count == 3)
        let read = try #require(try FleetFile.read(bytes))
        #expect(read.entries == entries)
        #expect(key.hasSigned(read.entries[1].written))
        #expect(try FleetFile.read(FleetFile([]).bytes)?.entries == [])
        #expect(try FleetFile.read(plan) == nil, "a plan alone is no list")
    }

    @Test func anAlteredListIsRefused() throws {
        let bytes = Self.plans.rendered(as: .json)
        #expect(try FleetFile.read(Array(bytes.utf8))?.entries.count == 5)
        for (from, to) in [
            ("\"exitCode\": 3", "\"exitCode\":3"), ("\"folder\": \"market\"", "\"folder\": \"herald\""), ("]\n", ""),
            ("\"folder\": \"market\",", "\"folder\": \"market\", \"folder\": \"x\","),
        ] {
            let altered = Array(bytes.replacing(from, with: to, maxReplacements: 1).utf8)
            #expect(altered != Array(bytes.utf8), "\(from)")
            #expect(throws: SavedFileError.self, "\(from)") { _ = try FleetFile.read(altered) }
        }
    }
}
