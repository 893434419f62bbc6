import Base
import Testing

@Suite struct PercentEncodingTests {
    @Test func everyUnreservedCharacterStandsForItselfAndNothingElse() {
        #expect("aZ09-._~".percentEncoded == "aZ09-._~")
        #expect("a/b?ü%".percentEncoded == "a%2Fb%3F%C3%BC%25")
        #expect("a b/c:d".percentEncoded { $0 == UInt8(ascii: ":") } == "a b/c%3Ad")
    }

    @Test func whatWasEncodedIsReadBack() {
        for text in ["", "a/b?ü%+ ", "通知😀", "\0"] { #expect(String(percentDecoding: text.percentEncoded) == text) }
        #expect(String(percentDecoding: "a+b", plusIsSpace: true) == "a b")
        #expect(String(percentDecoding: "a+b") == "a+b")
    }

    @Test(arguments: ["%", "%4", "%G0", "%4G", "%FF", "a%C3"])
    func aBrokenEscapeIsNotRead(text: String) {
        #expect(String(percentDecoding: text) == nil)
    }
}
