import PushPreview
import Testing

struct LocalizedStringsTests {
    @Test func aTextIsFoundByItsKey() {
        #expect(LocalizedStrings(texts: ["GREETING": "Hello"]).texts["GREETING"] == "Hello")
    }
}
