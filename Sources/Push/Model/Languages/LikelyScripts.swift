/// The scripts in which languages are usually written.
///
/// Source: Unicode CLDR, "Likely Subtags", for the languages that Apple's systems and Android offer.
enum LikelyScripts {
    /// The script by language.
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
