internal import Foundation
internal import ProgramTesting
internal import Push
internal import PushReport
internal import Testing

/// The pictures of the documentation, drawn from the workspace of 'make demo'; 'make pictures' draws them anew.
@Suite struct PictureTests {
    private static let root = repository
    private static let folder = root.appending(path: "docs/pictures")
    private static let languages: [(Language, ending: String)] = [(.english, "svg"), (.chinese, "zh-CN.svg")]

    @Test(arguments: languages.indices, NotificationDrawing.Appearance.allCases.filter { $0 != .automatic })
    func theCommentIsAsItIsMadeNow(_ index: Int, _ appearance: NotificationDrawing.Appearance) async throws {
        let (language, ending) = Self.languages[index]
        let plan = try await ExampleTests.plan("campaigns")
        let options = ReportOptions(language: language, workspaceFolder: "campaigns")
        let markdown = Report.plan(plan).rendered(as: .markdown, options: options)
        let looks = plan.changes.compactMap { change in change.looks.first { $0.platform == .ios } }
        let drawings = looks.prefix(2).map { NotificationDrawing($0, app: plan.shownApp, language: language) }
        #expect(drawings.count == 2)
        let svg = CommentPicture.svg(markdown, Array(drawings), appearance, title: "giants-demo")
        #expect(svg.utf8.count < 40_000)
        try expectFile(svg, at: Self.folder.appending(path: "pull-request-\(appearance.rawValue).\(ending)"))
    }

    /// The plan that a page shows in words is what bugle prints; the first page has one campaign and the end of it.
    @Test(arguments: languages.indices, ["README", "docs/reference/output"])
    func thePlanOfAPageIsAsItIsPrintedNow(_ index: Int, _ name: String) async throws {
        let (language, ending) = Self.languages[index]
        let plan = try await ExampleTests.plan("campaigns")
        let options = ReportOptions(language: language, workspaceFolder: "campaigns")
        var text = Report.plan(plan).rendered(as: .text, options: options)
        if name == "README" {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let start = try #require(lines.firstIndex { $0.hasPrefix("  ▶ ") && $0.contains(" giants-score ") })
            let end = try #require(lines[(start + 1)...].firstIndex { !$0.hasPrefix("    ") })
            text = (lines[start..<end] + [""] + lines.suffix(3)).joined(separator: "\n")
        }
        let file = Self.root.appending(path: "\(name).\(ending.replacing("svg", with: "md"))")
        var page = try String(contentsOf: file, encoding: .utf8)
        let block = try #require(page.firstMatch(of: /(?m)^```\n((?:(?!```).*\n)*?.*▶ (?:(?!```).*\n)*)```$/))
        page.replaceSubrange(block.output.1.startIndex..<block.output.1.endIndex, with: text)
        try expectFile(page, at: file)
    }

    /// What the devices of one delivery show.
    @Test(arguments: ["languages", "variants"]) func theLooksOfAFeatureAreAsItsExampleHasThemNow(_ name: String)
        async throws
    {
        let plan = try await ExampleTests.plan("examples/\(name)")
        let looks = try #require(plan.changes.first { $0.looks.count > 1 }).looks.filter { $0.platform == .ios }
        let drawings = looks.prefix(3).map { NotificationDrawing($0, app: plan.shownApp) }
        #expect(drawings.count > 1)
        try expectFile(
            PagePictures.row(Array(drawings), title: "examples/\(name)"), at: Self.folder.appending(path: "\(name).svg")
        )
    }

    /// What a reviewer sees of an example in the pull request.
    @Test(arguments: ["recurring", "local-time", "rollout", "holdout", "approvals"])
    func theCommentOfAFeatureIsAsItsExampleHasItNow(_ name: String) async throws {
        let plan = try await ExampleTests.plan("examples/\(name)")
        let markdown = Report.plan(plan).rendered(
            as: .markdown, options: ReportOptions(workspaceFolder: "examples/\(name)"))
        let looks = plan.changes.compactMap { change in change.looks.first { $0.platform == .ios } }
        let drawings = looks.prefix(1).map { NotificationDrawing($0, app: plan.shownApp) }
        let svg = CommentPicture.svg(markdown, drawings, .automatic, title: "examples/\(name)", least: 340)
        try expectFile(svg, at: Self.folder.appending(path: "\(name).svg"))
    }

    /// The chart of the first page, from the table that it stands for: pushes a second over one connection.
    @Test(arguments: languages.indices) func theChartShowsTheMeasurements(_ index: Int) throws {
        let ending = Self.languages[index].ending
        let page = Self.root.appending(
            path: "docs/background/performance.\(ending.replacing("svg", with: "md"))")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| 400 ") || $0.contains(" 400 个请求 |") })
        let values = lines[(start + 2)...].prefix { $0.hasPrefix("| ") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let figure = cells[1].firstMatch(of: /[0-9,]+[0-9]/).map { String($0.output) } ?? ""
            return (label: cells[0], value: Int(figure.replacing(",", with: "")) ?? 0, text: figure)
        }
        #expect(values.count == 4 && values.allSatisfy { $0.value > 10_000 })
        try expectFile(
            PagePictures.bars(values, title: "make bench"), at: Self.folder.appending(path: "speed.\(ending)"))
    }

    /// A picture that no page shows is in nobody's way but wrong one day, and a page shows no picture that is not there.
    @Test func everyPictureIsShownAndEveryOneShownIsThere() throws {
        let pages = try Documents().pages.map {
            try String(contentsOf: Self.root.appending(path: $0), encoding: .utf8)
        }
        let shown = Set(
            pages.flatMap { page in page.matches(of: /pictures\/([\w.-]+\.(?:svg|png))/).map { String($0.1) } })
        let there = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(shown.count > 3 && shown == Set(there))
    }
}
