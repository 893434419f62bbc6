internal import Foundation
internal import Testing

/// What sources and pages refer to stands in this repository: each page and each heading is there.
@Suite struct DocumentReferenceTests {
    private static let documents = Documents()

    @Test func everyReferenceLeadsToItsHeading() {
        #expect(Self.documents.references.count > 130)
        for reference in Self.documents.references {
            #expect(Self.documents.resolves(reference), "\(reference)")
        }
    }

    @Test func everyPageThatIsNamedStandsInTheRepository() {
        for name in Self.documents.names {
            #expect(Self.documents.isThere(name), "\(name)")
        }
    }

    @Test func everyLinkOfAPageLeadsToAFile() {
        for link in Self.documents.links {
            #expect(Self.documents.isThere(link), "\(link)")
        }
    }

    @Test(arguments: [
        "/// Source: <doc:/APNs/Nothing#Reasons>.", "/// Source: <doc:/APNs/AppleReasons#Nothing>.",
        "/// Source: <doc:AppleReasons>.", "/// See wire.md, section 2.", "[page](wire.md)",
        "[page](README.md#nothing)",
    ])
    func oneThatLeadsNowhereIsFound(_ line: String) {
        let source = Documents.Line(file: line.hasPrefix("/") ? "Sources/PushModel/X.swift" : "X.md", number: 1, line)
        let documents = Self.documents
        #expect(
            !(Documents.references(in: source).allSatisfy(documents.resolves)
                && Documents.names(in: source).allSatisfy(documents.isThere)
                && Documents.links(in: source).allSatisfy(documents.isThere)))
    }
}
