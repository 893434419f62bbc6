import Base
import Testing
import YAML

@Suite struct EncodingTests {
    @Test func aByteOrderMarkIsSkipped() throws {
        #expect(try root("\u{FEFF}a: 1")["a"]?.place == "1:4-1:5")
        #expect(try root("\u{FEFF}---\n漢: 1")["漢"]?.place == "2:4-2:5")
    }

    static let others: [([UInt8], String)] = [
        ([0xFF, 0xFE, 0x61, 0x00], "UTF-16"), ([0xFE, 0xFF, 0x00, 0x61], "UTF-16"),
        ([0x61, 0x00, 0x3A, 0x00], "UTF-16"), ([0x00, 0x61, 0x00, 0x3A], "UTF-16"),
        ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "UTF-32"), ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], "UTF-32"),
        ([0x61, 0, 0, 0, 0x3A, 0, 0, 0], "UTF-32"), ([0, 0, 0, 0x61], "UTF-32"), ([0xFF, 0xFE], "UTF-16"),
    ]

    @Test(arguments: others)
    func otherEncodingsAreNamed(_ bytes: [UInt8], _ name: String) {
        let (documents, faults) = read(bytes)
        #expect(faults == ["1:1 encoding the file is encoded in \(name), but only UTF-8 is read"])
        #expect(documents.isEmpty)
    }

    static let invalid: [([UInt8], String)] = [
        ([0x80], "0x80"), ([0xC0, 0x80], "0xC0"), ([0xC1, 0xBF], "0xC1"), ([0xE4, 0xB8], "0xE4"), ([0xE4], "0xE4"),
        ([0xE0, 0x80, 0x80], "0xE0"), ([0xED, 0xA0, 0x80], "0xED"), ([0xF0, 0x80, 0x80, 0x80], "0xF0"),
        ([0xF4, 0x90, 0x80, 0x80], "0xF4"), ([0xF5], "0xF5"), ([0xFF], "0xFF"), ([0xE4, 0xB8, 0x41], "0xE4"),
        ([0xF0, 0x9F, 0x98], "0xF0"), ([0xC4], "0xC4"), ([0xE6, 0x41, 0x41], "0xE6"),
    ]

    @Test(arguments: invalid)
    func theFirstByteThatIsNotUTF8IsShown(_ bytes: [UInt8], _ name: String) {
        // At the end of the file, and with text after it.
        for tail in [[], Array(" 漢字 and more text\nb: 1".utf8)] {
            let (documents, faults) = read(Array("a: 1\n漢😀: ".utf8) + bytes + tail)
            #expect(faults == ["2:5 encoding byte \(name) does not begin a valid UTF-8 character"])
            #expect(documents.isEmpty)
        }
    }

    @Test(arguments: [
        ("\u{0}", "U+0000"), ("\u{1B}", "U+001B"), ("\u{7F}", "U+007F"), ("\u{80}", "U+0080"), ("\u{9F}", "U+009F"),
        ("\u{FFFE}", "U+FFFE"), ("\u{FFFF}", "U+FFFF"), ("\u{B}", "U+000B"), ("\u{1F}", "U+001F"),
    ])
    func controlCharactersAreReported(_ character: String, _ name: String) {
        for text in ["a: 1\nb: x\(character)", "a: 1\nb: x\(character)漢 and a longer text\n"] {
            let (documents, faults) = read(text)
            #expect(faults == ["2:5 encoding character \(name) is not allowed"])
            #expect(documents.isEmpty)
        }
    }

    @Test(arguments: ["\u{A0}", "\u{2027}", "\u{202A}", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{10FFFF}", "\u{10000}"])
    func theCharactersBesideThemAreAllowed(_ character: String) throws {
        #expect(try scalar("x\(character)x") == .string("x\(character)x"))
    }

    @Test(arguments: [("\u{85}", "U+0085", "\\N"), ("\u{2028}", "U+2028", "\\L"), ("\u{2029}", "U+2029", "\\P")])
    func theLineBreaksOfYAML11AreReportedAtEachPlace(_ character: String, _ name: String, _ escape: String) {
        let text = "# 漢\(character)x\r\na: \"\(character)\(character)\"\rb: '\(character)\n"
        let result = DocumentParser.parse(Array(text.utf8), file: "a")
        let message = "line-break line break \(name) is not allowed outside escapes"
        #expect(
            result.diagnostics.map(describe) == [
                "1:4 \(message)", "2:5 \(message)", "2:6 \(message)", "3:5 \(message)",
            ])
        #expect(
            result.diagnostics.allSatisfy {
                $0.help == "write \(escape) in a double-quoted string, or an ordinary line break"
            })
        #expect(result.documents.isEmpty)
    }

    @Test func theirEscapesAreAllowed() throws {
        #expect(try scalar(#""\N\L\P\u2028""#) == .string("\u{85}\u{2028}\u{2029}\u{2028}"))
    }

    @Test func faultsBeforeAndUpToTheInvalidByteAreAllReported() {
        let bytes = Array("a: \u{7}\u{2028}\n".utf8) + [0xFF] + Array("\u{7}".utf8)
        #expect(
            read(bytes).faults == [
                "1:4 encoding character U+0007 is not allowed",
                "1:5 line-break line break U+2028 is not allowed outside escapes",
                "2:1 encoding byte 0xFF does not begin a valid UTF-8 character",
            ])
    }

    @Test func aBinaryFileDoesNotFloodTheReport() {
        #expect(read([UInt8](repeating: 1, count: 500_000)).faults.count == 100)
    }

    @Test func everyCharacterAtEveryAlignmentIsSeen() {
        for offset in 0..<24 {
            let text = String(repeating: "x", count: offset) + "\u{7F}" + String(repeating: "y", count: 24)
            #expect(read(text).faults == ["1:\(offset + 1) encoding character U+007F is not allowed"])
        }
    }
}
