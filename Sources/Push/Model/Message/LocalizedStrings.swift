package import Base

/// The texts of an app's keys, as in a `strings` file.
package struct LocalizedStrings: Hashable, Sendable {
    /// The texts by their keys.
    package var texts: [String: String]
    package init(texts: [String: String]) { self.texts = texts }

    /// The text of a key with its placeholders filled; nil when there is no such key.
    ///
    /// Placeholders are `%@`, `%1$@`, `%d` and the other conversions of a format string; `%%` is a percent sign. A
    /// placeholder without an argument is kept as written.
    package func text(of key: String, arguments: [String]) -> String? {
        texts[key].map { FormatFiller.filled($0, with: arguments) }
    }

    /// A message's text with its key looked up; unchanged when the key is unknown.
    package func filled(_ text: LocalizableText) -> LocalizableText {
        switch text {
        case .text: text
        case .localized(let key, let arguments): self.text(of: key, arguments: arguments).map { .text($0) } ?? text
        }
    }
}

extension NotificationLook {
    /// The look with its keys replaced by the app's localized texts.
    package func filled(from strings: LocalizedStrings) -> NotificationLook { filled(by: strings.filled) }

    /// The look with its keys replaced by the texts that devices in its language show.
    package func filled(from catalog: StringCatalog) -> NotificationLook {
        filled { catalog.filled($0, in: language) }
    }

    private func filled(by text: (LocalizableText) -> LocalizableText) -> NotificationLook {
        var look = self
        look.title = title.map(text)
        look.subtitle = subtitle.map(text)
        look.body = body.map(text)
        return look
    }
}

extension LocalizedStrings {
    /// The largest file accepted, in bytes.
    package static let largestFile = 8 << 20

    /// Reads Apple's `strings` format: `"key" = "text";`, with comments, in UTF-8 or in UTF-16 with a byte order mark.
    ///
    /// For a duplicate key the last text counts, as in Apple's own reader. Diagnostics name the file as `file`.
    ///
    /// - Throws: a `Diagnostic` at the first syntax error.
    package init(strings bytes: [UInt8], file: String) throws(Diagnostic) {
        var parser = StringsParser(scalars: try Self.scalars(of: bytes, file: file), file: file)
        self.init(texts: try parser.parse())
    }

    private static func scalars(of bytes: [UInt8], file: String) throws(Diagnostic) -> [Unicode.Scalar] {
        func problem(_ message: String) -> Diagnostic {
            Diagnostic(
                .error, .encoding, message,
                at: SourceRange(file: file, start: SourcePosition(line: 1, column: 1)),
                help: "save the file as UTF-8")
        }
        guard bytes.count <= largestFile else { throw problem("the file has more than 8 MiB") }
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xFF, 0xFE), (0xFE, 0xFF):
            guard bytes.count.isMultiple(of: 2) else {
                throw problem("the file is not UTF-16: its last character is incomplete")
            }
            let (high, low) = bytes[0] == 0xFE ? (0, 1) : (1, 0)
            let units = stride(from: 2, to: bytes.count, by: 2).map { index in
                UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + low])
            }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw problem("the file is not UTF-16: half of a surrogate pair is missing")
            }
            return Array(text.unicodeScalars)
        default:
            let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
            guard let text = String(validating: body, as: UTF8.self) else {
                throw problem("the file is neither UTF-8 nor UTF-16 with a byte order mark")
            }
            return Array(text.unicodeScalars)
        }
    }
}

/// Parses the pairs of a `strings` file.
///
/// Source: Apple's "String Resources": old-style property list dictionaries without their braces.
struct StringsParser {
    private let scalars: [Unicode.Scalar]
    private let file: String
    private var index = 0

    init(scalars: [Unicode.Scalar], file: String) {
        self.scalars = scalars
        self.file = file
    }

