internal import Base

/// A text broken into lines of a given width, and cut as systems cut it.
struct BrokenText: Hashable {
    /// The lines, up to the limit; the last one ends in an ellipsis when text was cut.
    var lines: [Line]
    var isCut: Bool
    /// True for a text that begins at the right edge.
    var isRightToLeft: Bool

    struct Line: Hashable {
        var text: String
        /// The width, in the unit of the metrics.
        var width: Double
    }

    /// Breaks a text into at most `limit` lines (1 or more) of the available width.
    init(_ text: String, width: Double, limit: Int, metrics: FontMetrics) {
        var breaking = LineBreaker(width: width, limit: limit, metrics: metrics)
        breaking.add(VisibleText.paragraphs(text))
        lines = breaking.lines
        isCut = breaking.isCut
        isRightToLeft = text.isRightToLeft
    }

    /// A text cut to one line, in the font of small print.
    static func line(_ text: String, width: Double, size: Double = 13) -> String {
        BrokenText(text, width: width, limit: 1, metrics: FontMetrics(size: size)).lines[0].text
    }
}

/// A text as lines of a terminal.
package enum TerminalLines {
    /// The lines, each at most so many columns wide: whole words where they fit.
    package static func of(_ text: String, columns: Int) -> [String] {
        let metrics = FontMetrics(size: 1, isTerminal: true)
        return BrokenText(text, width: Double(columns), limit: .max, metrics: metrics).lines.map(\.text)
    }
}

/// Fills one line after another: whole words where they fit, otherwise as much of them as fits.
private struct LineBreaker {
    let width: Double
    let limit: Int
    let metrics: FontMetrics
    var lines: [BrokenText.Line] = []
    var isCut = false

    mutating func add(_ paragraphs: [String]) {
        for (index, paragraph) in paragraphs.enumerated() {
            add(paragraph, isLast: index == paragraphs.count - 1)
            if isCut { return }
        }
    }

    private mutating func add(_ paragraph: String, isLast: Bool) {
        let characters = Array(paragraph)
        var start = 0
        repeat {
            let end = endOfLine(characters, from: start)
            let isEnd = end == characters.count
            if lines.count == limit - 1, !isEnd || !isLast {
                append(cut(characters[start...]))
                isCut = true
                return
            }
            append(characters[start..<end])
            start = end
            while start < characters.count, BreakClass(characters[start]) == .space { start += 1 }
        } while start < characters.count
    }

    /// The end of the line that begins at an index: the last possible break, or where the line is full.
    private func endOfLine(_ characters: [Character], from start: Int) -> Int {
        var used = 0.0
        var lastBreak: Int?
        var lastBreakInCommand: Int?
        var isInCommand = false
        var previous: BreakClass?
        for index in start..<characters.count {
            var kind = BreakClass(characters[index])
            if metrics.isTerminal {
                // A name or a command in quotes is copied from a terminal whole.
                if characters[index] == "'" {
                    isInCommand = !isInCommand && characters[index...].starts(with: "'bugle ")
                }
                if isInCommand, kind == .space { lastBreakInCommand = index }
                if kind == .hyphen || isInCommand && kind == .space { kind = .letter }
            }
            if let previous, BreakClass.mayBreak(previous, kind) { lastBreak = index }
            used += metrics.width(of: characters[index])
            // Spaces at the end of a line have no width.
            if used > width, kind != .space { return lastBreak ?? lastBreakInCommand ?? max(index, start + 1) }
            previous = kind
        }
        return characters.count
    }

    /// As much of the rest as fits before an ellipsis.
    private func cut(_ rest: ArraySlice<Character>) -> ArraySlice<Character> {
        var used = metrics.width(of: FontMetrics.ellipsis)
        var end = rest.startIndex
        while end < rest.endIndex {
            used += metrics.width(of: rest[end])
            if used > width { break }
            end += 1
        }
        var kept = rest[..<end]
        while let last = kept.last, BreakClass(last) == .space { kept.removeLast() }
        return kept + [FontMetrics.ellipsis]
    }

    private mutating func append(_ characters: ArraySlice<Character>) {
        var characters = characters
        while let last = characters.last, BreakClass(last) == .space { characters.removeLast() }
        let text = String(characters)
        lines.append(BrokenText.Line(text: text, width: metrics.width(of: text)))
    }
}

