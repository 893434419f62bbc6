import Base
import Push
import Testing

@Suite struct StringCatalogTests {
    static let catalog = """
        {"sourceLanguage": "en", "version": "1.0", "strings": {
          "SCORE": {"localizations": {
            "en": {"stringUnit": {"state": "translated", "value": "%1$@ won %2$@"}},
            "de": {"stringUnit": {"state": "translated", "value": "%2$@ für %1$@"}},
            "zh-Hant": {"stringUnit": {"state": "translated", "value": "%@ 贏了 %@"}}}},
          "GOALS": {"localizations": {
            "en": {"variations": {"plural": {
              "one": {"stringUnit": {"state": "translated", "value": "one goal"}},
              "other": {"stringUnit": {"state": "translated", "value": "%d goals"}}}}},
            "de": {"stringUnit": {"state": "new", "value": ""}}}},
          "bugle": {"shouldTranslate": false},
          "WRONG": {"localizations": {
            "de": {"stringUnit": {"state": "translated", "value": "%@ und %@"}},
            "zh-Hant": {"stringUnit": {"state": "translated", "value": "100%%"}}}}
        }}
        """

    private static func diagnostics(of message: String, audience: String = "everyone: true") async -> [String] {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", SampleFiles.workspace + "strings: [App/Localizable.xcstrings]\n")
        folder.write("App/Localizable.xcstrings", catalog)
        folder.write("a.yaml", "kind: Campaign\nname: a\naudience: {\(audience)}\nmessage:\n  \(message)\n")
        return await folder.lines()
    }

    @Test(
        arguments: [
            ("body: {key: SCORE, args: [a, b]}", []), ("body: {key: bugle}", []),
            (
                "body: {key: SCROE, args: [a]}",
                ["a.yaml:5:9: error: no string catalog has the key 'SCROE'; did you mean 'SCORE'?"]
            ),
            (
                "body: {key: SCORE, args: [a]}",
                ["a.yaml:5:9: error: the text of 'SCORE' in de takes 2 arguments, not 1"]
            ),
            ("title: {key: GOALS, args: ['2']}", ["a.yaml:5:10: warning: the key 'GOALS' has no text in de, zh-Hant"]),
            ("title: {key: WRONG}", ["a.yaml:5:10: error: the text of 'WRONG' in de takes 2 arguments, not 0"]),
            (
                "{ios: {body: {key: NONE}}, body: x}", ["a.yaml:5:16: error: no string catalog has the key 'NONE'"]
            ),
        ])
    func aKeyIsLookedUpInEveryLanguage(_ message: String, _ mistakes: [String]) async {
        let lines = await Self.diagnostics(of: message)
        #expect(lines.count == mistakes.count, "\(lines)")
        for (line, mistake) in zip(lines, mistakes) { #expect(line.hasPrefix(mistake), "\(line)") }
    }

    @Test func keysOfAnAndroidAppAreNotLookedUp() async {
        #expect(
            await Self.diagnostics(of: "body: {key: NONE}", audience: "everyone: true, platforms: [android]")
                .filter { $0.contains("catalog") } == [])
    }

    @Test func aDeviceShowsTheTextOfItsLanguageOrElseOfTheSource() throws {
        let catalog = try StringCatalog(Array(Self.catalog.utf8), file: "x")
        let text = LocalizableText.localized(key: "SCORE", arguments: ["a", "b"])
        let shown = ["de-AT", "zh_TW", "zh-Hans", "fr", "nonsense", nil].map { catalog.filled(text, in: $0).shownText }
        #expect(shown == ["b für a", "a 贏了 b", "a won b", "a won b", "a won b", "a won b"])
        let goals = LocalizableText.localized(key: "GOALS", arguments: ["2"])
        #expect(["en", "de"].map { catalog.filled(goals, in: $0).shownText } == ["2 goals", "2 goals"])
        #expect(catalog.filled(.localized(key: "NONE", arguments: []), in: "de").shownText == "NONE")
        #expect(catalog.languages == ["de", "en", "zh-Hant"])
    }

    @Test func whatIsNoCatalogIsReportedWhereItIsNamed() async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", WorkspaceRuleTests.head + "strings: [a.xcstrings]\n")
        folder.write("a.xcstrings", "[]")
        #expect(
            await folder.lines() == [
                "3:11: error: 'a.xcstrings': this is not a string catalog: a JSON object with 'sourceLanguage' and 'strings' "
                    + "[invalid-value]"
            ])
    }

    /// A megabyte is what a configuration may have.
    @Test func aCatalogMayHaveEightMegabytes() async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", WorkspaceRuleTests.head + "strings: [a.xcstrings]\n")
        func write(_ count: Int) {
            let comment = String(repeating: "x", count: count)
            folder.write("a.xcstrings", #"{"sourceLanguage": "en", "strings": {"A": {"comment": "\#(comment)"}}}"#)
        }
        write(3 << 19)
        #expect(await folder.load().workspace?.strings?.strings().texts == ["A": "A"])
        write(8 << 20)
        #expect(await folder.lines() == ["3:11: error: 'a.xcstrings': the file has more than 8 MiB [invalid-value]"])
    }

    @Test func ofTwoCatalogsTheFirstCounts() async throws {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", WorkspaceRuleTests.head + "strings: [a.xcstrings, b.xcstrings]\n")
        for (name, key) in [("a", "A"), ("b", "B")] {
            folder.write(
                "\(name).xcstrings",
                #"{"sourceLanguage": "en", "strings": {"\#(key)": {}, "BOTH": {"localizations": {"en": {"stringUnit": {"value": "\#(name)"}}}}}}"#
            )
        }
        let strings = try #require(await folder.load().workspace?.strings)
        #expect(strings.strings().texts == ["A": "A", "B": "B", "BOTH": "a"])
    }
}