    /// Parses all pairs.
    ///
    /// - Throws: a `Diagnostic` at the first syntax error.
    mutating func parse() throws(Diagnostic) -> [String: String] {
        var texts: [String: String] = [:]
        while true {
            try skipSpace()
            guard index < scalars.count else { return texts }
            let key = try word("a key")
            try skipSpace()
            guard peek == "=" else {
                // A key alone stands for itself.
                try expect(";", "'=' and a text, or ';',", after: key)
                texts[key] = key
                continue
            }
            index += 1
            try skipSpace()
            texts[key] = try word("a text")
            try skipSpace()
            try expect(";", "';'", after: key)
        }
    }

    private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func expect(_ scalar: Unicode.Scalar, _ what: String, after key: String) throws(Diagnostic) {
        guard peek == scalar else { throw problem("\(what) must follow \(quoted(key))", at: index) }
        index += 1
    }

    /// Skips white space and comments.
    private mutating func skipSpace() throws(Diagnostic) {
        while let scalar = peek {
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            if scalar == "/", next == "/" {
                while let other = peek, other != "\n", other != "\r", other.value != 0x2028 { index += 1 }
            } else if scalar == "/", next == "*" {
                let start = index
                index += 2
                while index + 1 < scalars.count, scalars[index] != "*" || scalars[index + 1] != "/" { index += 1 }
                guard index + 1 < scalars.count else {
                    throw problem("a comment that never ends: '*/' is missing", at: start)
                }
                index += 2
            } else if scalar.properties.isWhitespace {
                index += 1
            } else {
                return
            }
        }
    }

