import Base
import Testing

@Suite struct JSONReadingTests {
    private func refusal(_ text: String, _ limits: JSONLimits = JSONLimits()) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            _ = try JSONValue(parsing: text, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ("", .endOfText, 1, 1), ("[1,\n  2,\n  x]", .value, 3, 3), ("[1,]", .value, 1, 4),
            ("[1 2]", .commaInList, 1, 4),
            ("{\"a\": 1,}", .name, 1, 9), ("{\"a\" 1}", .colon, 1, 6), ("{\"a\": 1 \"b\"}", .commaInObject, 1, 9),
            ("[tru]", .word, 1, 2), ("[01]", .number, 1, 4), ("[1.]", .number, 1, 4),
            ("[\"\n\"]", .controlCharacter, 1, 3),
            ("[\"ab\\x\"]", .escape, 1, 5), ("[\"a\\uD800\"]", .surrogate, 1, 4), ("[1e400]", .numberTooLarge, 1, 2),
            ("[1] 2", .textAfterValue, 1, 5), ("[\"abc", .endOfText, 1, 6), ("[1", .endOfText, 1, 3),
        ] as [(String, JSONSyntaxError.Fault, Int, Int)])
    func aFaultIsLocated(text: String, fault: JSONSyntaxError.Fault, line: Int, column: Int) throws {
        let error = try #require(refusal(text))
        #expect((error.fault, error.line, error.column) == (fault, line, column), "\(error)")
    }

    @Test func aFaultDoesNotQuoteTheText() throws {
        let error = try #require(refusal("{\"password\": hunter2}"))
        #expect(error.description == "not JSON: line 1, column 14: a value is expected")
    }

    @Test func theFirstOfEqualNamesCounts() throws {
        #expect(try JSONValue(parsing: "{\"a\": 1, \"\\u0061\": 2, \"b\": 0, \"a\": 3}") == ["a": 1, "b": 0])
    }

    @Test(
        arguments: [
            ("1.0", 1), ("1e2", 100), ("-0", 0), ("-0.0", 0), ("1e18", 1_000_000_000_000_000_000), ("10e-1", 1),
            ("9007199254740993.0", 9_007_199_254_740_993), ("9223372036854775807", .max),
            ("-9223372036854775808", .min),
            ("1000000000000000000000e-5", 10_000_000_000_000_000), ("0e999999999999999999999", 0), ("1e-400", 0),
        ] as [(String, Int64)])
    func aWholeNumberIsOneHoweverItIsWritten(text: String, expected: Int64) throws {
        #expect(try JSONValue(parsing: text).integer == expected)
    }

    @Test(arguments: [
        "0.1", "1.5", "123.456e78", "5e-324", "1.7976931348623157e308", "2.2250738585072011e-308", "9007199254740993.5",
        "9223372036854775808", "-9223372036854775809", "1e19", "0.30000000000000004", "123456789012345678901234567890",
        "1e23",
        "8.41e21", "9.5e-20", "4.35", "0.000001", "1.8446744073709551616e19",
    ])
    func anyOtherNumberIsTheNearestDouble(text: String) throws {
        guard case .number(let number) = try JSONValue(parsing: text) else {
            Issue.record("\(text) is an integer")
            return
        }
        #expect(number == Double(text))
    }

    // MARK: Limits

    @Test func aTextIsNestedSoDeepAndNoDeeper() throws {
        func text(_ depth: Int) -> String {
            String(repeating: "[{\"a\":", count: depth / 2) + "1" + String(repeating: "}]", count: depth / 2)
        }
        #expect(refusal(text(100), JSONLimits(depth: 100)) == nil)
        let error = try #require(refusal(text(102), JSONLimits(depth: 100)))
        #expect((error.fault, error.offset) == (.tooDeep, 300))
        #expect(refusal(text(128)) == nil)
        #expect(refusal(text(130))?.fault == .tooDeep)
    }

    @Test func aTextHasSoManyBytesAndNoMore() {
        #expect(refusal("[1, 2]", JSONLimits(bytes: 6)) == nil)
        #expect(refusal("[1, 2]", JSONLimits(bytes: 5))?.fault == .tooLong)
    }

    @Test func aNumberHasSoManyDigitsAndNoMore() {
        func text(_ digits: Int) -> String { "[0." + String(repeating: "3", count: digits - 2) + "]" }
        #expect(refusal(text(1024)) == nil)
        #expect(refusal(text(1025))?.fault == .numberTooLong)
        #expect(refusal(text(1025), JSONLimits(digits: 1025)) == nil)
    }

    @Test(arguments: ["0", "{}", "[]", "[0]", "{\"\":0}", "[[[[0]]]]", "{\"\":{\"\":{\"\":0}}}"])
    func millionsOfSmallValuesAreRefusedForTheirMemory(element: String) throws {
        let count = 4_000_000 / (element.utf8.count + 1)
        let error = try #require(refusal("[" + String(repeating: element + ",", count: count) + "0]"))
        #expect(error.fault == .tooMuchMemory)
        #expect(error.description.hasSuffix(": it holds too many values for its length"))
    }

    @Test func aTextOfSomeKilobytesIsReadWhateverItHolds() {
        for element in ["0", "{}", "[]", "{\"\":0}"] {
            #expect(refusal("[" + String(repeating: element + ",", count: 4000) + "0]") == nil)
        }
    }

    /// What a value takes is told from its text: 24 bytes a value, 40 a member, 48 more a list, an object or a long string.
    @Test(arguments: [
        ("[0,0]", 96), ("[[],{}]", 96), ("[[0]]", 144), ("{\"a\":0}", 88), ("[{\"a\":[0]}]", 232),
        ("[\"a text of 15 b.\"]", 72), ("[\"a text of 16 by.\"]", 136), ("[\"\\u00e9\\u00e9\\u00e9\\n\"]", 72),
        ("[\"[[,,:\"]", 72),
        ("{" + (10...26).map { "\"\($0)\":0" }.joined(separator: ",") + "}", 48 + 17 * 56),
    ])
    func whatAValueTakesIsKnownBeforeItIsMade(text: String, memory: Int) {
        func limits(_ memory: Int) -> JSONLimits { JSONLimits(memory: memory, memoryPerByte: 0) }
        #expect(refusal(text, limits(memory)) == nil)
        #expect(refusal(text, limits(memory - 1))?.fault == .tooMuchMemory)
    }

    /// What once took four seconds: 325 lists of 97 lists each.
    @Test func theNestedListsOfAnAttackAreReadOrRefused() throws {
        let list = String(repeating: "[", count: 97) + String(repeating: "]", count: 97)
        let text = "{\"a\":[" + Array(repeating: list, count: 325).joined(separator: ",") + "]}"
        let read = try JSONValue(parsing: text, limits: JSONLimits(memory: 4 << 20))
        #expect(read["a"]?.array?.count == 325)
        // It takes 30 times the memory of its text.
        #expect(refusal(text)?.fault == .tooMuchMemory)
    }

    // MARK: Texts in the beginning

    private func lastTexts(_ text: String, within count: Int = 4096) -> [String: String] {
        JSONOutline.texts(under: ["id", "key"], inLast: count, of: text.utf8)
    }

    @Test func textsAreFoundFromTheEnd() {
        let text = #"{"x":[{"id":"no"}],"y":"\"id\":\"no","id" : "a\u0062","z":{"key":"no"},"k\u0065y":"c\\","n":1} "#
        #expect(lastTexts(text) == ["id": "ab", "key": "c\\"])
        #expect(lastTexts(#"{"id":"first","id":"last","key":[1]}"#) == ["id": "last"])
        // However much of the text is left out, what is found is what is there.
        for count in 0...text.utf8.count {
            let found = lastTexts(text, within: count)
            #expect(found.allSatisfy { ["id": "ab", "key": "c\\"][$0.key] == $0.value }, "\(count)")
        }
        for other in ["", "[\"id\"]", "\"id\"", "{\"id\":\"a\"}x", "}}}", "{\"id\""] {
            #expect(lastTexts(other).isEmpty, "\(other)")
        }
    }

    private func texts(_ text: String, within count: Int = 4096) -> [String: String] {
        JSONOutline.texts(under: ["id", "key"], inFirst: count, of: text.utf8)
    }

    @Test func textsAreFoundBetweenOtherMembers() {
        #expect(
            texts("{\"x\": [{\"id\": 1}], \"id\": \"a\\u0062\", \"y\": \"}\", \"k\\u0065y\": \"c\"}") == [
                "id": "ab", "key": "c",
            ])
        #expect(texts("{\"id\": 1, \"id\": \"a\", \"key\": \"b\"}") == ["key": "b"])
        #expect(texts("[\"id\"]").isEmpty)
        #expect(texts("").isEmpty)
    }

    @Test func whatStandsBehindTheTextsOrTheBeginningIsNotLookedAt() {
        #expect(texts("{\"id\": \"a\", \"key\": \"b\", x") == ["id": "a", "key": "b"])
        let late = "{\"x\": \"" + String(repeating: "x", count: 4096) + "\", \"id\": \"a\"}"
        #expect(texts(late).isEmpty)
        #expect(texts(late, within: 5000) == ["id": "a"])
        // A text that is cut off is none.
        #expect(texts("{\"id\": \"abc\"}", within: 10).isEmpty)
    }
}
