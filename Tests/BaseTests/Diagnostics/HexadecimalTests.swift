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

    /// Eight digits are read at once: each character is looked at, wherever it stands among them.
    @Test func aCharacterThatIsNoDigitIsSeenInEveryPlace() {
        for place in 0..<18 {
            for byte in UInt8.min ... .max {
                var digits = Array("09afAF12fedcba9876".utf8)
                digits[place] = byte
                var bytes: [UInt8] = [7]
                let isRead = digits.withUnsafeBytes { bytes.append(hexadecimal: $0) }
                let text = String(decoding: digits, as: UTF8.self).lowercased()
                #expect(isRead == byte.isHexadecimal && digits.withUnsafeBytes(\.isHexadecimal) == isRead)
                #expect(isRead ? [UInt8](bytes.dropFirst()).hexadecimal == text : bytes == [7], "\(place) \(byte)")
            }
        }
    }

    @Test(arguments: 0..<20) func asManyBytesAsThereAreAreWritten(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
        var digits = [UInt8](repeating: 0, count: 2 * count + 1)
        digits.withUnsafeMutableBytes { digits in
            bytes.withUnsafeBytes { $0.writeHexadecimal(to: digits.baseAddress!) }
        }
        #expect(String(decoding: digits.dropLast(), as: UTF8.self) == bytes.hexadecimal && digits.last == 0)
    }

    @Test func numbersGetZerosUpToTheirDigitsAndNoneBeyond() {
        #expect(UInt32(0x85).hexadecimal(digits: 4, uppercase: true) == "0085")
        #expect(UInt32(0x1F600).hexadecimal(digits: 4) == "1f600")
    }
}
