internal import Foundation
internal import Testing

/// What sources and pages refer to stands in this repository: each page and each heading is there.
@Suite struct DocumentReferenceTests {
    private static let documents = Documents()

    @Test func everyPageThatIsNamedStandsInTheRepository() {
        #expect(Self.documents.names.count { $0.heading != nil } > 200)
        let lost = Self.documents.names.filter { !Self.documents.isThere($0) }
        #expect(lost.isEmpty)
    }

    @Test func everyLinkOfAPageLeadsToItsFileAndHeading() {
        #expect(Self.documents.links.count > 200)
        let lost = Self.documents.links.filter { !Self.documents.isThere($0, isLink: true) }
        #expect(lost.isEmpty)
    }

    /// A page leads to itself in the other language, or says that there is none.
    @Test func everyPageHasItsSiblingOrSaysThatThereIsNone() throws {
        let pages = Set(Self.documents.pages)
        for page in pages.filter({ $0.hasPrefix("docs/") || $0.hasPrefix("README") }).sorted() {
            let isChinese = page.hasSuffix(".zh-CN.md")
            let sibling = page.replacing(isChinese ? ".zh-CN.md" : ".md", with: isChinese ? ".md" : ".zh-CN.md")
            let head = try Documents.text(of: page).split(separator: "\n").prefix(4)
            let name = (sibling as NSString).lastPathComponent
            let leadsThere = head.contains { $0.contains(isChinese ? "[English](\(name))" : "[中文](\(name))") }
            #expect(leadsThere == pages.contains(sibling), "\(page)")
            #expect(head.contains("English only.") == !pages.contains(sibling), "\(page)")
        }
    }

    /// A page of a feature shows it, leads to its example, and says what the exit codes tell of it.
    @Test(arguments: ["recurring", "local-time", "rollout", "variants", "languages", "holdout", "approvals", "events"])
    func everyFeatureIsShownExemplifiedAndBounded(_ name: String) throws {
        let text = try Documents.text(of: "docs/features/\(name).md")
        for part in ["](../pictures/\(name).", "(../../examples/", "(../reference/exit-codes.md)"] {
            #expect(text.contains(part), "\(name): \(part)")
        }
    }

    @Test(arguments: [
        "/// Source: docs/background/apple/nothing.md#reasons.",
        "/// Source: docs/background/apple/reasons.md#nothing.",
        "/// See wire.md, section 2.", "[page](wire.md)", "[page](README.md#nothing)",
        "[page](docs/reference/exit-codes.md#nothing)",
    ])
    func oneThatLeadsNowhereIsFound(_ line: String) {
        let source = Documents.Line(
            file: line.hasPrefix("/") ? "Sources/Push/Model/X.swift" : "X.md", number: 1, line)
        let lost =
            Documents.names(in: source).filter { !Self.documents.isThere($0) }
            + Documents.links(in: source).filter { !Self.documents.isThere($0, isLink: true) }
        #expect(!lost.isEmpty)
    }
}
