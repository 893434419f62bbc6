internal import Base

/// The line-breaking class of a character.
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

    private static let closings = Set(
        "、。，．・：；？！）」』】〉》〕］｝〟’”…‥ー々〻ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ".unicodeScalars
    )
    .union("ヽヾゝゞ゛゜％℃°!?,.:;)]}»".unicodeScalars)
    private static let openings = Set("（「『【〈《〔［｛〝‘“([{«".unicodeScalars)
}
