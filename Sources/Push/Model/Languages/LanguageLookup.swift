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
