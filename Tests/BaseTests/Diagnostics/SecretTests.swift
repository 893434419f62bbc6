import Base
import Testing

@Suite struct SecretTests {
    private struct Holder {
        let name = "profile"
        let secret = Secret("hunter2")
    }

    @Test func nothingThatShowsASecretShowsItsValue() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(String(describing: secret) == "<redacted>")
        #expect(String(reflecting: secret) == "<redacted>")
        #expect("\(secret)" == "<redacted>")
        #expect(dumped == "- <redacted>\n")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func aSecretInsideAnotherValueStaysHidden() {
        var dumped = ""
        dump(Holder(), to: &dumped)
        for text in ["\(Holder())", String(reflecting: Holder()), "\([Secret("hunter2")])", dumped] {
            #expect(text.contains("<redacted>") && !text.contains("hunter2") && !text.contains("104"))
        }
    }

    @Test func theValueComesBackAsItWas() {
        #expect(Secret("päss").revealedText == "päss")
        #expect(Secret("päss").revealedBytes == Array("päss".utf8))
        #expect(Secret(bytes: [0, 255]).revealedBytes == [0, 255])
        #expect(Secret(bytes: [255]).revealedText == "\u{FFFD}")
        #expect(Secret("").isEmpty && !Secret(" ").isEmpty)
    }

    @Test func secretsAreEqualByTheirBytes() {
        #expect(Secret("a") == Secret(bytes: [97]))
        #expect(Set([Secret("a"), Secret("a"), Secret("b")]).count == 2)
        #expect(Secret("é") != Secret("e\u{301}"))
    }

    @Test func aSecretCannotBeEncoded() {
        #expect(!(Secret("a") as Any is any Encodable))
        #expect(!(Secret("a") as Any is any Decodable))
    }
}
