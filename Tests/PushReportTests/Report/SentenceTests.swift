internal import Foundation
internal import ProgramTesting
internal import Push
internal import PushReport
internal import Testing

/// What people read stands in the tables of languages and nowhere else.
@Suite struct SentenceTests {
    private static let sources = repository.appending(path: "Sources")

    private static func files(_ folders: [String], ending: String) throws -> [(name: String, text: String)] {
        try folders.flatMap { folder in
            let root = sources.appending(path: folder)
            let names = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
            return try names.filter { $0.hasSuffix(ending) }.map { name in
                ("\(folder)/\(name)", try String(contentsOf: root.appending(path: name), encoding: .utf8))
            }
        }
    }

    /// The modules that make reasons.
    private static let speaking = ["Push", "YAML", "PushReport", "BugleCommands", "Apply", "LeanCloud", "Delivery"]

    /// Not for readers of reports: escapes, styles, drawing instructions, and what machines read.
    private static let others = [
        "SVGCanvas.swift", "Templates.swift", "ForgeAnswers.swift",
    ]

    @Test(arguments: [
        "PushReport/Report/Document", "PushReport/Report/HTML", "PushReport/Report/Markdown", "PushReport/Report/Text",
        "PushReport/Preview", "PushServer/Console/Views", "PushServer/Console/Live",
        "BugleCommands/Comment",
    ])
    func noSentenceStandsInARenderer(_ folder: String) throws {
        for (name, text) in try Self.files([folder], ending: ".swift")
        where !Self.others.contains(where: name.hasSuffix) && !name.hasPrefix("PushReport/Preview/Strings") {
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

    @Test(arguments: ["PushReport/Report/HTML/Resources", "PushServer/Console/Resources"])
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
        ("PushReport/Report", "PageTemplates.swift"), ("PushServer/Console", "ConsoleWords.swift"),
    ])
    func templatesUseEveryWordOfTheirTableAndNoOther(_ folder: String, _ table: String) throws {
        func names(_ ending: String, _ name: Regex<(Substring, Substring)>) throws -> Set<Substring> {
            Set(try Self.files([folder], ending: ending).flatMap { $0.text.matches(of: name).map(\.output.1) })
        }
        #expect(try names(table, #/\n +"(\w+)": /#) == names(".mustache", #/\[\[(\w+)\]\]/#))
    }

    /// What a reason says stands in its table, with both languages.
    @Test func noReasonIsAnEnglishSentenceOfItsOwn() throws {
        for (name, text) in try Self.files(Self.speaking, ending: ".swift") {
            for match in text.matches(of: /\.verbatim\(\s*"((?:[^"\\]|\\.)*)"/) {
                let words = Self.filled(String(match.output.1), with: "")
                #expect(words.firstMatch(of: /[A-Za-z] [A-Za-z]/) == nil, "\(name): \(words)")
            }
        }
    }

    @Test func everyCodeOfAReasonIsUsed() throws {
        let sources = try Self.files(
            Self.speaking + ["DeviceRegistry", "PushServer", "bugle-server"], ending: ".swift"
        )
        .filter { !$0.name.contains("/Reasons/Reason+") }
        var used: Set<Substring> = []
        for (_, text) in sources { used.formUnion(text.matches(of: /\.([a-zA-Z]+)\b/).map(\.output.1)) }
        for code in Reason.Code.all { #expect(used.contains(code.name[...]), "\(code.name)") }
    }
}
