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

    @Test(arguments: [
        "/// Source: docs/background/apple/nothing.md#reasons.",
        "/// Source: docs/background/apple/reasons.md#nothing.",
        "/// See wire.md, section 2.", "[page](wire.md)", "[page](README.md#nothing)",
        "[page](docs/reference/exit-codes.md#nothing)",
    ])
    func oneThatLeadsNowhereIsFound(_ line: String) {
        let source = Documents.Line(
            file: line.hasPrefix("/") ? "Sources/Tool/PushModel/X.swift" : "X.md", number: 1, line)
        let lost =
            Documents.names(in: source).filter { !Self.documents.isThere($0) }
            + Documents.links(in: source).filter { !Self.documents.isThere($0, isLink: true) }
        #expect(!lost.isEmpty)
    }
}
