internal import Base

/// A language as BCP 47 names it, such as `zh-Hant-HK`, as far as it decides which words a person reads.
///
/// Variants and extensions are dropped: no translation is chosen by them.
package struct LanguageTag: Hashable, Sendable {
    /// The language, in lower case, by its present code: `he`, not `iw`.
    package let language: String
    /// The script as written, such as `Hant`; nil when the tag leaves it open.
    package let script: String?
    /// The country or region, in upper case; nil when the tag leaves it open.
    package let region: String?

    /// Reads a tag as devices and files write it: `zh-Hans-CN`, `zh_TW`, `pt-br`, `de_DE.UTF-8`.
    ///
    /// Nil when the text is no language tag.
    package init?(_ text: String) {
        // POSIX adds an encoding and a modifier.
        let name = text.prefix { $0 != "." && $0 != "@" }
        guard name.utf8.count <= Self.longest else { return nil }
        var parts = name.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }[...]
        guard parts.allSatisfy(Self.isSubtag) else { return nil }
        guard var language = parts.popFirst()?.lowercased(), (2...3).contains(language.count),
            Self.isAlphabetic(language)
        else { return nil }
        // An extended language stands for the pair: zh-yue is yue.
        if let extended = parts.first, extended.count == 3, Self.isAlphabetic(extended) {
            language = extended.lowercased()
            parts.removeFirst()
        }
        var script: String?
        if let written = parts.first, written.count == 4, Self.isAlphabetic(written) {
            script = written.prefix(1).uppercased() + written.dropFirst().lowercased()
            parts.removeFirst()
        }
        var region: String?
        if let written = parts.first, Self.isRegion(written) { region = written.uppercased() }
        let former = Self.former[language]
        self.language = former?.language ?? language
        self.script = script ?? former?.script
        self.region = region
    }

    /// True for a tag as files write it: a language, perhaps a script, perhaps a region, joined by `-`.
    package static func isName(_ text: String) -> Bool {
        var parts = text.split(separator: "-", omittingEmptySubsequences: false)[...]
        guard let language = parts.popFirst(), (2...3).contains(language.count), isAlphabetic(language) else {
            return false
        }
        if let script = parts.first, script.count == 4, isAlphabetic(script) { parts.removeFirst() }
        if let region = parts.first, isRegion(region) { parts.removeFirst() }
        return parts.isEmpty
    }

    /// The script of its words: the written one, else the one that its speakers use in that region; nil when that is not
    /// known.
    package var likelyScript: String? {
        script ?? region.flatMap { LikelyScripts.ofRegions["\(language)-\($0)"] } ?? LikelyScripts.ofLanguages[language]
    }

    private static let longest = 64

    /// The codes that older systems still report, with what they are now.
    private static let former: [String: (language: String, script: String?)] = [
        "iw": ("he", nil), "in": ("id", nil), "ji": ("yi", nil), "jw": ("jv", nil), "mo": ("ro", nil),
        "no": ("nb", nil), "tl": ("fil", nil), "cmn": ("zh", nil), "sh": ("sr", "Latn"),
    ]

    private static func isSubtag(_ part: Substring) -> Bool {
        (1...8).contains(part.utf8.count) && part.utf8.allSatisfy(\.isLetterOrDigit)
    }

    private static func isRegion(_ part: Substring) -> Bool {
        part.count == 2 && isAlphabetic(part) || part.count == 3 && part.utf8.allSatisfy(\.isDigit)
    }

    private static func isAlphabetic(_ part: some StringProtocol) -> Bool { part.utf8.allSatisfy(\.isLetter) }
}

