internal import Base
internal import Foundation
internal import ProgramTesting
internal import PushReport
internal import Testing

@testable internal import Push

@Suite struct PageTests {
    static let reports: [(String, Report)] = [
        ("review", .plan(ReportFixtures.review)), ("everyAction", .plan(ReportFixtures.everyAction)),
        ("apply", .apply(ReportFixtures.results)), ("status", .status(ReportFixtures.status)),
        (
            "diagnostics",
            .diagnostics(
                (ReportFixtures.everyAction.diagnostics + ReportFixtures.review.diagnostics).map { $0.map(\.text) })
        ),
    ]

    @Test(arguments: [ReportFormat.markdown, .html, .github])
    func everyReportIsRenderedAsRecorded(_ format: ReportFormat) throws {
        let endings: [ReportFormat: String] = [.markdown: "md", .html: "html", .github: "github"]
        for (name, report) in Self.reports {
            let text = report.rendered(as: format)
            // One page is kept whole, of the others what stands in them: the style would be said five times.
            try expectGolden(
                format == .html && name != "review" ? Self.contents(of: text) : text,
                "\(name).\(endings[format] ?? "")")
        }
    }

    private static func contents(of page: String) throws -> String {
        let start = try #require(page.range(of: "<header"))
        let end = try #require(page.range(of: "<footer"))
        return String(page[start.lowerBound..<end.lowerBound])
    }

    @Test(arguments: reports.indices)
    func aPageIsWellFormedAndLoadsNothing(_ index: Int) throws {
        let page = try PageCheck(Self.reports[index].1.rendered(as: .html))
        #expect(page.problems == [])
        #expect(page.elements.contains { $0.attributes["http-equiv"] == "Content-Security-Policy" })
    }