enum BreakClass: Hashable {
    /// A line may end after it, and it is not drawn at the end.
    case space
    /// Part of a word, which is kept on one line.
    case letter
    /// A line may end before and after it: an ideograph, a Japanese syllable, an emoji.
    case single
    /// No line begins with it: closing brackets, stops, small kana.
    case closing
    /// No line ends with it: opening brackets.
    case opening
    /// A line may end after it unless a digit or another hyphen follows: a hyphen.
    case hyphen
    /// Part of a word or a number.
    case digit

    /// The class of a character.
    ///
    /// Source: Unicode Standard Annex 14 for the classes, JIS X 4051 and GB/T 15834 for characters that must not begin
    /// or
    /// end a line. Korean words are kept whole, as systems do.
    init(_ character: Character) {
        guard let scalar = character.unicodeScalars.first else {
            self = .letter
            return
        }
        // A shortcut for the characters that most texts consist of.
        if ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || (0x4E00...0x9FFF).contains(scalar.value) {
            self = scalar.isASCII ? .letter : .single
            return
        }
        self =
            switch character {
            case " ", "\t", "\u{3000}", "\u{2002}", "\u{2003}", "\u{2009}", "\u{1680}": .space
            case "-", "\u{2010}", "\u{2013}": .hyphen
            case "0"..."9": .digit
            case _ where Self.closings.contains(scalar): .closing
            case _ where Self.openings.contains(scalar): .opening
            case _ where character.isDrawnAsEmoji: .single
            case _ where (0xAC00...0xD7A3).contains(scalar.value) || (0x1100...0x11FF).contains(scalar.value): .letter
            case _ where DisplayWidth.of(String(scalar)) == 2: .single
            default: .letter
            }
    }

    /// True when a line may end between two characters.
    static func mayBreak(_ before: BreakClass, _ after: BreakClass) -> Bool {
        switch (before, after) {
        case (_, .space), (_, .closing), (_, .hyphen), (.opening, _), (.hyphen, .digit): false
        case (.space, _), (.hyphen, _), (.single, _), (_, .single), (.closing, .opening): true
        case (.closing, _), (.letter, _), (.digit, _): false
        }
    }

    private static let closings = Set("、。，．・：；？！）」』】〉》〕］｝〟’”…‥ー々〻ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ".unicodeScalars)
        .union("ヽヾゝゞ゛゜％℃°!?,.:;)]}»".unicodeScalars)
    private static let openings = Set("（「『【〈《〔［｛〝‘“([{«".unicodeScalars)
}

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

extension String {
    /// True if the first character that has a direction is read from right to left.
    ///
    /// Source: Unicode Standard Annex 9, rules P2 and P3, with the blocks of right-to-left scripts in place of the
    /// property of each character.
    var isRightToLeft: Bool {
        let first = unicodeScalars.first { $0.isRightToLeft || $0.properties.isAlphabetic }
        return first?.isRightToLeft ?? false
    }
}

extension Unicode.Scalar {
    fileprivate var isRightToLeft: Bool {
        switch value {
        // Arabic digits and signs have no direction of their own.
        case 0x600...0x607, 0x609...0x60A, 0x60C, 0x60E...0x61A, 0x64B...0x66C, 0x670, 0x6D6...0x6DD, 0x6DF...0x6E4,
            0x6F0...0x6F9:
            false
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}

/// A message's text in a form that is safe to draw: nothing in it moves, hides or ends other text.
enum VisibleText {
    /// The most scalars of a drawn character; further combining marks are left out.
    private static let longestCluster = 16
    /// The number of characters of a text that are considered: more than any view shows.
    private static let longest = 6000

    /// The text's own lines, with every invisible character shown as an escape such as `\u{1b}`. Empty lines at the end
    /// are
    /// left out.
    static func paragraphs(_ text: String) -> [String] {
        var paragraphs: [String] = []
        var line = ""
        for character in text.prefix(longest) {
            switch character {
            case "\n", "\r", "\r\n":
                paragraphs.append(shown(line))
                line = ""
            case "\t": line.append(" ")
            default: line.unicodeScalars.append(contentsOf: character.unicodeScalars.prefix(longestCluster))
            }
        }
        paragraphs.append(shown(line))
        while paragraphs.count > 1, paragraphs.last == "" { paragraphs.removeLast() }
        return paragraphs
    }

    /// The text in a form that can stand in a line written by bugle: nothing hidden, no line break.
    static func shown(_ text: String) -> String {
        var bytes: [UInt8] = []
        HiddenCharacters.append(text, to: &bytes, replacingWith: appendVisibleEscape)
        return String(decoding: bytes, as: UTF8.self)
    }
}
