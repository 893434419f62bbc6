internal import Foundation
internal import GoldenTesting
internal import PushModel
internal import PushPlan
internal import PushPreview
internal import PushReport
internal import Testing

/// The pictures of the documentation, drawn from the workspace of 'make demo'; 'make pictures' draws them anew.
@Suite struct PictureTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized
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
