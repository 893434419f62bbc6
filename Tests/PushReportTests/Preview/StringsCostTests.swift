import BaseTesting
import PushReport
import Testing

@testable internal import Push

/// Twice the file takes twice the time.
@Suite(.serialized) struct StringsCostTests {
    @Test(arguments: ["\"a\" = \"b\";\n", "/* a */", "// a\n", "\"a\"; ", " ", "\"a\" = \"\\U00e9\\n\";", "/*"])
    func stringsOfTwiceTheSizeTakeTwiceTheTime(piece: String) {
        let excess = Growth.excess({ Array(String(repeating: piece, count: $0 / piece.utf8.count).utf8) }) { bytes in
            try? LocalizedStrings(strings: bytes, file: "x")
        }
        #expect(excess == nil)
    }

    @Test func aCatalogOfTwiceTheKeysTakesTwiceTheTime() {
        let catalog = { (size: Int) in
            let keys = (0..<size / 60).map {
                "\"k\($0)\":{\"localizations\":{\"en\":{\"stringUnit\":{\"value\":\"x\"}}}}"
            }
            return Array("{\"sourceLanguage\":\"en\",\"strings\":{\(keys.joined(separator: ","))}}".utf8)
        }
        #expect(Growth.excess(catalog) { try? StringCatalog($0, file: "x") } == nil)
    }

    @Test(arguments: ["%@", "%1$@", "%", "%99999999$@", "a", "%1"])
    func aTextOfTwiceTheSizeIsFilledInTwiceTheTime(piece: String) {
        let strings = { LocalizedStrings(texts: ["k": String(repeating: piece, count: $0 / piece.utf8.count)]) }
        #expect(Growth.excess(strings) { $0.text(of: "k", arguments: ["x", "y"]) } == nil)
    }
}
