internal import Foundation
import ProgramTesting
internal import Testing

/// The pages in Chinese say what the English ones say: the same commands, files and tables in the same order.
@Suite struct TranslationTests {
    private static let root = repository

    /// Every page that has a Chinese sibling, without the ending. The reference is made from the tables.
    private static let pages: [String] = Documents().pages.filter {
        $0.hasSuffix(".zh-CN.md") && !$0.hasPrefix("docs/reference/README")
    }.map { String($0.dropLast(".zh-CN.md".count)) }

    private static func page(_ name: String, _ ending: String) throws -> String {
        try String(contentsOf: root.appending(path: "\(name).\(ending)"), encoding: .utf8)
    }

    /// The blocks of code; comments are for people and may be in their language.
    private static func blocks(of page: String) -> [String] {
        page.matches(of: /(?m)^```(\w*)\n((?:(?!```).*\n)*)```$/).filter { $0.output.1 != "" }.map { match in
            match.output.2.split(separator: "\n").map { line in
                line.replacing(/(^|\s+)# .*$/, with: "")
            }.filter { !$0.isEmpty }.joined(separator: "\n")
        }
    }

    @Test func theFirstPageAndTheGuideAreThereInChinese() {
        #expect(Self.pages.contains("README") && Self.pages.contains("docs/move/README") && Self.pages.count > 12)
    }

    @Test func aPageOfTheDocumentationLeadsToItsSiblingOrSaysThatItHasNone() throws {
        let all = Set(Documents().pages)
        let english = all.filter { $0.hasPrefix("docs/") && !$0.hasSuffix(".zh-CN.md") }
        #expect(english.count > 50)
        for page in english {
            let name = String(page.dropLast(".md".count))
            let (text, file) = (try Self.page(name, "md"), (name as NSString).lastPathComponent)
            let isAlone = !all.contains("\(name).zh-CN.md")
            #expect(text.contains("\n\nEnglish only.\n") == isAlone, "\(page)")
            guard !isAlone else { continue }
            #expect(text.contains("[中文](\(file).zh-CN.md)"), "\(page)")
            #expect(try Self.page(name, "zh-CN.md").contains("[English](\(file).md)"), "\(page)")
        }
    }

    /// So that it is read; what it does not hold stands in the pages that it leads to.
    @Test(arguments: ["md", "zh-CN.md"]) func theFirstPageIsShort(_ ending: String) throws {
        let text = try Self.page("README", ending)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 130)
        let prose = text.replacing(/(?m)^```(?:.*\n)*?```$/, with: "")
        // Two Chinese characters are about a word.
        let characters = prose.unicodeScalars.count { ("\u{4E00}"..."\u{9FFF}").contains($0) }
        let words = prose.replacing(/[\u{3000}-\u{303F}\u{4E00}-\u{9FFF}\u{FF00}-\u{FFEF}]+/, with: " ")
        #expect(words.split { $0.isWhitespace }.count + characters / 2 <= 1000)
    }

    @Test(arguments: pages) func everyCommandAndFileIsThatOfTheEnglishPage(_ name: String) throws {
        let (english, chinese) = (try Self.page(name, "md"), try Self.page(name, "zh-CN.md"))
        #expect(Self.blocks(of: chinese) == Self.blocks(of: english))
    }

    @Test(arguments: pages) func everyHeadingAndRowHasItsCounterpart(_ name: String) throws {
        let (english, chinese) = (try Self.page(name, "md"), try Self.page(name, "zh-CN.md"))
        for sign in ["#", "| ", "```", "1. ", "- "] {
            func count(_ page: String) -> Int { page.split(separator: "\n").count { $0.hasPrefix(sign) } }
            #expect(count(chinese) == count(english), "\(name): \(sign)")
        }
    }
}
