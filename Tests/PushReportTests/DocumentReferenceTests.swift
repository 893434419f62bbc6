internal import Foundation
internal import Testing

/// What sources and pages refer to stands in this repository: each page and each heading is there.
@Suite struct DocumentReferenceTests {
    private static let documents = Documents()

    @Test func everyReferenceLeadsToItsHeading() {
        let count = Self.documents.references.count
        #expect(count > 200)
        let lost = Self.documents.references.filter { !Self.documents.resolves($0) }
        #expect(lost.isEmpty)
    }

    @Test func everyPageThatIsNamedStandsInTheRepository() {
        let lost = Self.documents.names.filter { !Self.documents.isThere($0) }
        #expect(lost.isEmpty)
    }

    @Test func everyLinkOfAPageLeadsToAFile() {
        let lost = Self.documents.links.filter { !Self.documents.isThere($0) }
        #expect(lost.isEmpty)
    }

    @Test(arguments: [
        "/// Source: <doc:/APNs/Nothing#Reasons>.", "/// Source: <doc:/APNs/AppleReasons#Nothing>.",
        "/// Source: <doc:AppleReasons>.", "/// See wire.md, section 2.", "[page](wire.md)",
        "[page](README.md#nothing)",
    ])
    func oneThatLeadsNowhereIsFound(_ line: String) {
        let source = Documents.Line(
            file: line.hasPrefix("/") ? "Sources/Tool/PushModel/X.swift" : "X.md", number: 1, line)
        let mentions = Documents.names(in: source) + Documents.links(in: source)
        let lost =
            Documents.references(in: source).filter { !Self.documents.resolves($0) }
            + mentions.filter { !Self.documents.isThere($0) }
        #expect(!lost.isEmpty)
    }
}
