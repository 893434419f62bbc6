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

    /// The tag in its usual spelling.
    package var text: String { [language, script, region].compactMap(\.self).joined(separator: "-") }

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
        (1...8).contains(part.utf8.count) && part.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    private static func isRegion(_ part: Substring) -> Bool {
        part.count == 2 && isAlphabetic(part) || part.count == 3 && part.utf8.allSatisfy(isDigit)
    }

    private static func isAlphabetic(_ part: some StringProtocol) -> Bool { part.utf8.allSatisfy(isLetter) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
