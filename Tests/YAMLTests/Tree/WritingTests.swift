import Base
import Testing
import YAML

@Suite struct WritingTests {
    /// Whatever is written reads back as it was, without a word of complaint.
    private func expectSame(_ value: JSONValue, _ location: SourceLocation = #_sourceLocation) throws {
        let text = YAMLTree.value(value).text
        let (documents, faults) = read(text)
        #expect(faults == [], "\(text)", sourceLocation: location)
        var problems: [Diagnostic] = []
        let back = try #require(documents.first, sourceLocation: location).root.json(reportingTo: &problems)
        #expect(problems.isEmpty, sourceLocation: location)
        #expect(back.canonicalBytes == value.canonicalBytes, "\(text)", sourceLocation: location)
    }

    /// Texts that a careless writer would spell so that they read back as something else.
    private static let oddTexts = [
        "", " ", "no", "NO", "yes", "null", "~", "true", "1", "1.5", "0x1f", "1e3", ".inf", "-", "- a", "a: b", "a #b",
        "#a", "'a'", "\"a\"", "a\nb", "\n", "a\tb", "\r\n", "\u{1B}[31m", "\u{7F}", "\u{85}", "\u{2028}",
        "\u{2029}", "\u{FEFF}", "\u{202E}x", "今晚的比赛", "　全角", "😀", "👨‍👩‍👧", "é", "e\u{301}",
        "[a]", "{a}", "*a", "&a", "!a", "%a", "@a", "`a", "| a", "> a", "? a", ": a", "---", "...", "a ", " a", "a:",
        "<<", "2026-11-27", "2026-11-27T20:00:00Z", "\\", "\\n", "It's 2-2, \"now\"!", "a,b", "=", "y",
        "\u{1F}\u{80}\u{9F}\u{A0}\u{AD}", "a##vso[b]c", "###[d]",
    ]
    /// Characters that Swift's literals do not take.
    private static let oddScalars = [0, 0xE000, 0xFDD0, 0xFFFE, 0x1_FFFE, 0x10_FFFF].compactMap(Unicode.Scalar.init)

    @Test(arguments: oddTexts + oddScalars.map { String(Character($0)) })
    func everyTextReadsBackAsValueElementAndKey(text: String) throws {
        try expectSame(.string(text))
        try expectSame([.string(text), [.string(text)]])
        try expectSame(.object(["k": .object([text: .string(text)])]))
        try expectSame(.object([text: [[.string(text)], .object([text: []])]]))
    }

    @Test func keysOfAnyLengthReadBack() throws {
        for length in [900, 1000, 1001, 1100, 5000] {
            try expectSame(.object([String(repeating: "k", count: length): ["a": [1, 2], "b": "x"], "z": 1]))
            try expectSame(["a": .object([String(repeating: "\u{1B}漢", count: length): "v"])])
        }
    }

    @Test func numbersReadBack() throws {
        let numbers: [Double] = [
            0.1, -0.5, 1e20, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.5e300, 9.007199254740992e15,
        ]
        try expectSame(
            .array(numbers.map { .number($0) } + [.integer(.max), .integer(.min), true, false, nil, [], [:]]))
    }

    @Test func anyValueReadsBack() throws {
        var generator = SeededGenerator(seed: 42)
        for _ in 0..<2000 { try expectSame(generator.value(depth: 4)) }
    }

    @Test func commentsCannotEndEarly() throws {
        let tree = YAMLTree.map([
            .init("a", .plain("7d"), comments: ["x\nkind: Campaign", "y\u{2028}b: 1", "\u{1B}[2J", ""])
        ])
        let node = try root(tree.text)
        #expect(node.keys == ["a"])
        #expect(tree.text.split(separator: "\n").count == 5)
    }

    @Test func neitherATextNorAKeyNorACommentIsACommandToALog() {
        for text in ["##vso[task.setvariable variable=a]b", "###[error]c", "####[error]c"] {
            let tree = YAMLTree.map([.init(text, .value(.string(text)), comments: [text])])
            #expect(!tree.text.contains("##"), "\(tree.text)")
        }
    }

    @Test func ordinaryTextsNeedNoQuotes() {
        let tree = YAMLTree.map([
            .init("title", .value("Giants")), .init("body", .value("今晚的比赛！ It's now 2-2.")),
            .init("list", .list([.value("a"), .map([.init("b", .value(1))])])), .init("none", .map([])),
        ])
        #expect(
            tree.text == """
                title: Giants
                body: 今晚的比赛！ It's now 2-2.
                list:
                  - a
                  -
                    b: 1
                none: {}

                """)
    }
}

extension SeededGenerator {
    fileprivate mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
        case 0: return .integer(Int64.random(in: .min ... .max, using: &self))
        case 1: return .number(Double.random(in: -1e6...1e6, using: &self))
        case 2: return Bool.random(using: &self) ? nil : .bool(Bool.random(using: &self))
        case 3, 4: return .string(text())
        case 5: return .array((0..<Int.random(in: 0..<4, using: &self)).map { _ in value(depth: depth - 1) })
        default:
            var members: JSONObject = [:]
            for _ in 0..<Int.random(in: 0..<4, using: &self) { members[text()] = value(depth: depth - 1) }
            return .object(members)
        }
    }

    private mutating func text() -> String {
        let odd = Array(
            " \t\n\r:#-?,[]{}&*!|>'\"%@`~=<\\\u{0}\u{1B}\u{85}\u{2028}\u{FEFF}漢字😀yesNOnull0123.e+x".unicodeScalars)
        var text = ""
        for _ in 0..<Int.random(in: 0..<12, using: &self) {
            if Int.random(in: 0..<10, using: &self) == 0,
                let any = Unicode.Scalar(UInt32.random(in: 0..<0x11_0000, using: &self))
            {
                text.unicodeScalars.append(any)
            } else if let scalar = odd.randomElement(using: &self) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
