internal import Base

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
