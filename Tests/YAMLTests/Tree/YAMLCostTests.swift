import Base
import BaseTesting
import Testing
import YAML

/// Twice the text takes twice the time, whatever its shape.
@Suite(.serialized) struct YAMLCostTests {
    enum Shape: String, CaseIterable {
        case flow, block, keys, equalKeys, longKey, nested, documents, anchors, aliases, merges, equalAnchors, plain,
            doubleQuoted, escapes, literal, folded, emptyLines, comments, spaces, tags, questions, controlCharacters,
            wide, oneWord, openQuote

        /// About so many bytes.
        func text(_ size: Int) -> [UInt8] {
            func times(_ text: String) -> String { String(repeating: text, count: size / text.utf8.count) }
            func lines(_ line: (Int) -> String) -> String {
                (0..<size / line(10_000).utf8.count).map(line).joined()
            }
            let text =
                switch self {
                case .flow: "[" + times("a, ") + "a]"
                case .block: times("- a\n")
                case .keys: lines { "key\($0): 1\n" }
                case .equalKeys: times("a: 1\n")
                case .longKey: times("a") + ": 1"
                case .nested: times(String(repeating: "[", count: 60) + String(repeating: "]", count: 60) + "\n---\n")
                case .documents: times("a: 1\n---\n")
                case .anchors: lines { "- &a\($0) x\n" }
                case .aliases: "- &a x\n" + times("- *a\n")
                case .merges: "- &a {a: 1}\n" + times("- <<: *a\n")
                case .equalAnchors: times("- &a x\n- *a\n")
                case .plain: "a: " + times("word\n  ")
                case .doubleQuoted: "\"" + times("word\n") + "\""
                case .escapes: "\"" + times("\\u6F22\\x41\\n") + "\""
                case .literal: "|\n" + times("  word\n")
                case .folded: ">\n" + times("  word\n\n")
                case .emptyLines: "a: |\n" + times("\n")
                case .comments: times("# a\n") + "a: 1"
                case .spaces: "a:" + times(" ") + "1"
                case .tags: times("- !!int x\n")
                case .questions: times("? a\n: b\n")
                case .controlCharacters: times("\u{1}")
                case .wide: "- " + times("推送😀")
                case .oneWord: times("a")
                case .openQuote: times("- \"a\n")
                }
            return Array(text.utf8)
        }
    }

    @Test(arguments: Shape.allCases)
    func twiceTheTextTakesTwiceTheTime(shape: Shape) {
        let excess = Growth.excess(shape.text) { bytes in
            DocumentParser.parse(bytes, file: "a.yaml").documents.map { document in
                var faults: [Diagnostic] = []
                return (document, document.root.json(reportingTo: &faults), faults)
            }
        }
        #expect(excess == nil)
    }
}
