internal import Foundation
internal import PageTesting
internal import Phrasebook
internal import PushModel
internal import Testing

/// What people read stands in the tables of languages and nowhere else.
@Suite struct SentenceTests {
    private static let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized

    private static func files(_ folders: [String], ending: String) throws -> [(name: String, text: String)] {
        try folders.flatMap { folder in
            let root = sources.appending(path: folder)
            let names = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
            return try names.filter { $0.hasSuffix(ending) }.map { name in
                ("\(folder)/\(name)", try String(contentsOf: root.appending(path: name), encoding: .utf8))
            }
        }
    }

    /// Not for readers of reports: escapes, styles, drawing instructions, and what machines read.
    private static let others = [
        "DrawingStyle.swift", "SVGCanvas.swift", "Templates.swift", "ArtifactList.swift", "CommentList.swift",
        "PullRequests.swift", "APIAnswer.swift", "AppliedResult.swift",
    ]

    @Test(arguments: [
        "Tool/PushReport/Document", "Tool/PushReport/HTML", "Tool/PushReport/Markdown", "Tool/PushReport/Text",
        "Tool/PushPreview",
        "Server/PushServer/Console/Views",
        "Server/PushServer/Console/Rendering", "Server/PushServer/Console/Live", "Tool/BugleCommands/Comment",
    ])
    func noSentenceStandsInARenderer(_ folder: String) throws {
        for (name, text) in try Self.files([folder], ending: ".swift")
        where !Self.others.contains(where: name.hasSuffix) && !name.hasPrefix("Tool/PushPreview/Strings") {
            for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) })
            where !line.hasPrefix("//") {
                for literal in Self.literals(of: line) {
                    // Names of devices are the same everywhere.
                    if literal.hasPrefix("Apple ") { continue }
                    #expect(literal.firstMatch(of: /[A-Za-z]{3,}[,;:]? [A-Za-z]{2,}/) == nil, "\(name): \(literal)")
                }
            }
        }
    }

    /// The texts of a line without what is filled in, and without markup.
    private static func literals(of line: String) -> [String] {
        line.matches(of: /"((?:[^"\\]|\\.)*)"/).map { match in
            let text = filled(String(match.output.1), with: "")
            return text.replacing(/<[^>]*>?/, with: "").replacing(/[a-z-]+=\\"[^"]*/, with: "")
        }
    }

    /// A literal with a text in its places.
    private static func filled(_ literal: String, with text: String) -> String {
        var (filled, depth) = ("", 0)
        var rest = literal[...]
        while let character = rest.popFirst() {
            if depth > 0 {
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else if character == "\\", rest.first == "(" {
                rest.removeFirst()
                (filled, depth) = (filled + text, 1)
            } else {
                filled.append(character)
            }
        }
        return filled
    }

    @Test(arguments: ["Tool/PushReport/HTML/Resources", "Server/PushServer/Console/Resources"])
    func noWordStandsInATemplate(_ folder: String) throws {
        let templates = try Self.files([folder], ending: ".mustache")
        #expect(templates.count > 5)
        for (name, text) in templates {
            #expect(text.firstMatch(of: /(aria-label|alt|title|placeholder)="[^"{\[]/) == nil, "\(name)")
            let words = text.replacing(/\[\[[A-Za-z]+\]\]/, with: "").replacing(/\{\{[^}]*\}+/, with: "")
                .replacing(/<[^>]*>/, with: "").replacing(/\b(UTC|bugle|objectId|notificationId)\b/, with: "")
            #expect(words.firstMatch(of: /[A-Za-z]{2,}/) == nil, "\(name): \(words.filter { $0.isLetter })")
        }
    }

    @Test func everyFixedTextIsTranslated() {
        /// Names that are the same in both.
        let same: Set = ["androidGroup", "deviceProfile", "deviceProfileKind", "resolveCommand", "token"]
        #expect(PhraseRow.all.count > 450)
        for row in PhraseRow.all {
            #expect(!row.english.isEmpty && !row.chinese.isEmpty, "\(row.name)")
            #expect(row.english != row.chinese || same.contains(row.name), "\(row.name)")
            #expect(row.english.unicodeScalars.allSatisfy { !$0.properties.isUnifiedIdeograph }, "\(row.name)")
        }
    }

    @Test(arguments: [
        ("Tool/PushReport", "PageWords.swift"), ("Server/PushServer/Console", "ConsoleWords.swift"),
    ])
    func templatesUseEveryWordOfTheirTableAndNoOther(_ folder: String, _ table: String) throws {
        func names(_ ending: String, _ name: Regex<(Substring, Substring)>) throws -> Set<Substring> {
            Set(try Self.files([folder], ending: ending).flatMap { $0.text.matches(of: name).map(\.output.1) })
        }
        #expect(try names(table, #/\n +"(\w+)": /#) == names(".mustache", #/\[\[(\w+)\]\]/#))
    }

    /// A plan is saved in English; its sentences are known again by their words.
    @Test func everySentenceOfAPlanIsSaidInChinese() throws {
        let patterns = [
            /reason: "((?:[^"\\]|\\.)*)"/, /Block\(\s*\.\w+,\s*"((?:[^"\\]|\\.)*)"/,
            /return "\\\(began\): ((?:[^"\\]|\\.)*)"/,
            /\.over\("((?:[^"\\]|\\.)*)"/, /\.hold\("((?:[^"\\]|\\.)*)"/, /case \([^)]*\): "((?:[^"\\]|\\.)*)"/,
        ]
        var found: Set<String> = []
        for (_, text) in try Self.files(
            ["Tool/PushPlan/Campaigns", "Tool/PushPlan/Policy", "Tool/PushPlan/Resources"], ending: ".swift")
        {
            for pattern in patterns { found.formUnion(text.matches(of: pattern).map { String($0.output.1) }) }
        }
        #expect(found.count > 40)
        for sentence in found where sentence.contains(" ") && !sentence.hasSuffix(" ") {
            let text = Self.filled(
                sentence.replacing("\\(limit)", with: "minAudience 12").replacing("\\(doubt)", with: ""), with: "12")
            let chinese = Language.chinese.planned(text)
            #expect(chinese.unicodeScalars.contains { $0.properties.isUnifiedIdeograph }, "\(text)")
        }
    }

    @Test(arguments: [
        ("channel Giants, where scores = true, on ios", "频道 Giants，条件 scores = true，平台 ios"),
        ("channels A, B or C, deviceProfile driver", "频道 A, B 或 C，deviceProfile driver"),
        ("3 listed devices (ios), sha256:1f2a77", "指定的 3 台设备（ios），sha256:1f2a77"),
        ("everyone, on ios or android", "全部设备，平台 ios 或 android"), ("where a = \"on hold\"", "条件 a = \"on hold\""),
        (
            "a send that was interrupted 3 h ago: the remote is asked again until 2026-11-20T12:00:00Z",
            "3 小时前中断的发送：在 2026年11月20日 12:00:00 UTC 之前继续向远端查询"
        ),
        (
            "clocks there go back 1h at 2026-10-25 03:00 +02:00",
            "当地时钟于 2026年10月25日 03:00 +02:00 拨慢 1 小时"
        ),
        (
            "stage 1/3 baking: 627 accepted, 0 refused; verdict 2026-11-24T19:26:02Z",
            "第 1 / 3 阶段观察中：627 台已接受，0 台被拒绝；判定时间 2026年11月24日 19:26:02 UTC"
        ),
        (
            "wave 1/4 sent: 40 accepted, 0 refused, 2 in doubt; next 2026-11-24T19:26:02Z",
            "第 1 / 4 批已发送：40 台已接受，0 台被拒绝，2 台存疑；下一批 2026年11月24日 19:26:02 UTC"
        ),
        (
            "stage 1 of 3 sent, 627 devices; judged at 2026-11-24T19:26:02Z, next: bugle apply --due",
            "第 1 / 3 阶段已发送，627 台设备；2026年11月24日 19:26:02 UTC 判定，之后执行：bugle apply --due"
        ),
        (
            "the rollout holds: stage 1: 9 answers, fewer than the minimum of 20; decide about the rest: 'bugle resolve a'",
            "分阶段发布在等待决定：第 1 阶段：9 个应答，少于下限 20；请决定其余设备：'bugle resolve a'"
        ),
        ("after 7d", "发送后 7 天"), ("its window ended at 2026-11-27T12:00:00Z", "发送窗口已于 2026年11月27日 12:00:00 UTC 结束"),
        ("channel Giants is protected: release it with protected: false", "频道 Giants 受保护：先设置 protected: false"),
        ("where a = 1, on ios, deviceProfile driver", "条件 a = 1, on ios, deviceProfile driver"),
        // What is the user's own is no sentence.
        ("segment everyone", "分群 everyone"), ("channels everyone or never", "频道 everyone 或 never"),
        ("segments 7d and new", "分群 7d 且 new"), ("channel Giants, where at = 5", "频道 Giants，条件 at = 5"),
        (
            "where channel != \"x\" and s = \"a; b, deviceProfile c\"",
            "条件 channel != \"x\" and s = \"a; b, deviceProfile c\""
        ),
        ("segments a and b, where c > 1, on android", "分群 a 且 b，条件 c > 1，平台 android"),
        (
            "the winner is emoji, for 8,000 more devices: emoji 970 of 1,000 accepted (95.7% to 97.8%), 100 opened "
                + "(8.5% to 12.3%); plain 5 of 5 accepted (56.5% to 100.0%), 0 opened (0.0% to 43.5%)",
            "胜出的变体是 emoji，将发给其余 8,000 台设备：emoji：970 / 1,000 已接受（95.7% 至 97.8%），100 台打开（8.5% 至 12.3%）；"
                + "plain：5 / 5 已接受（56.5% 至 100.0%），0 台打开（0.0% 至 43.5%）"
        ),
        (
            "no winner was named until 2026-11-20T11:59:00Z: 8,000 more devices get plain: emoji 9 of 9 accepted (70.0% to "
                + "100.0%); plain 0 of 0 accepted (0.0% to 100.0%)",
            "到 2026年11月20日 11:59:00 UTC 为止没有选定胜出的变体，其余 8,000 台设备收到 plain：emoji：9 / 9 已接受（70.0% 至 100.0%）；"
                + "plain：0 / 0 已接受（0.0% 至 100.0%）"
        ),
        ("its delivery has no variant 'shout', but emoji, plain", "正在进行的投递没有变体 'shout'，只有 emoji, plain"),
        ("emoji 10%, plain 10%; the rest within 1d, otherwise plain", "emoji 10%, plain 10%；其余设备在 1 天 之内选定，否则 plain"),
        ("somebody's own words", "somebody's own words"), ("", ""),
    ])
    func aPlansWordsAreKnownAgain(_ english: String, _ chinese: String) {
        #expect(Language.chinese.planned(english) == chinese)
        #expect(Language.english.planned(english) == english)
    }
}
