internal import Diagnostics
internal import PushModel
internal import PushPreview

/// Writes lines of text and tracks the column.
struct TextWriter {
    private(set) var bytes: [UInt8] = []

    /// Reserves capacity, so that a large text is not moved while it grows.
    mutating func reserve(_ capacity: Int) { bytes.reserveCapacity(capacity) }

    /// The columns of a terminal that no line of results or tables exceeds.
    static let width = 80
    /// The column of what is written next, counted from 0.
    private(set) var column = 0
    private let style: TextStyle
    /// The output language.
    let language: Language
    let glyphs: Glyphs
    /// True if lines may contain non-ASCII characters.
    var usesUnicode: Bool { style.usesUnicode }

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

    /// Appends spaces up to a column, counted from 0; at least `gap`.
    mutating func pad(to target: Int, gap: Int = 0) {
        let count = max(target - column, gap)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count))
        column += count
    }

    /// The columns that a text takes.
    func width(of text: String) -> Int { DisplayWidth.of(escaped(style.usesUnicode ? text : Glyphs.plain(text))) }

    /// Appends a text as lines between a column and the width, and ends them.
    mutating func writeLines(_ text: String, _ paint: Paint? = nil, from start: Int) {
        let shown = escaped(style.usesUnicode ? text : Glyphs.plain(text))
        for line in TerminalLines.of(shown, columns: Self.width - start) {
            pad(to: start)
            write(line, paint)
            endLine()
        }
    }

    /// Ends the line.
    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        column = 0
    }
}
