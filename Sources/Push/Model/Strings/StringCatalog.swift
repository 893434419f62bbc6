package import Base

/// The texts of an app's keys in every language, as in its string catalogs (`xcstrings`, which are JSON).
package struct StringCatalog: Hashable, Sendable {
    /// The language in which the app was written: its text is shown where another is missing.
    package private(set) var source: String
    /// The languages in which any key has a text, sorted; the source language is one of them.
    package private(set) var languages: [String]
    private var entries: [String: Entry]

    /// A key of an app.
    private struct Entry: Hashable {
        var texts: [String: Text] = [:]
        /// False for a key that stands for itself in every language.
        var isTranslated: Bool
    }

    /// The format strings of a key in one language.
    fileprivate struct Text: Hashable {
        /// The text, or the most general of its variations.
        var general: String
        /// The texts for numbers and devices; empty without any.
        var variations: [String]
    }

    /// Reads a catalog.
    ///
    /// - Throws: a `Diagnostic` at the file's first line when it is none.
    package init(_ bytes: [UInt8], file: String) throws(Diagnostic) {
        guard bytes.count <= LocalizedStrings.largestFile,
            let root = try? JSONValue(parsing: bytes, limits: .anyMemory), let strings = root["strings"]?.object
        else {
            throw Diagnostic(
                .error, .invalidValue,
                "this is not a string catalog: a JSON object with 'sourceLanguage' and 'strings'",
                at: SourceRange(file: file, start: SourcePosition(line: 1, column: 1)))
        }
        source = root["sourceLanguage"]?.string ?? "en"
        var (entries, languages) = ([String: Entry](), Set([source]))
        for (key, value) in strings {
            var entry = Entry(isTranslated: value["shouldTranslate"]?.bool ?? true)
            entry.texts[source] = Text(general: key, variations: [])
            for (language, localization) in value["localizations"]?.object ?? [:] {
                guard let text = Text(localization) else { continue }
                entry.texts[language] = text
                languages.insert(language)
            }
            entries[key] = entry
        }
        self.entries = entries
        self.languages = languages.sorted()
    }

    /// Adds another catalog of the app; of a key in both, this one's texts count.
    package mutating func add(_ other: StringCatalog) {
        entries.merge(other.entries) { own, _ in own }
        languages = Set(languages).union(other.languages).sorted()
    }

    /// The texts of one language; nil: the source language. A key without a text in it is left out.
    package func strings(in language: String? = nil) -> LocalizedStrings {
        LocalizedStrings(texts: entries.compactMapValues { $0.texts[language ?? source]?.general })
    }

    /// A message's text in the language that a device with `language` gets; unchanged when the key is unknown.
    package func filled(_ text: LocalizableText, in language: String?) -> LocalizableText {
        guard case .localized(let key, let arguments) = text, let entry = entries[key] else { return text }
        let number = language.map { LanguageLookup(languages).number(for: $0) } ?? 0
        let format = entry.texts[number > 0 ? languages[number - 1] : source] ?? entry.texts[source]
        return .text(FormatFiller.filled(format?.general ?? key, with: arguments))
    }

    /// The mistakes in a reference to a key.
    package enum Mistake: Hashable, Sendable {
        /// No catalog has it; the nearest key that there is.
        case unknown(nearest: String?)
        /// It has no text in these languages.
        case untranslated([String])
        /// Its text in a language takes another number of arguments.
        case takes(Int, language: String)
    }

    /// Checks a reference to a key with a number of arguments.
    ///
    /// Variations may leave arguments out: "one goal" for `%d`.
    package func mistakes(inKey key: String, arguments: Int) -> [Mistake] {
        guard let entry = entries[key] else {
            return [.unknown(nearest: Suggestion.nearest(to: key, among: entries.keys.sorted()))]
        }
        let missing = entry.isTranslated ? languages.filter { entry.texts[$0] == nil } : []
        let wrong = languages.lazy.compactMap { language -> Mistake? in
            guard let text = entry.texts[language] else { return nil }
            let counts = ([text.general] + text.variations).map(FormatFiller.arguments)
            guard let most = counts.max(), most != arguments else { return nil }
            return .takes(most, language: language)
        }
        return (missing.isEmpty ? [] : [.untranslated(missing)]) + wrong.prefix(1)
    }
}

extension StringCatalog.Text {
    /// Reads a localization; nil when it has no text, or only one that nobody has translated yet.
    fileprivate init?(_ localization: JSONValue) {
        if let unit = localization["stringUnit"] {
            guard let value = unit["value"]?.string, unit["state"] != "new" else { return nil }
            self.init(general: value, variations: [])
            return
        }
        var (general, variations) = (String?.none, [String]())
        for kind in ["plural", "device"] {
            for (name, form) in localization["variations"]?[kind]?.object ?? [:] {
                guard let text = Self(form) else { continue }
                variations += [text.general] + text.variations
                if name == "other", general == nil { general = text.general }
            }
        }
        guard let general else { return nil }
        self.init(general: general, variations: variations)
    }
}
