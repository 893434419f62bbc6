internal import Diagnostics

/// A text of a message as it may be drawn: nothing in it moves, hides or ends other text.
enum VisibleText {
    /// The characters of which one drawn character may be made; more combining marks are left out.
    private static let longestCluster = 16
    /// The characters of a text that are looked at: more than any view shows.
    private static let longest = 6000

    /// The lines that the text itself has, each without a character that a reader does not see: those stand as
    /// `\u{1b}`. Empty lines at the end are left out.
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

    /// The text as it may stand in a line that bugle writes: nothing hidden, no line break.
    static func shown(_ text: String) -> String {
        var bytes: [UInt8] = []
        HiddenCharacters.append(text, to: &bytes, replacingWith: appendVisibleEscape)
        return String(decoding: bytes, as: UTF8.self)
    }
}
