package import Diagnostics
internal import JSONValue

extension LocalizedStrings {
    /// Reads the texts of one language of a string catalog (`xcstrings`, which is JSON).
    ///
    /// For a text with variations (by number or device) the form `other` is used; a key without a text in the language
    /// stands for itself if that is the catalog's source language, and is left out otherwise.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - language: the language's identifier; nil: the catalog's source language.
    ///   - file: the file's name, for diagnostics.
    /// - Throws: a `Diagnostic` when it is not a string catalog.
    package init(catalog bytes: [UInt8], language: String? = nil, file: String) throws(Diagnostic) {
        guard bytes.count <= Self.largestFile, let root = try? JSONValue(parsing: bytes, limits: .anyMemory),
            let entries = root["strings"]?.object
        else {
            throw Diagnostic(
                .error, .invalidValue,
                "this is not a string catalog: a JSON object with 'sourceLanguage' and 'strings'",
                at: SourceRange(file: file, start: SourcePosition(line: 1, column: 1)))
        }
        let source = root["sourceLanguage"]?.string
        let wanted = language ?? source ?? "en"
        var texts: [String: String] = [:]
        for (key, entry) in entries {
            let unit = entry["localizations"]?[wanted]
            texts[key] = unit.flatMap(Self.text) ?? (wanted == source ? key : nil)
        }
        self.init(texts: texts)
    }

    /// The text of a localization: its own, or the most general of its variations.
    private static func text(_ localization: JSONValue) -> String? {
        if let value = localization["stringUnit"]?["value"]?.string { return value }
        for kind in ["plural", "device"] {
            if let other = localization["variations"]?[kind]?["other"], let text = text(other) { return text }
        }
        return nil
    }
}
