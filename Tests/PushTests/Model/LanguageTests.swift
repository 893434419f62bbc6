import Push
import Testing

@Suite struct LanguageTests {
    @Test(arguments: [
        ("zh_CN.UTF-8", Language?.some(.chinese)), ("zh_SG", .chinese), ("zh-Hans", .chinese),
        ("en_US.UTF-8", .english),
        ("C.UTF-8", nil), ("zh_TW.UTF-8", nil), ("de_DE@euro", nil), ("", nil),
    ])
    func aLocaleHasALanguage(_ locale: String, _ language: Language?) {
        #expect(Language(locale: locale) == language)
    }

    @Test(arguments: [
        ("zh-CN,zh;q=0.9,en;q=0.8", Language?.some(.chinese)), ("en-US,en;q=0.9,zh-CN;q=0.8", .english),
        ("de, zh;q=0.5, en;q=0.4", .chinese), ("zh-TW, en;q=0.3", .english), ("zh;q=0, en;q=0.1", .english),
        ("fr", nil), ("*", nil), ("", nil), (";;,,q=", nil),
    ])
    func aBrowserIsAnsweredInTheFirstLanguageThatThereIs(_ header: String, _ language: Language?) {
        #expect(Language(acceptLanguage: header) == language)
    }
}
