import Base
import Testing

@Suite struct HexadecimalTests {
    @Test func everyByteIsReadBackFromItsTwoDigits() {
        let bytes = (UInt8.min ... .max).map(\.self)
        #expect(bytes.hexadecimal.hasPrefix("000102") && bytes.hexadecimal.hasSuffix("fdfeff"))
        #expect([UInt8](hexadecimal: bytes.hexadecimal) == bytes)
        #expect([UInt8](hexadecimal: bytes.hexadecimal.uppercased()) == bytes)
    }

    @Test(arguments: ["0", "0g", "g0", "/0", ":0", "@0", "G0", "`0", "0 ", "é", "０0", "00a"])
    func whatIsNotTwoDigitsAByteIsNotRead(text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }

    /// Source: RFC 4648, section 10.
    @Test func base64URLHasNoPadding() {
        let texts = ["": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE"]
        for (text, encoded) in texts { #expect(Array(text.utf8).base64URL == encoded) }
        #expect(([0xFB, 0xFF] as [UInt8]).base64URL == "-_8")
    }

    @Test func numbersGetZerosUpToTheirDigitsAndNoneBeyond() {
        #expect(UInt32(0x85).hexadecimal(digits: 4, uppercase: true) == "0085")
        #expect(UInt32(0x1F600).hexadecimal(digits: 4) == "1f600")
    }
}
