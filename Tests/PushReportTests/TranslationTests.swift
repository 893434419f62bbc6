internal import Foundation
internal import Testing

/// The pages in Chinese say what the English ones say: the same commands, files and tables in the same order.
@Suite struct TranslationTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized
    private static let guide = "Sources/Server/PushServer/Documentation.docc"

    /// Every page that stands beside an English one.
    private static let pages: [String] =
        ["README"]
        + ((try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: guide).path)) ?? [])
        .filter { $0.hasSuffix(".zh-CN.md") }.sorted().map { "\(guide)/\($0.dropLast(".zh-CN.md".count))" }

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

    @Test func theGuideIsThereInChinese() {
        #expect(Self.pages.count > 8)
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

    @Test(arguments: pages) func everyLinkOfTheChinesePageLeadsToAFile(_ name: String) throws {
        let chinese = try Self.page(name, "zh-CN.md")
        let folder = Self.root.appending(path: name).deletingLastPathComponent()
        for link in chinese.matches(of: /\]\(([^)#<]+)(#[^)]*)?\)/).map({ String($0.output.1) })
        where !link.hasPrefix("http") {
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: link).path), "\(link)")
        }
    }
}
