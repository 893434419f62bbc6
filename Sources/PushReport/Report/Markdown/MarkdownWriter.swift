internal import Base
internal import Push

/// Writes a comment for GitHub, GitLab and similar services.
///
/// Text from files only appears in HTML blocks, where Markdown is not interpreted. Words that hold a mention, a reference
/// or a URL are in `code` or `pre`, where no service makes links of them (``ReferenceSearch``); characters that could have
/// a meaning are also written as character references. A block ends at the first empty line, so none of its lines is
/// empty.
struct MarkdownWriter {
    let language: Language
    private(set) var bytes: [UInt8] = []
    /// The length in UTF-16 units, which is never less than what any service counts.
    private(set) var count = 0

    /// The maximum length of a text; longer ones are cut, since no field of a comment needs more.
    static let longest = 300

    init(_ language: Language) { self.language = language }

    /// Appends trusted markup.
    mutating func markup(_ text: String) { append(text.utf8) }

    mutating func append(_ other: MarkdownWriter) {
        bytes.append(contentsOf: other.bytes)
        count += other.count
    }

    /// Appends a text, in which the words that a service would make a link or a command of are code.
    mutating func text(_ text: String, upTo longest: Int = Self.longest) {
        guard ReferenceSearch.finds(in: text) else { return reference(text, upTo: longest) }
        let text = Self.cut(text, longest)
        guard let parts = ReferenceSearch.parts(of: text) else { return code(text, upTo: .max) }
        for part in parts {
            if part.isReference { code(part.text, upTo: .max) } else { reference(part.text, upTo: .max) }
        }
    }

    /// Appends a text between trusted markup.
    mutating func text(_ text: String, between start: String, and end: String, upTo longest: Int = Self.longest) {
        markup(start)
        self.text(text, upTo: longest)
        markup(end)
    }

    /// Appends texts, trusted markup around each and a break before each but the first.
    mutating func texts(_ texts: [String], broken: String, between start: String = "", and end: String = "") {
        for (index, text) in texts.enumerated() {
            self.text(text, between: index > 0 ? broken + start : start, and: end)
        }
    }

    /// Appends a text as code: a place in a file, or a key.
    mutating func code(_ text: String, upTo longest: Int = Self.longest) {
        markup("<code>")
        reference(text, upTo: longest)
        markup("</code>")
    }

    /// Appends preformatted lines; lines beyond a number of characters are replaced by an ellipsis.
    mutating func pre(_ text: String, upTo most: Int) {
        markup("<pre>\n")
        let start = count
        for line in text.split(separator: "\n") {
            guard count - start < most else {
                markup("…\n")
                break
            }
            reference(String(line), upTo: most)
            markup("\n")
        }
        markup("</pre>\n")
    }

    /// Appends a text, with a character reference for every character that could have a meaning.
    private mutating func reference(_ text: String, upTo longest: Int) {
        let start = bytes.count
        var shown: [UInt8] = []
        appendEscaped(Self.cut(text, longest), to: &shown)
        for (index, byte) in shown.enumerated() {
            switch byte {
            case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
            case UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "|"), UInt8(ascii: "\\"), UInt8(ascii: "#"),
                UInt8(ascii: "@"), UInt8(ascii: "$"):
                number(byte)
            case UInt8(ascii: ":") where index + 1 < shown.count && Self.joins(shown[index + 1]): number(byte)
            case UInt8(ascii: ".") where index > 0 && shown[index - 1] | 0x20 == UInt8(ascii: "w"): number(byte)
            default: bytes.append(byte)
            }
        }
        count += Self.units(bytes[start...])
    }

    /// True if a colon before this byte could begin a URL or a command.
    private static func joins(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":") }

    private mutating func number(_ byte: UInt8) { bytes.append(contentsOf: "&#\(byte);".utf8) }

    private mutating func append(_ text: String.UTF8View) {
        let start = bytes.count
        bytes.append(contentsOf: text)
        count += Self.units(bytes[start...])
    }

    /// The number of UTF-16 units of UTF-8 text.
    private static func units(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 >= 0xF0 ? 2 : 1) }
    }

    /// The beginning of a text, with an ellipsis if it was cut.
    private static func cut(_ text: String, _ longest: Int) -> String {
        guard text.utf8.count > longest, text.unicodeScalars.count > longest else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))) + "…"
    }
}