    /// Reads a quoted string or an unquoted word.
    private mutating func word(_ what: String) throws(Diagnostic) -> String {
        if peek == "\"" { return try quotedText() }
        let start = index
        while let scalar = peek, Self.standsUnquoted(scalar) { index += 1 }
        guard index > start else { throw problem("\(what) is expected here, in quotation marks", at: start) }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<index])
        return String(text)
    }

    private static func standsUnquoted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "$", ":", "/": true
        default: false
        }
    }

    private mutating func quotedText() throws(Diagnostic) -> String {
        let start = index
        index += 1
        var units: [UInt16] = []
        while let scalar = peek {
            index += 1
            switch scalar {
            case "\"":
                guard let text = String(validating: units, as: UTF16.self) else {
                    throw problem("an escape encodes half of a surrogate pair", at: start)
                }
                return text
            case "\\": try appendEscape(to: &units)
            default: units.append(contentsOf: String(scalar).utf16)
            }
        }
        throw problem("a text that never ends: its closing quotation mark is missing", at: start)
    }

    private mutating func appendEscape(to units: inout [UInt16]) throws(Diagnostic) {
        let start = index - 1
        guard let scalar = peek else { throw problem("a backslash at the end of the file", at: start) }
        index += 1
        switch scalar {
        case "n": units.append(0x0A)
        case "r": units.append(0x0D)
        case "t": units.append(0x09)
        case "a": units.append(0x07)
        case "b": units.append(0x08)
        case "f": units.append(0x0C)
        case "v": units.append(0x0B)
        case "\"", "\\", "'", "\n": units.append(contentsOf: String(scalar).utf16)
        case "U", "u": units.append(try number(radix: 16, digits: 4, from: start))
        case "0"..."7":
            index -= 1
            units.append(try number(radix: 8, digits: 3, from: start))
        default:
            throw problem(#"an unknown escape: only \n \t \" \\ and \Uxxxx are understood"#, at: start)
        }
    }

    /// Reads up to `digits` digits; of four hexadecimal ones, all are required.
    private mutating func number(radix: UInt16, digits: Int, from start: Int) throws(Diagnostic) -> UInt16 {
        var value: UInt16 = 0
        var count = 0
        while count < digits, let digit = peek.flatMap({ Character($0).hexDigitValue }), digit < radix {
            value = value * radix + UInt16(digit)
            index += 1
            count += 1
        }
        guard count > 0, radix == 8 || count == digits else {
            throw problem("\\U needs four hexadecimal digits", at: start)
        }
        return value
    }

    /// Lines and columns count from 1, columns in Unicode scalars.
    private func problem(_ message: String, at index: Int) -> Diagnostic {
        var (line, column) = (1, 1)
        for scalar in scalars[..<index] {
            if scalar == "\n" { (line, column) = (line + 1, 1) } else { column += 1 }
        }
        return Diagnostic(
            .error, .invalidValue, message,
            at: SourceRange(file: file, start: SourcePosition(line: line, column: column)),
            help: #"a strings file holds lines such as "key" = "text";"#)
    }
}

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
        func problem(_ message: String) -> Diagnostic {
            Diagnostic(
                .error, .invalidValue, message,
                at: SourceRange(file: file, start: SourcePosition(line: 1, column: 1)))
        }
        guard bytes.count <= LocalizedStrings.largestFile else { throw problem("the file has more than 8 MiB") }
        guard let root = try? JSONValue(parsing: bytes, limits: .anyMemory), let strings = root["strings"]?.object
        else {
            throw problem("this is not a string catalog: a JSON object with 'sourceLanguage' and 'strings'")
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

/// Fills the placeholders of a format string.
///
/// Source: Apple's "String Format Specifiers"; a localized argument of a push is always text, whatever the placeholder
/// says.
enum FormatFiller {
    /// Returns the format string with each placeholder replaced by its argument.
    static func filled(_ format: String, with arguments: [String]) -> String {
        pieces(of: format).map { text, argument -> String in
            guard let argument, arguments.indices.contains(argument) else { return String(text) }
            return arguments[argument]
        }.joined()
    }

    /// The number of arguments that a format string takes.
    static func arguments(of format: String) -> Int {
        1 + (pieces(of: format).compactMap { $0.argument }.max() ?? -1)
    }

    /// The words of a format string, and its placeholders with the indices of their arguments.
    private static func pieces(of format: String) -> [(text: Substring, argument: Int?)] {
        var pieces: [(text: Substring, argument: Int?)] = []
        var (rest, next) = (format[...], 0)
        while let percent = rest.firstIndex(of: "%") {
            pieces.append((rest[..<percent], nil))
            let placeholder = rest[percent...]
            rest = placeholder.dropFirst()
            if rest.first == "%" {
                rest.removeFirst()
            } else if let place = Place(rest) {
                pieces.append((placeholder.prefix(place.length + 1), place.position.map { $0 - 1 } ?? next))
                if place.position == nil { next += 1 }
                rest = rest.dropFirst(place.length)
                continue
            }
            pieces.append((placeholder.prefix(1), nil))
        }
        pieces.append((rest, nil))
        return pieces
    }

    /// A placeholder: `@`, `2$@`, `d`, `-5.2lf`.
    private struct Place {
        /// The number of its argument, from 1; nil: the next.
        var position: Int?
        /// The number of its characters after the percent sign.
        var length: Int

        private static let flags = Set("+-0#'")
        private static let modifiers = Set("hlqLztj")
        private static let conversions = Set("@dDiuUxXoOfFeEgGcCsSaAp")

        init?(_ text: Substring) {
            var characters = text.prefix(32)[...]
            let digits = characters.prefix { $0.isASCII && $0.isNumber }
            if !digits.isEmpty, characters.dropFirst(digits.count).first == "$" {
                guard let position = Int(digits), position > 0 else { return nil }
                self.position = position
                characters = characters.dropFirst(digits.count + 1)
            }
            characters = characters.drop { Self.flags.contains($0) || $0.isASCII && $0.isNumber || $0 == "." }
            characters = characters.drop(while: Self.modifiers.contains)
            guard let conversion = characters.first, Self.conversions.contains(conversion) else { return nil }
            length = text.distance(from: text.startIndex, to: characters.startIndex) + 1
        }
    }
}
