internal import Diagnostics

/// Breaks text between words at the end of a terminal's line, and between the characters of scripts without spaces.
struct TextWrapping {
    private let columns: Int

    /// The fewest columns that a line has, however deep it is indented.
    private static let narrowest = 24

    init(_ columns: Int) { self.columns = columns }

    /// The lines of a text of which the first begins at a column, and the others after `indent` spaces.
    func lines(of text: String, from column: Int, then indent: Int) -> [String] {
        let end = max(columns, indent + Self.narrowest)
        guard column + DisplayWidth.of(escaped(text)) > end else { return [text] }
        var lines: [String] = []
        var (line, width, start) = ("", column, column)
        for piece in Self.pieces(text, narrowerThan: end - indent) {
            let word = piece.drop(while: { $0 == " " })
            // A line that was just begun takes the piece whatever its length; spaces are left at the break.
            if width + DisplayWidth.of(escaped(String(piece))) > end, width > start || start > indent {
                lines.append(line)
                (line, width, start) = (String(word), indent + DisplayWidth.of(escaped(String(word))), indent)
            } else {
                line += piece
                width += DisplayWidth.of(escaped(String(piece)))
            }
        }
        return lines + [line]
    }

    /// The pieces between which a line may break: words with the spaces before them, single wide characters with the
    /// punctuation that must not begin a line, and the characters of a word that is as long as a line.
    private static func pieces(_ text: String, narrowerThan width: Int) -> [Substring] {
        pieces(text).flatMap { piece in
            DisplayWidth.of(escaped(String(piece))) < width
                ? [piece] : piece.indices.map { piece[$0...$0] }
        }
    }

    private static func pieces(_ text: String) -> [Substring] {
        var pieces: [Substring] = []
        var start = text.startIndex
        var previous: Character?
        for index in text.indices {
            let character = text[index]
            if let previous, index > start, mayBreak(previous, character) {
                pieces.append(text[start..<index])
                start = index
            }
            previous = character
        }
        return pieces + [text[start...]]
    }

    private static func mayBreak(_ before: Character, _ after: Character) -> Bool {
        if after == " " { return before != " " }
        return (isIdeographic(before) || isIdeographic(after)) && before != " " && !closing.contains(after)
            && !opening.contains(before)
    }

    private static func isIdeographic(_ character: Character) -> Bool {
        character.unicodeScalars.first.map { $0.properties.isIdeographic || ("\u{3000}"..."\u{30FF}").contains($0) }
            ?? false || closing.contains(character)
    }

    private static let (opening, closing): (Set<Character>, Set<Character>) = (
        ["（", "“", "「", "《"], ["，", "。", "；", "：", "、", "）", "”", "」", "》", "！", "？", "%"]
    )
}
