internal import Base
internal import Testing

@Suite struct EscapingTests {
    @Test(arguments: [
        ("plain text", "plain text"), ("", ""), ("日本語 “quoted” … · é", "日本語 “quoted” … · é"),
        ("a\nb\r\n\tc", #"a\nb\r\n\tc"#), ("\u{1B}[31mred\u{1B}[0m", #"\u{1b}[31mred\u{1b}[0m"#),
        ("\u{0}\u{7F}\u{85}\u{9B}", #"\u{0}\u{7f}\u{85}\u{9b}"#),
        ("\u{202A}\u{202E}\u{2066}\u{2069}", #"\u{202a}\u{202e}\u{2066}\u{2069}"#),
        ("\u{200E}\u{200F}\u{61C}", #"\u{200e}\u{200f}\u{61c}"#), ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
        ("\u{200B}\u{FEFF}\u{AD}\u{2060}\u{180E}", #"\u{200b}\u{feff}\u{ad}\u{2060}\u{180e}"#),
        ("\u{E0041}\u{3164}", #"\u{e0041}\u{3164}"#), ("a\u{200D}b\u{200C}c", #"a\u{200d}b\u{200c}c"#),
        ("👩‍👩‍👧 ❤️‍🔥", "👩‍👩‍👧 ❤️‍🔥"), ("می‌خواهم", "می‌خواهم"), ("क्‍ष", "क्‍ष"),
        ("\u{200D}👩", #"\u{200d}👩"#), (#"back\slash"#, #"back\slash"#),
    ])
    func whatAReaderDoesNotSeeIsShown(_ text: String, _ shown: String) {
        #expect(escaped(text) == shown)
    }

    @Test(arguments: [
        ("::error::x", #"\u{3a}:error::x"#), ("  \u{A0}\u{3000}::x", "  \u{A0}\u{3000}\\u{3a}:x"), (":", #"\u{3a}"#),
        (":x", ":x"), ("a ::error", "a ::error"), ("##[error]x", #"#\u{23}[error]x"#),
        ("x ##[group]", #"x #\u{23}[group]"#),
        ("##vso[task]", #"#\u{23}vso[task]"#), ("###[x]", #"#\u{23}\u{23}[x]"#), ("## Title [link]", "## Title [link]"),
        ("#[x]", "#[x]"), ("\n::error", #"\n::error"#), ("\t::error", #"\t::error"#),
    ])
    func noTextIsACommand(_ text: String, _ shown: String) {
        #expect(escaped(text) == shown)
    }

    @Test func everyControlAndFormatCharacterIsEscaped() {
        let shown = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init).filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: escaped(String(scalar)) == String(scalar)
            default: false
            }
        }
        // Visible signs of Arabic, Syriac, Kaithi and hieroglyphs that Unicode counts as format characters.
        let signs: [ClosedRange<UInt32>] = [
            0x600...0x605, 0x6DD...0x6DD, 0x70F...0x70F, 0x890...0x891, 0x8E2...0x8E2, 0x110BD...0x110CD,
            0x13430...0x1343F,
        ]
        #expect(shown.filter { scalar in !signs.contains { $0.contains(scalar.value) } } == [])
    }

    @Test func aLongRowOfNumberSignsTakesLinearTime() {
        #expect(escaped(String(repeating: "#", count: 1 << 16)).utf8.count == 1 << 16)
    }
}

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("日本語", 6), ("ｆｕｌｌ", 8), ("한글", 4), ("é", 1), ("e\u{301}", 1), ("“…·→▶◷✕↻∅”", 10),
        ("👩", 2), ("👩‍👩‍👧", 2), ("👍🏽", 2), ("❤️", 2), ("🇨🇳", 2), ("「」", 4), ("a\u{200B}", 1),
    ])
    func aTextTakesTheColumnsOfATerminal(_ text: String, _ width: Int) {
        #expect(DisplayWidth.of(text) == width)
        #expect(DisplayWidth.of(Array(text.utf8)[...]) == width)
    }
}