    @Test func theCheckerFindsWhatItLooksFor() throws {
        func problems(_ body: String) throws -> [String] {
            try PageCheck("<!DOCTYPE html>\n<html><h1 id=\"a\">x</h1>\(body)</html>").problems
        }
        #expect(try problems("<p>x</p>") == [])
        for body in [
            "<p id=\"a\">x</p>", "<p onclick=\"x\">x</p>", "<a href=\"https://x.y\">x</a>", "<a href=\"#b\">x</a>",
            "<script>x</script>", "<p style=\"background: url(x)\">x</p>", "<style>@import x</style>", "<h1>x</h1>",
        ] { #expect(try problems(body) != [], "\(body)") }
        for body in ["<p>", "</p>", "<p a=b>x</p>", "<br>", "<p>a & b</p>", "<p a=\"1\" a=\"2\">x</p>", "x > y"] {
            #expect(throws: PageCheck.Problem.self, "\(body)") { try problems(body) }
        }
    }

    /// Days beside each other: as many as there must be, and what is later stands at the edge.
    @Test(arguments: [
        (["2026-11-20T20:00:00+08:00", "2026-11-26T02:00:00+08:00"], 7, 2),
        (["2026-11-20T20:00:00+08:00", "2026-11-27T02:00:00+08:00"], 14, 2),
        (["2026-11-20T20:00:00+08:00", "2026-12-20T23:59:00+08:00"], 31, 2),
        (["2026-11-20T20:00:00+08:00", "2026-11-21T02:00:00+08:00", "2035-10-12T10:00:00+08:00"], 7, 2),
    ])
    func theCalendarHasAColumnForEachDay(_ times: [String], _ days: Int, _ dots: Int) throws {
        var plan = ReportFixtures.review
        plan.calendar.entries = try times.map { time in
            PlanCalendar.Entry(campaign: time, action: .send, at: try #require(OffsetInstant(time)))
        }
        let page = try PageCheck(Report.plan(plan).rendered(as: .html))
        func count(_ name: String) -> Int {
            page.elements.count { ($0.attributes["class"] ?? "").split(separator: " ").contains(Substring(name)) }
        }
        #expect(count("day") == days && count("dot") == dots && count("track-row") == times.count)
        #expect(count("later") == times.count - dots)
        let places = page.elements.filter { ($0.attributes["class"] ?? "").hasPrefix("dot") }
            .compactMap { $0.attributes["style"].flatMap { Double($0.filter { $0.isNumber || $0 == "." }) } }
        // The first is sent at eight in the evening of the first day, which is now.
        let evening = 20.0 / 24 / Double(days) * 100
        #expect(places.count == dots && abs(places[0] - evening) < 0.01 && places == places.sorted())
        #expect(page.elements.contains { ($0.attributes["style"] ?? "").contains("--now: \(Self.text(evening))%") })
    }

    private static func text(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }

    @Test func theCalendarGoesByTheClocksOfMostDevicesAndMarksWhatIsTooClose() throws {
        let page = Report.plan(ReportFixtures.review).rendered(as: .html)
        #expect(page.contains("Days and times of Asia/Shanghai, where most of the devices are."))
        #expect(page.contains("var(--quiet-ground) 0.00% 2.38%, transparent 2.38% 6.55%"))
        #expect(page.contains(#"<bdi dir="auto">everyone</bdi> <span class="beside">11-27 20:00</span>"#))
        #expect(page.contains("2026-11-27 04:00 -08:00 America/Los_Angeles, 250 devices (in quiet hours)"))
        #expect(page.matches(of: /class="dot is-go hits"/).count == 2)
    }

    /// As many campaigns as one reviews at most; their height is measured in a browser.
    @Test func aPageSaysTheVerdictThenThePushesThenWarnings() throws {
        let page = Report.plan(ReportFixtures.review).rendered(as: .html)
        let order = [
            "Merging sends 1 push to 12,345 devices now", "id=\"change-", "id=\"warnings\"", "class=\"calendar\"",
            "id=\"notes\"",
        ]
        let places = try order.map { try #require(page.range(of: $0)?.lowerBound, "\($0)") }
        #expect(places == places.sorted())
    }

    @Test func aPageWithoutContentsHasTheWholeWidth() {
        for (name, report) in Self.reports {
            let page = report.rendered(as: .html)
            #expect(page.contains("<nav") == page.contains(#"<div class="layout beside-contents">"#), "\(name)")
        }
    }

    @Test func sharesOfAnAudienceAreDrawn() {
        let page = Report.plan(ReportFixtures.review).rendered(as: .html)
        #expect(page.contains(#"<span class="meter" aria-hidden="true"><span style="width: 72.90%"></span></span>"#))
    }

    @Test func whatIsRiskyIsShownFirstInItsGroup() throws {
        let page = try PageCheck(Report.plan(ReportFixtures.review).rendered(as: .html))
        let shown = page.elements.compactMap { $0.attributes["id"] }.filter {
            $0.wholeMatch(of: /change-[0-9]+/) != nil
        }
        // What is blocked, what is sent now, what is scheduled: to everyone, then with a warning.
        let first = ["refresh", "derby", "everyone", "tickets"].map { name in
            ReportFixtures.review.changes.firstIndex { $0.name == name }.map { "change-\($0 + 1)" }
        }
        #expect(shown.prefix(4).map(Optional.some) == first)
    }

    @Test func picturesAreDrawnForTheFirstCampaignsOnly() throws {
        let base = try #require(ReportFixtures.review.changes.first { $0.name == "derby" })
        let changes = (0..<55).map { index in
            var change = base
            change.name = "derby-\(index)"
            return change
        }
        let text = Report.plan(ReportFixtures.plan(changes)).rendered(as: .html)
        let page = try PageCheck(text)
        #expect(page.elements.count { $0.name == "svg" } == 50 * 5)
        #expect(page.text.contains("5 of these are not shown"))
        #expect(text.utf8.count < 2_000_000)
    }
}

/// The colours of the page's style.
@Suite struct PageContrastTests {
    private static let inks = ["ink", "quiet", "accent"]
    private static let tones = ["good", "go", "warn", "bad", "change", "plain"]
    private static let grounds = ["paper", "surface", "sunken"]

    private func style() throws -> String {
        let style = try PageCheck(Report.plan(ReportFixtures.everyAction).rendered(as: .html)).style
        // After it stands the style of the pictures, which have colours of their own.
        let end = try #require(style.range(of: "@media print"))
        return String(style[..<end.lowerBound])
    }

    @Test func blackOnWhiteIs21() throws {
        let palette = Palette(["black": "#000000", "grey": "#777777", "white": "#ffffff"])
        #expect(abs(try palette.contrast("black", on: "white") - 21) < 0.001)
        #expect(abs(try palette.contrast("grey", on: "white") - 4.478) < 0.001)
    }

    /// Source: WCAG 2.2, 1.4.3.
    @Test(arguments: [0, 1]) func everyTextCanBeReadInBothThemes(theme: Int) throws {
        let palette = try Palette.themes(of: style())[theme]
        let pairs =
            (Self.inks + Self.tones).flatMap { ink in Self.grounds.map { (ink, $0) } }
            + Self.tones.map { ($0, $0 + "-ground") }
        for (ink, ground) in pairs {
            let value = try palette.contrast(ink, on: ground)
            #expect(value >= 4.5, "\(ink) on \(ground): \(value)")
        }
    }

    @Test func everyColourIsOneOfTheVariables() throws {
        let rules = try style().replacing(/:root \{[^}]*\}/, with: "")
        #expect(rules.matches(of: /#[0-9a-fA-F]{3,8}\b|rgb|hsl/).isEmpty)
        let used = Set(
            rules.matches(of: /(?:^|[ {;])(?:color|background|background-color): var\(--([a-z-]+)\)/).map {
                String($0.output.1)
            })
        let known = Set(Self.inks + Self.tones + Self.tones.map { $0 + "-ground" } + Self.grounds)
        #expect(used.subtracting(known) == ["tone", "tone-ground", "quiet-ground"])
    }
}
