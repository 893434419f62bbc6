import Diagnostics
import Foundation
import GoldenTesting
import PushConfig
import Testing

@Suite struct ReferenceTests {
    private let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    private func page() throws -> String {
        let source = root.appending(path: "Sources/Diagnostics/DiagnosticCode.swift")
        return ReferencePage(diagnosticCodes: try String(contentsOf: source, encoding: .utf8)).text
    }

    @Test func theReferenceIsThatOfTheTables() throws {
        try expectFile(try page(), at: root.appending(path: "REFERENCE.md"))
    }

    @Test func everyFieldAndEveryCodeStandsInIt() throws {
        let page = try page()
        for place in FieldTableTests.places {
            #expect(page.contains("| `\(place.field.name)` |"), "\(place.field.name)")
        }
        for code in DiagnosticCode.allCases { #expect(page.contains("\n| `\(code.rawValue)` | "), "\(code.rawValue)") }
    }

    @Test func everyLinkLeadsToAHeading() throws {
        let page = try page()
        let anchors = page.matches(of: /(?m)^#+ (.*)$/).map { heading in
            heading.output.1.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == " " }
                .replacing(" ", with: "-")
        }
        let links = page.matches(of: /\]\(#([^)]+)\)/).map { String($0.output.1) }
        #expect(links.count > 20)
        #expect(Set(links).subtracting(anchors) == [])
    }
}
