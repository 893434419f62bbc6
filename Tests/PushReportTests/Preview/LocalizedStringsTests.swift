internal import Base
internal import PushReport
internal import Testing

@testable internal import Push

@Suite struct LocalizedStringsTests {
    private func texts(_ file: String) throws -> [String: String] {
        try LocalizedStrings(strings: Array(file.utf8), file: "x.strings").texts
    }

    private func problem(_ bytes: [UInt8]) -> Diagnostic? {
        do {
            _ = try LocalizedStrings(strings: bytes, file: "x.strings")
            return nil
        } catch {
            return error
        }
    }

    @Test func pairsCommentsAndEscapesAreRead() throws {
        let file = #"""
            /* The weather. "not" = "read"; */
            "weather" = "今天%@"; // and so on
            plain.key-1 = "a\n\t\"b\"\\ \U00e9\U4F60";
            "emoji" = "\UD83D\UDE00"; "same";
            "multi
            line" = "x";
            "last" = "1"; "last" = "2";
            """#
        #expect(
            try texts(file) == [
                "weather": "今天%@", "plain.key-1": "a\n\t\"b\"\\ é你", "emoji": "😀", "same": "same",
                "multi\nline": "x", "last": "2",
            ])
        #expect(try texts("") == [:])
    }

    @Test func utf16AndByteOrderMarksAreRead() throws {
        let units = Array("\"k\" = \"日本\";".utf16)
        let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [little, big, [0xEF, 0xBB, 0xBF] + Array("\"k\" = \"日本\";".utf8)] {
            #expect(try LocalizedStrings(strings: bytes, file: "x").texts == ["k": "日本"])
        }
    }

    @Test(arguments: [
        ("\"a\" = \"b\"\n\"c\" = \"d\";", 2, 1), ("\n\n  \"a\" \"b\";", 3, 7), ("\"a\" = ;", 1, 7), ("/* x", 1, 1),
        ("\"a\" = \"b", 1, 7), ("\"a\" = \"\\q\";", 1, 8), ("\"a\" = \"\\U12\";", 1, 8), ("\"a\" = \"\\UD800\";", 1, 7),
        ("\"a\" = \"b\";\n{}", 2, 1), ("\"a\\", 1, 3),
    ])
    func whatIsNoPartOfTheFormatIsFoundAtItsPlace(_ file: String, _ line: Int, _ column: Int) throws {
        let found = try #require(problem(Array(file.utf8)))
        #expect(found.severity == .error && found.range?.file == "x.strings")
        #expect(found.range?.start == SourcePosition(line: line, column: column))
    }

    @Test(arguments: [[0xFF, 0xFE, 0x41], [0xFE, 0xFF, 0xD8, 0x00], [0x22, 0xFF, 0x22]] as [[UInt8]])
    func otherEncodingsAreRefused(_ bytes: [UInt8]) throws {
        #expect(problem(bytes)?.code == .encoding)
    }

    @Test(arguments: [
        ("%@ and %@", ["a", "b"], "a and b"), ("%2$@ %1$@", ["a", "b"], "b a"), ("%d%%", ["5"], "5%"),
        ("%1$d/%2$ld %lu", ["1", "2"], "1/2 1"), ("%@ %@", ["a"], "a %@"), ("%3$@", ["a"], "%3$@"),
        ("100%", [], "100%"),
        ("% x %", ["a"], "% x %"), ("%-5.2f|%+d", ["a", "b"], "a|b"), ("%0$@", ["a"], "%0$@"), ("%%@", ["a"], "%@"),
        ("%@", ["%@"], "%@"), ("%99999999999999999999$@", ["a"], "%99999999999999999999$@"),
    ])
    func placesAreFilled(_ format: String, _ arguments: [String], _ filled: String) {
        let strings = LocalizedStrings(texts: ["k": format])
        #expect(strings.text(of: "k", arguments: arguments) == filled)
        #expect(strings.text(of: "other", arguments: arguments) == nil)
    }

    @Test func aCatalogGivesTheTextsOfALanguage() throws {
        let catalog = #"""
            {"sourceLanguage": "en", "version": "1.0", "strings": {
              "hello": {"localizations": {"zh": {"stringUnit": {"state": "translated", "value": "你好"}}}},
              "count": {"localizations": {"en": {"variations": {"plural": {
                "one": {"stringUnit": {"value": "%d game"}}, "other": {"stringUnit": {"value": "%d games"}}}}}}}}}
            """#
        let bytes = Array(catalog.utf8)
        #expect(
            try StringCatalog(bytes, file: "x").strings().texts == ["hello": "hello", "count": "%d games"])
        #expect(try StringCatalog(bytes, file: "x").strings(in: "zh").texts == ["hello": "你好"])
        #expect(throws: Diagnostic.self) { try StringCatalog(Array("[]".utf8), file: "x") }
    }
}
