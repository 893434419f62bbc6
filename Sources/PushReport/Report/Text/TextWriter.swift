internal import Base
internal import Push

/// Writes lines of text and tracks the column.
struct TextWriter {
    private(set) var bytes: [UInt8] = []

    /// Reserves capacity, so that a large text is not moved while it grows.
    mutating func reserve(_ capacity: Int) { bytes.reserveCapacity(capacity) }

    /// The column of what is written next, counted from 0.
    private(set) var column = 0
    private let style: TextStyle
    let language: Language
    let glyphs: Glyphs
    /// True if lines may contain non-ASCII characters.
    var usesUnicode: Bool { style.usesUnicode }
    /// The columns of tables and results: those of the terminal, else 80.
    var width: Int { style.columns ?? 80 }

    /// The colours of text, as Select Graphic Rendition of ECMA-48.
    enum Paint: String {
        case bold = "1"
        case dim = "2"
        case red = "1;31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    init(style: TextStyle, language: Language) {
        self.style = style
        self.language = language
        glyphs = style.usesUnicode ? .unicode : .ascii
    }

    /// Appends escaped text, coloured if enabled.
    mutating func write(_ text: String, _ paint: Paint? = nil) {
        if let paint, style.isColoured { bytes.append(contentsOf: "\u{1B}[\(paint.rawValue)m".utf8) }
        let start = bytes.count
        appendEscaped(style.usesUnicode ? text : Glyphs.plain(text), to: &bytes)
        column += DisplayWidth.of(bytes[start...])
        if paint != nil, style.isColoured { bytes.append(contentsOf: "\u{1B}[0m".utf8) }
    }

    /// The fewest columns between the indent and the end of a line.
    private static let narrowest = 24

    /// Appends text that goes on in further lines where the terminal ends, or at a limit, each after `indent` spaces.
    mutating func write(_ text: String, _ paint: Paint? = nil, wrappedTo indent: Int, within limit: Int? = nil) {
        guard let columns = limit ?? style.columns, !fits(text, from: column, within: limit) else {
            return write(text, paint)
        }
        // What stands before it on its first line takes room, too.
        let before = column > indent ? String(repeating: "-", count: column - indent - 1) + " " : ""
        let shown = escaped(style.usesUnicode ? text : Glyphs.plain(text))
        let lines = TerminalLines.of(before + shown, columns: max(columns - indent, Self.narrowest))
        for (index, line) in lines.enumerated() {
            if index > 0 {
                // Nothing of a text without spaces may fit beside what stands before it.
                while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
                endLine()
                pad(to: indent)
            }
            let part = index == 0 ? String(line.dropFirst(before.count)) : line
            if !part.isEmpty { write(part, paint) }
        }
    }

    /// True if a text ends before the terminal does, or a limit, when it begins at a column.
    func fits(_ text: String, from column: Int, within limit: Int? = nil) -> Bool {
        (limit ?? style.columns).map { column + width(of: text) <= $0 } ?? true
    }

    /// Appends spaces up to a column, counted from 0; at least `gap`.
    mutating func pad(to target: Int, gap: Int = 0) {
        let count = max(target - column, gap)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count))
        column += count
    }

    /// The columns that a text takes.
    func width(of text: String) -> Int { DisplayWidth.of(escaped(style.usesUnicode ? text : Glyphs.plain(text))) }

    /// Appends text and ends the line.
    mutating func line(_ text: String, _ paint: Paint? = nil) {
        write(text, paint)
        endLine()
    }

    /// Appends text that goes on in further lines, and ends the last one.
    mutating func line(_ text: String, _ paint: Paint? = nil, wrappedTo indent: Int) {
        write(text, paint, wrappedTo: indent)
        endLine()
    }

    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        column = 0
    }
}

/// The symbols of text reports, in Unicode or as ASCII stand-ins.
struct Glyphs: Sendable {
    /// The arrow between an old value and a new one.
    let arrow: String
    /// The opening quotation mark of text that a device shows.
    let openQuote: String
    /// The closing quotation mark.
    let closeQuote: String
    private let symbols: @Sendable (Mark) -> String

    /// The symbol of a mark, one column wide.
    func symbol(_ mark: Mark) -> String { symbols(mark) }

    /// The symbols for UTF-8 locales.
    static let unicode = Glyphs(arrow: "→", openQuote: "“", closeQuote: "”") { mark in
        switch mark {
        case .create: "+"
        case .update: "~"
        case .delete: "-"
        case .send: "▶"
        case .schedule: "◷"
        case .cancel: "✕"
        case .resume: "↻"
        case .blocked: "!"
        case .wait: "…"
        case .missed: "∅"
        case .unknown: "?"
        case .done: "✓"
        case .ongoing: "▶"
        case .partly: "◐"
        case .failed: "✗"
        case .skipped: "·"
        }
    }

    /// The symbols for other locales.
    static let ascii = Glyphs(arrow: "->", openQuote: "\"", closeQuote: "\"") { mark in
        switch mark {
        case .create: "+"
        case .update: "~"
        case .delete: "-"
        case .send: ">"
        case .schedule: "@"
        case .cancel: "x"
        case .resume: "r"
        case .blocked: "!"
        case .wait: "."
        case .missed: "0"
        case .unknown: "?"
        case .done: "="
        case .ongoing: ">"
        case .partly: "%"
        case .failed: "x"
        case .skipped: "."
        }
    }

    private init(arrow: String, openQuote: String, closeQuote: String, symbols: @escaping @Sendable (Mark) -> String) {
        self.arrow = arrow
        self.openQuote = openQuote
        self.closeQuote = closeQuote
        self.symbols = symbols
    }

    /// A text with bugle's own punctuation replaced by ASCII.
    static func plain(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var plain = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "…": plain += "..."
            case "·", "–": plain += "-"
            case "→": plain += "->"
            case "“", "”": plain += "\""
            default: plain.unicodeScalars.append(scalar)
            }
        }
        return plain
    }
}