/// Finds what GitHub, GitLab or a similar service would make a link, an image or a command of: mentions, references to
/// issues, merge requests, commits and labels, URLs, emoji names, formulas, quick actions.
enum ReferenceSearch {
    /// True if a text holds any; punctuation alone, in whatever language, is none.
    static func finds(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.first != UInt8(ascii: "/") else { return true }
        var (hexadecimal, dollars) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : UInt8(ascii: " ")
            hexadecimal = isHexadecimal(byte) ? hexadecimal + 1 : 0
            if hexadecimal == shortestCommit { return true }
            let rest = bytes[(index + 1)...]
            let isFound: Bool =
                switch byte {
                case UInt8(ascii: "@"), UInt8(ascii: "#"): isWord(next)
                case UInt8(ascii: "~"), UInt8(ascii: "%"): isWord(next) || "\"-.?&".utf8.contains(next)
                case UInt8(ascii: "*"): isLetter(next) && rest.contains(UInt8(ascii: ":"))
                case UInt8(ascii: "!"), UInt8(ascii: "&"): isDigit(next)
                case UInt8(ascii: "-"): isDigit(next) && endsKey(bytes[..<index])
                case UInt8(ascii: ":"): rest.starts(with: "//".utf8) || isName(rest)
                case UInt8(ascii: "["): next == UInt8(ascii: "[") || isName(rest)
                case UInt8(ascii: "w"), UInt8(ascii: "W"): isWeb(bytes[index...])
                default: false
                }
            if isFound { return true }
            if byte == UInt8(ascii: "$") {
                dollars += 1
                // `$1` is a snippet, and what two of them enclose is a formula.
                if isDigit(next) || dollars == 2 { return true }
            }
        }
        return false
    }

    /// A text as the words that hold something, and what stands between them; nil if several words make one.
    static func parts(of text: String) -> [(text: String, isReference: Bool)]? {
        var (parts, plain, word) = ([(text: String, isReference: Bool)](), "", "")
        func isEnd(_ scalar: Unicode.Scalar) -> Bool { " ,;()，。；：、（）“”".unicodeScalars.contains(scalar) }
        func endWord() {
            if finds(in: word) {
                if !plain.isEmpty { parts.append((plain, false)) }
                parts.append((word, true))
                plain = ""
            } else {
                plain += word
            }
            word = ""
        }
        for scalar in text.unicodeScalars {
            if isEnd(scalar) {
                endWord()
                plain.unicodeScalars.append(scalar)
            } else {
                word.unicodeScalars.append(scalar)
            }
        }
        endWord()
        if !plain.isEmpty { parts.append((plain, false)) }
        return finds(in: parts.map { $0.isReference ? " " : $0.text }.joined()) ? nil : parts
    }

    /// The fewest hexadecimal digits that a service takes for a commit.
    private static let shortestCommit = 7

    /// True for a name that a colon ends: `tada:`, `feature_flag:`. Hours and minutes are none.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = bytes.prefix {
            $0 < 0x80 && isWord($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
        }
        guard !name.isEmpty, bytes.dropFirst(name.count).first == UInt8(ascii: ":") else { return false }
        return name.count > 2 || !name.allSatisfy(isDigit)
    }

    /// True if a word before a hyphen could be the key of a tracker, as in `GH-1`, `AB2-15` and `X_1-7`; dates are none.
    private static func endsKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.reversed().prefix { $0 < 0x80 && isWord($0) }.contains { isLetter($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isWeb(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.prefix(4).elementsEqual("www.".utf8) { $0 | 0x20 == $1 || $0 == $1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    /// True for a letter, a digit, `_`, and every byte beyond ASCII: a label may have any name.
    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
