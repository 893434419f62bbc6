import Push
import Testing

@Suite struct LanguageLookupTests {
    private static let languages = LanguageLookup([
        "ar", "de", "en", "en-GB", "es", "es-419", "fr", "he", "id", "nb", "pt", "pt-BR", "sr", "sr-Latn", "uz",
        "zh-Hans",
        "zh-Hant", "zh-HK",
    ])

    /// The language that a device gets by what it reports; nil: the message itself.
    private static let rows: [(reported: String, language: String?)] = [
        // Chinese: by its script, said or likely.
        ("zh", "zh-Hans"), ("zh-CN", "zh-Hans"), ("zh_CN", "zh-Hans"), ("zh-SG", "zh-Hans"), ("zh-Hans-US", "zh-Hans"),
        ("zh-Hans-HK", "zh-Hans"), ("zh_TW", "zh-Hant"), ("zh-TW", "zh-Hant"), ("zh-MO", "zh-Hant"),
        ("zh-Hant-TW", "zh-Hant"), ("zh-Hant", "zh-Hant"), ("ZH-HANT-tw", "zh-Hant"), ("zh-HK", "zh-HK"),
        ("zh-Hant-HK", "zh-HK"), ("zh_Hant_HK", "zh-HK"), ("cmn-Hans", "zh-Hans"), ("zh-cmn-Hant", "zh-Hant"),
        ("zh-yue", nil), ("yue", nil), ("zh-Latn", nil), ("zh-Hant-CN", "zh-Hant"),
        // Serbian and Uzbek: never the other script.
        ("sr", "sr"), ("sr-RS", "sr"), ("sr-Cyrl-ME", "sr"), ("sr-Latn", "sr-Latn"), ("sr-Latn-RS", "sr-Latn"),
        ("sr-ME", "sr-Latn"), ("sh", "sr-Latn"), ("uz", "uz"), ("uz-Latn-UZ", "uz"), ("uz-Cyrl", nil), ("uz-AF", nil),
        // Regions: the nearest that is said, and never another one.
        ("en", "en"), ("en-US", "en"), ("en-GB", "en-GB"), ("en_gb", "en-GB"), ("en-AU", "en"), ("en-Latn-GB", "en-GB"),
        ("en-Dsrt", nil), ("es", "es"), ("es-ES", "es"), ("es-419", "es-419"), ("es-MX", "es"), ("pt", "pt"),
        ("pt-PT", "pt"), ("pt-BR", "pt-BR"), ("pt_BR.UTF-8", "pt-BR"), ("de-1996", "de"), ("de-CH-1996", "de"),
        ("de-u-co-phonebk", "de"), ("fr-CA-x-home", "fr"), ("sl-rozaj-biske", nil),
        // Former codes.
        ("iw", "he"), ("iw-IL", "he"), ("he", "he"), ("in", "id"), ("in_ID", "id"), ("no", "nb"), ("nb-NO", "nb"),
        ("nn", nil),
        // Nonsense.
        ("", nil), ("-", nil), ("e", nil), ("english", nil), ("en--US", nil), ("12", nil), ("zh Hans", nil),
        ("und", nil),
        ("*", nil), ("i-klingon", nil), ("x-private", nil), ("en\u{0}", nil), ("中文", nil),
        (String(repeating: "en-", count: 100), nil),
    ]

    @Test(arguments: rows)
    func aDeviceGetsTheLanguageThatItReadsAndNeverTheWrongScript(_ row: (reported: String, language: String?)) {
        let number = Self.languages.number(for: row.reported)
        let language = number == 0 ? nil : Self.languages.names[number - 1]
        #expect(language == row.language)
    }

    @Test func aLanguageThatIsOnlyDeclaredForARegionIsForThatRegion() {
        let lookup = LanguageLookup(["pt-BR", "zh-TW"])
        #expect(["pt", "pt-PT", "pt-BR"].map(lookup.number) == [0, 0, 1])
        #expect(["zh-Hant", "zh-TW", "zh-Hant-TW", "zh-HK", "zh"].map(lookup.number) == [0, 2, 2, 0, 0])
    }

    @Test(arguments: [
        (["zh", "zh-Hans"], true), (["zh-TW", "zh-Hant-TW"], true), (["iw", "he"], true), (["en", "EN"], true),
        (["zh-Hans", "zh-Hant"], false), (["en", "en-GB"], false), (["sr", "sr-Latn"], false),
    ])
    func twoNamesOfOneLanguageAreFound(_ names: [String], _ areTwins: Bool) {
        #expect((LanguageLookup(names).twins != nil) == areTwins)
    }
}
