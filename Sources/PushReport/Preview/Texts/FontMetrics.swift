internal import Base

/// Estimated text widths, as far as the fonts of iPhones and Android devices agree.
///
/// The widths are estimates in em by class of character; no font is read. Text is cut within a few characters of where
/// a
/// device cuts it, which is accurate enough for a reviewer.
struct FontMetrics: Hashable {
    /// The font's size, in points.
    var size: Double
    /// True for a title's font, whose letters are a little wider.
    var isBold = false
    /// True for the columns of a terminal.
    var isTerminal = false

    /// The character that marks cut text.
    static let ellipsis: Character = "…"

    /// The width of a character as perceived: emoji sequences, flags and letters with their marks are one.
    func width(of character: Character) -> Double {
        isTerminal ? Double(DisplayWidth.of(String(character))) : Self.em(character) * size * (isBold ? 1.06 : 1)
    }

    /// The width of a text.
    func width(of text: String) -> Double { text.reduce(0) { $0 + width(of: $1) } }

    /// The width in em; combining marks add nothing to their base character.
    private static func em(_ character: Character) -> Double {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        let value = scalar.value
        if value < 0x80, character.unicodeScalars.dropFirst().first?.value != 0xFE0F { return ascii(UInt8(value)) }
        // A shortcut for most of Chinese.
        if (0x4E00...0x9FFF).contains(value) { return 1 }
        if character.isDrawnAsEmoji { return 1.2 }
        switch DisplayWidth.of(String(scalar)) {
        case 0: return 0
        case 1: break
        default: return 1
        }
        switch value {
        case 0x2014, 0x2026: return 0.95
        case 0x2010...0x2013: return 0.5
        case 0x2018...0x201A: return 0.24
        case 0x201C...0x201E: return 0.38
        case 0xFF61...0xFF9F: return 0.5
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC: return 0.5
        case 0xE00...0xEFF: return 0.55
        default: return scalar.properties.isUppercase ? 0.68 : 0.56
        }
    }

    private static func ascii(_ byte: UInt8) -> Double {
        switch Character(Unicode.Scalar(byte)) {
        case "i", "j", "l", "'", "|": 0.23
        case "I", ".", ",", ":", ";", "!", "/", "\\", "[", "]", "f", "t", " ": 0.28
        case "-", "r", "(", ")", "`", "\"", "{", "}", "*": 0.35
        case "k", "c", "s", "v", "x", "y", "z", "J", "^": 0.5
        case "A", "B", "E", "K", "P", "S", "V", "X", "Y", "Z", "F", "T", "L", "&": 0.65
        case "C", "D", "H", "N", "R", "U", "w": 0.72
        case "G", "O", "Q": 0.78
        case "m", "M": 0.85
        case "W", "%", "@": 0.94
        default: 0.56
        }
    }
}

extension Character {
    /// True when systems draw it from their emoji font.
    var isDrawnAsEmoji: Bool {
        guard let first = unicodeScalars.first else { return false }
        if unicodeScalars.contains(where: { $0.value == 0xFE0F || $0.value == 0x20E3 }) { return true }
        switch first.value {
        case 0x1F000...0x1FAFF: return true
        case 0x231A...0x2BFF: return first.properties.isEmojiPresentation
        default: return false
        }
    }
}
