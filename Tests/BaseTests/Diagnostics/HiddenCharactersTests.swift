import Base
import Testing

@Suite struct HiddenCharactersTests {
    @Test func noHiddenCharacterIsTakenForAbsent() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), HiddenCharacters.contain(scalar) else { continue }
            #expect(!HiddenCharacters.areCertainlyAbsent(from: "中\(scalar)文"), "\(String(value, radix: 16))")
            #expect(!HiddenCharacters.areCertainlyAbsent(from: "\(scalar)"), "\(String(value, radix: 16))")
        }
        #expect(!HiddenCharacters.areCertainlyAbsent(from: "a ##[error]"))
    }

    @Test(arguments: ["", "Giants 2:2", "老虎队以 2 比 2 结束，点击查看。", "“It’s over” — 5 … 3 →", "Ｆｕｌｌ　ｗｉｄｔｈ", "# 1"])
    func usualTextIsSeenToHaveNone(text: String) {
        #expect(HiddenCharacters.areCertainlyAbsent(from: text))
        #expect(escaped(text) == text)
    }

    @Test(arguments: ["\u{200B}", "\u{202E}", "\u{2066}", "\u{80}", "\u{85}", "\u{9F}", "\u{AD}", "\u{E0041}"])
    func everyFormHidesTheSameCharacters(character: Unicode.Scalar) {
        let text = "a\(character)b"
        for shown in [escaped(text), quoted(text), HiddenCharacters.replaced(in: text.unicodeScalars) { _ in "?" }] {
            #expect(!shown.unicodeScalars.contains(character), "\(shown)")
        }
    }

    @Test func joinersThatJoinAreSeenInEveryForm() {
        #expect(quoted("👩‍👧") == "'👩‍👧'" && escaped("👩‍👧") == "👩‍👧")
        #expect(quoted("a\u{200D}b") == "'a\\u200Db'")
    }
}
