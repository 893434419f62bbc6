internal import Push
internal import Testing

@testable internal import PushReport

@Suite struct LineBreakingTests {
    private let metrics = FontMetrics(size: 10)

    private func lines(_ text: String, _ width: Double, _ limit: Int = 99) -> [String] {
        BrokenText(text, width: width, limit: limit, metrics: metrics).lines.map(\.text)
    }

    @Test func wordsAreBrokenAtSpacesWhichAreNotDrawn() {
        #expect(lines("one two three four", 50) == ["one two", "three four"])
        #expect(lines("one  two   ", 20) == ["one", "two"])
    }

    @Test func aWordThatIsTooLongIsBrokenAnywhere() {
        #expect(lines("Donaudampfschiff", 40) == ["Donaud", "ampfsch", "iff"])
        #expect(lines("WWW", 1) == ["W", "W", "W"])
    }

    @Test func theLastLineIsCutWithAnEllipsis() {
        #expect(lines("one two three four five", 50, 2) == ["one two", "three fou…"])
        #expect(lines("界界界界界界", 30, 1) == ["界界…"])
        let text = BrokenText("short", width: 50, limit: 1, metrics: metrics)
        #expect(text.lines.map(\.text) == ["short"] && !text.isCut)
    }

    @Test func aSecondParagraphIsAReasonToCut() {
        let text = BrokenText("one\ntwo", width: 50, limit: 1, metrics: metrics)
        #expect(text.lines.map(\.text) == ["one…"] && text.isCut)
        #expect(lines("one\n\ntwo\n\n", 50) == ["one", "", "two"])
        #expect(lines("a\r\nb\rc", 50) == ["a", "b", "c"])
    }

    @Test func chineseIsBrokenBetweenCharactersButNotBeforeAStop() {
        #expect(lines("界界界界界界", 30) == ["界界界", "界界界"])
        #expect(lines("界界界。界", 30) == ["界界", "界。界"])
        #expect(lines("界界「界」", 30) == ["界界", "「界」"])
    }

    @Test func aHyphenEndsALineButNotWithinANumber() {
        #expect(lines("well-known", 30) == ["well-", "known"])
        #expect(lines("won 2-2 <!-- x", 30) == ["won", "2-2", "<!-- x"])
    }

    @Test func koreanWordsStayWhole() {
        #expect(lines("한국어 단어", 45) == ["한국어", "단어"])
    }

    @Test(arguments: ["👨‍👩‍👧‍👦", "🇯🇵", "👍🏽", "❤️", "1️⃣", "🏳️‍🌈", "e\u{301}\u{302}"])
    func whatAReaderSeesAsOneIsNeverBroken(_ cluster: String) {
        let text = String(repeating: cluster, count: 5)
        for line in lines(text, 26) { #expect(line.replacing(cluster, with: "") == "") }
    }

    @Test(arguments: [("界", 10.0), ("👨‍👩‍👧‍👦", 12), ("🇯🇵", 12), ("👍🏽", 12), ("❤️", 12), ("ｱ", 5), ("Ａ", 10)])
    func wideCharactersAreWide(_ text: String, _ width: Double) {
        #expect(abs(metrics.width(of: text) - width) < 0.01)
    }

    @Test func combiningMarksAddNothing() {
        #expect(metrics.width(of: "e\u{301}\u{302}") == metrics.width(of: "e"))
        #expect(metrics.width(of: "\u{301}") == 0)
    }

    @Test(arguments: [
        ("Hello", false), ("שלום", true), ("123 - שלום Hello", true), ("Hello שלום", false), ("", false),
        ("٣ Hello", false), ("«مرحبا»", true), ("🎉 مرحبا", true), ("12", false),
    ])
    func theFirstStrongCharacterDecidesTheDirection(_ text: String, _ isReversed: Bool) {
        #expect(text.isRightToLeft == isReversed)
    }

    @Test func hiddenCharactersAreShown() {
        #expect(lines("a\u{202E}b\u{0}c\td", 500) == [#"a\u{202e}b\u{0}c d"#])
        #expect(lines("\u{FFFE}\u{FFFF}", 500) == [#"\u{fffe}\u{ffff}"#])
    }

    @Test func eachViewHasItsLines() {
        var look = NotificationLookSample.long
        for (view, title, body) in [
            (NotificationDrawing.View.lockScreen, 1, 4), (.banner, 1, 2), (.expanded, 2, 24), (.shade, 1, 1),
            (.openShade, 1, 12),
        ] {
            look.platform = view.platform
            let shown = ShownNotification(look, app: "giants", view: view, language: .english)
            #expect(shown.title?.lines.count == title && shown.title?.isCut == true)
            #expect(shown.body?.lines.count == body && shown.body?.isCut == true)
        }
    }

    @Test func anIPhoneShowsAboutFortyLettersALine() throws {
        let shown = ShownNotification(NotificationLookSample.long, app: "giants", view: .lockScreen, language: .english)
        let letters = try #require(shown.body).lines.map(\.text.count)
        #expect(letters.allSatisfy { (34...50).contains($0) })
    }
}
