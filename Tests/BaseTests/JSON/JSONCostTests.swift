import Base
import BaseTesting
import Testing

/// Twice the text takes twice the time, whatever its shape.
@Suite(.serialized) struct JSONCostTests {
    enum Shape: String, CaseIterable {
        case digits, numbers, longNumbers, words, strings, escapes, spaces, objects, members, equalNames, nested,
            nestedObjects
        case oneString, attack, unknownWords

        /// About so many bytes.
        func text(_ size: Int) -> [UInt8] {
            func list(_ element: String) -> String {
                "[" + String(repeating: element + ",", count: size / (element.utf8.count + 1)) + "0]"
            }
            func nested(_ open: String, _ close: String) -> String {
                list(String(repeating: open, count: 90) + "0" + String(repeating: close, count: 90))
            }
            let text =
                switch self {
                case .digits: list("0")
                case .numbers: list("12345.678")
                case .longNumbers: list("0." + String(repeating: "7", count: 1000))
                case .words: list("false")
                case .strings: list("\"a text of some words\"")
                case .escapes: list("\"\\u00e9\\n\\ud83d\\ude00\"")
                case .spaces: "[" + String(repeating: " \n", count: size / 2) + "]"
                case .objects: list("{\"a\":1}")
                case .members: "{" + (0..<size / 12).map { "\"m\($0)\":1," }.joined() + "\"a\":0}"
                case .equalNames: "{" + String(repeating: "\"a\":1,", count: size / 6) + "\"a\":0}"
                case .nested: nested("[", "]")
                case .nestedObjects: nested("{\"a\":", "}")
                case .oneString: "\"" + String(repeating: "推a", count: size / 4) + "\""
                case .attack: list(String(repeating: "[", count: 97) + String(repeating: "]", count: 97))
                case .unknownWords: list("\"x\":" + String(repeating: "x", count: 50))
                }
            return Array(text.utf8)
        }
    }

    @Test(arguments: Shape.allCases)
    func twiceTheTextTakesTwiceTheTimeToRead(shape: Shape) {
        let excess = Growth.excess(from: 4000, shape.text) {
            try? JSONValue(parsing: $0, limits: JSONLimits(memory: 1 << 30))
        }
        #expect(excess == nil)
    }

    @Test(arguments: Shape.allCases)
    func twiceTheTextTakesTwiceTheTimeToOutline(shape: Shape) {
        let excess = Growth.excess(from: 4000, shape.text) { bytes in
            let text = Array("{\"a\":".utf8) + bytes + Array("}".utf8)
            return (JSONOutline(of: text)?.member("a"), JSONOutline.texts(under: ["x"], inFirst: .max, of: text))
        }
        #expect(excess == nil)
    }

    /// The measure itself.
    @Test func whatTakesFourTimesAsLongIsSeen() {
        let excess = Growth.excess(from: 40, { $0 }) { size in
            (0..<size).reduce(0) { sum, first in (0..<size).reduce(sum) { $0 ^ ($1 &* first) } }
        }
        #expect(excess.map { $0 > 3 } ?? false)
    }
}
