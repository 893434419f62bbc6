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

    private init(
        arrow: String, openQuote: String, closeQuote: String, symbols: @escaping @Sendable (Mark) -> String
    ) {
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