/// The languages that a message has, and the choice among them for a device.
///
/// RFC 4647, section 3.4, "Lookup", with likely scripts: what a device asks for is shortened from its end until a
/// language fits, and a language in another script never does.
package struct LanguageLookup: Hashable, Sendable {
    /// The names of the languages, in the order of their numbers, from 1.
    package let names: [String]
    private let places: [Place: Int]

    /// A language in a script, and perhaps for a region only.
    private struct Place: Hashable {
        let language: String
        let script: String?
        let region: String?

        init(_ tag: LanguageTag, region: String?) {
            (language, script, self.region) = (tag.language, tag.likelyScript, region)
        }
    }

    /// Creates the choice: if two names stand for one language, the first is used; a name of no language matches nobody.
    package init(_ names: [String]) {
        self.names = names
        places = Dictionary(
            names.enumerated().compactMap { index, name in
                LanguageTag(name).map { (Place($0, region: $0.region), index + 1) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The number of the language for a device that reports `text`; 0 when none fits, or the text is no language.
    package func number(for text: String) -> Int {
        guard let wanted = LanguageTag(text) else { return 0 }
        return places[Place(wanted, region: wanted.region)] ?? places[Place(wanted, region: nil)] ?? 0
    }

    /// The first two names of the same language; nil when all differ.
    package var twins: (String, String)? {
        for (index, name) in names.enumerated() {
            guard let tag = LanguageTag(name), let number = places[Place(tag, region: tag.region)] else { continue }
            if number != index + 1 { return (names[number - 1], name) }
        }
        return nil
    }
}

/// The scripts in which languages are usually written.
///
/// Source: Unicode CLDR, "Likely Subtags", for the languages that Apple's systems and Android offer.
enum LikelyScripts {
    static let ofLanguages = byLanguage([
        "Latn": """
        af ak asa ast az bm br bs ca ceb co cs cy da de dsb ee en eo es et eu ff fi fil fo fr frr fur fy ga gd \
        gl gn gsw gv ha haw hmn hr hsb ht hu ia id ig is it jv kab kea ki kl kw ku lb lg ln lt luo lv mfe mg mi ms mt \
        nb nds nl nn no nso ny oc om pl pt qu rm rn ro rw sc se sg sk sl sm sn so sq ss st su sv sw tet tk tn to tr ts \
        uz ve vi vo wa wo xh yo za zu
        """,
        "Arab": "ar arz ary ckb fa ks lrc mzn pnb prs ps sd ug ur", "Hebr": "he yi", "Grek": "el",
        "Cyrl": "ab av ba be bg bxr ce cv kk kv ky mk mn myv os ru sah sr tg tt tyv udm uk", "Armn": "hy",
        "Geor": "ka", "Hans": "zh wuu hsn gan", "Hant": "yue hak nan lzh", "Jpan": "ja", "Kore": "ko",
        "Deva": "awa bho brx doi gom hi kok mai mr mwr ne new sa", "Beng": "as bn mni bpy", "Guru": "pa", "Gujr": "gu",
        "Orya": "or", "Taml": "ta", "Telu": "te", "Knda": "kn tcy", "Mlym": "ml", "Sinh": "si", "Thai": "th",
        "Laoo": "lo", "Mymr": "my shn", "Khmr": "km", "Tibt": "bo dz", "Ethi": "am ti", "Thaa": "dv", "Cher": "chr",
        "Olck": "sat", "Cans": "iu cr", "Tfng": "zgh shi",
    ])

    /// The script by language and region, where that differs.
    static let ofRegions = byLanguage([
        "Hant": "zh-TW zh-HK zh-MO zh-AU zh-BN zh-GB zh-GF zh-ID zh-PA zh-PF zh-PH zh-SR zh-TH zh-US zh-VN",
        "Hans": "yue-CN", "Latn": "sr-ME sr-RO sr-TR ug-TR kk-TR tt-TR",
        "Cyrl": "az-RU ug-KZ ug-MN uz-KZ uz-CN",
        "Arab": """
        az-IR az-IQ kk-AF kk-CN kk-IR kk-MN ky-CN ku-IQ ku-IR ku-LB ms-CC pa-PK ha-CM ha-SD tg-PK tk-AF uz-AF
        """,
        "Deva": "sd-IN", "Mong": "mn-CN",
    ])

    private static func byLanguage(_ scripts: [String: String]) -> [String: String] {
        var result: [String: String] = [:]
        for (script, languages) in scripts {
            for language in languages.split(whereSeparator: \.isWhitespace) { result[String(language)] = script }
        }
        return result
    }
}
