import Base
import Foundation
import ProgramTesting
import Push
import Testing

@Suite struct ReferenceTests {
    private let root = repository

    private func page(_ language: Language) throws -> String {
        let source = root.appending(path: "Sources/Base/Diagnostics/DiagnosticCode.swift")
        return ReferencePage(language, diagnosticCodes: try String(contentsOf: source, encoding: .utf8)).text
    }

    @Test(arguments: [(Language.english, "docs/reference/README.md"), (.chinese, "docs/reference/README.zh-CN.md")])
    func theReferenceIsThatOfTheTables(_ language: Language, _ file: String) throws {
        try expectFile(try page(language), at: root.appending(path: file))
    }

    @Test(arguments: Language.allCases) func everyFieldAndEveryCodeStandsInIt(_ language: Language) throws {
        let page = try page(language)
        for place in FieldTableTests.places {
            #expect(page.contains("| `\(place.field.name)` |"), "\(place.field.name)")
        }
        for code in DiagnosticCode.allCases { #expect(page.contains("\n| `\(code.rawValue)` | "), "\(code.rawValue)") }
    }

    /// What is said beside a code in the source is what its article says, in English.
    @Test func everyCodeHasAnArticleAndItsDocumentationIsThat() throws {
        let source = root.appending(path: "Sources/Base/Diagnostics/DiagnosticCode.swift")
        let text = try String(contentsOf: source, encoding: .utf8).replacing("\n    /// ", with: " /// ")
        for code in DiagnosticCode.allCases {
            let article = try #require(DiagnosticArticle(code), "\(code.rawValue)")
            #expect(text.contains(" /// \(article.meaning.english)\n    case"), "\(code.rawValue)")
            for language in Language.allCases {
                let page = try #require(DiagnosticArticle.page(of: code, in: language))
                #expect(page.hasPrefix("\(code.rawValue): ") && page.contains(language.say(article.mend)))
                #expect(!language.say(article.why).isEmpty && !article.example.isEmpty)
            }
            #expect(article.mend.chinese.hasSuffix("。") && article.why.chinese.hasSuffix("。"))
        }
    }

    /// A cell in which nothing is Chinese is one of names, codes and numbers.
    @Test func everySentenceOfTheChineseReferenceIsChinese() throws {
        let rows = try page(.chinese).split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count > 200)
        for row in rows {
            let meaning = row.split(separator: " | ").last ?? ""
            let words = meaning.replacing(/`[^`]*`/, with: "").matches(of: /[a-z]{2,} [a-z]{2,} [a-z]{2,}/)
            #expect(words.isEmpty, "\(row)")
        }
        for place in FieldTableTests.places {
            #expect(!place.field.chinese.isEmpty && !place.field.chinese.hasSuffix("。"))
        }
    }

    @Test(arguments: Language.allCases) func everyLinkLeadsToAHeading(_ language: Language) throws {
        let page = try page(language)
        let anchors = page.matches(of: /(?m)^#+ (.*)$/).map { heading in
            heading.output.1.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == " " }
                .replacing(" ", with: "-")
        }
        let links = page.matches(of: /\]\(#([^)]+)\)/).map { String($0.output.1) }
        #expect(links.count > 20)
        #expect(Set(links).subtracting(anchors) == [])
    }
}
