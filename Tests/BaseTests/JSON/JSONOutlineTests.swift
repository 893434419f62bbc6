import Base
import Testing

@Suite struct JSONOutlineTests {
    private func elements(_ text: String, _ name: String = "list") -> [String]? {
        guard let outline = JSONOutline(of: Array(text.utf8)), case .list(let places) = outline.member(name) else {
            return nil
        }
        return places.map { String(decoding: outline.bytes[$0], as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("{\"list\": []}", []),
            ("{\"list\":[ 1 ,\"]\", {\"a\":[\"}\\\"\"]},null]\n}", ["1", "\"]\"", "{\"a\":[\"}\\\"\"]}", "null"]),
            (" {\"a\": {\"list\": [1]}, \"list\": [2], \"b\": \"list\"} ", ["2"]),
            ("{\"x\": \"\\\\\", \"list\": [[1, 2], [3]]}", ["[1, 2]", "[3]"]),
        ] as [(String, [String])])
    func theElementsOfAListAreFound(text: String, expected: [String]) {
        #expect(elements(text) == expected)
    }

    @Test(arguments: [
        "", " ", "[]", "1", "{", "{}}", "{\"a\"}", "{\"a\":}", "{\"a\" 1}", "{a: 1}", "{\"a\": 1,}", "{\"a\": \"x}",
        "{\"a\": [1}", "{\"a\": 1} x", "{\"a\\\": 1}", "{,}", "{\"\\", "{\"a\":1 2}",
    ])
    func whatIsNoObjectHasNoOutline(text: String) {
        #expect(JSONOutline(of: Array(text.utf8)) == nil)
    }

    @Test func aNameThatIsSpelledWithAnEscapeIsRefused() {
        #expect(JSONOutline(of: Array("{\"list\": [], \"l\\u0069st\": [1]}".utf8)) == nil)
    }

    @Test func whatIsNestedTooDeepIsRefused() {
        func text(_ depth: Int) -> [UInt8] {
            Array(
                ("{\"list\": " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}").utf8
            )
        }
        #expect(JSONOutline(of: text(128)) != nil)
        #expect(JSONOutline(of: text(129)) == nil)
        #expect(JSONOutline(of: text(1_000_000)) == nil)
    }

    @Test func whatIsNoListIsSaid() throws {
        let text = "{\"one\": 1, \"text\": \"[]\", \"twice\": [1], \"twice\": [2], \"gaps\": [1,], \"more\": [1 2]}"
        let outline = try #require(JSONOutline(of: Array(text.utf8)))
        #expect(outline.member("none") == .missing)
        for name in ["one", "text", "twice", "gaps", "more"] { #expect(outline.member(name) == .other, "\(name)") }
    }

    @Test func aListCanBeEmptied() throws {
        let outline = try #require(JSONOutline(of: Array("{\"b\": [1, 2], \"c\": 3, \"a\": [{}] }".utf8)))
        #expect(
            String(decoding: outline.emptying(["a", "b", "x"]), as: UTF8.self) == "{\"b\": [], \"c\": 3, \"a\": [] }")
    }

    /// Any cut of a text, and any byte exchanged, is told from it or read without a trap.
    @Test func brokenTextIsStoodFor() {
        let text = Array("{\"list\": [{\"a\": \"\\u00e9\\\"]\"}, [1, [2]], true], \"rest\": {\"b\": [null]}}".utf8)
        for end in text.indices { #expect(JSONOutline(of: Array(text[..<end])) == nil) }
        for index in text.indices {
            for byte in "{}[]\",:\\ 1".utf8 {
                var broken = text
                broken[index] = byte
                _ = JSONOutline(of: broken)?.member("list")
            }
        }
    }

    @Test func aListThatIsMadeAsItIsWrittenReadsLikeOneThatIsThere() {
        let made = OrderedJSON.object([("list", .list(3) { .integer($0) }), ("none", .list(0) { .integer($0) })])
        let there = OrderedJSON.object([("list", .array([.integer(0), .integer(1), .integer(2)])), ("none", [])])
        #expect(made.bytes == there.bytes)
        #expect(made.bytes(reserving: 1000) == there.bytes)
        #expect(made.unordered == there.unordered)
    }
}
