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
    }

    /// Appends escaped text, coloured if enabled.
    mutating func write(_ text: String, _ paint: Paint? = nil) {
        if let paint, style.isColoured { bytes.append(contentsOf: "\u{1B}[\(paint.rawValue)m".utf8) }
        let start = bytes.count
        appendEscaped(shown(text), to: &bytes)
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
        let lines = TerminalLines.of(before + escaped(shown(text)), columns: max(columns - indent, Self.narrowest))
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
    func width(of text: String) -> Int { DisplayWidth.of(escaped(shown(text))) }

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

extension TextWriter {
    /// The text, with bugle's own punctuation replaced by ASCII unless lines may be Unicode.
    private func shown(_ text: String) -> String {
        if style.usesUnicode || text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
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
