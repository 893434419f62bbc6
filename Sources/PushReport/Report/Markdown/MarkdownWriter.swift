internal import Base
internal import Push

/// Writes a comment for GitHub, GitLab and similar services.
///
/// Text from files only appears in HTML blocks, where Markdown is not interpreted. Words that hold a mention, a reference
/// or a URL are in `code` or `pre`, where no service makes links of them (``ReferenceSearch``); characters that could have
/// a meaning are also written as character references. A block ends at the first empty line, so none of its lines is
/// empty.
struct MarkdownWriter {
    /// The output language.
    let language: Language
    private(set) var bytes: [UInt8] = []
    /// The length in UTF-16 units, which is never less than what any service counts.
    private(set) var count = 0

    /// The maximum length of a text; longer ones are cut, since no field of a comment needs more.
    static let longest = 300

    init(_ language: Language) { self.language = language }

    /// Appends trusted markup.
    mutating func markup(_ text: String) { append(text.utf8) }

    /// Appends the output of another writer.
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
