internal import Base

/// Makes text of anybody's harmless within a page, in elements and in quoted attributes alike.
///
/// Mustache's own escaping compares whole characters, so that a quotation mark with a combining accent on it is left as
/// it is and ends an attribute; this one looks at every scalar. What XML cannot hold or a screen does not show is
/// written out: control characters as their pictures, every other hidden character as its number. Text that
/// merely runs from right to left is left alone, and the pages isolate it.
package enum HTMLEscaping {
    /// The text as HTML and XML hold it.
    package static func escaped(_ text: String) -> String {
        if isPlain(text) { return text }
        let scalars = text.unicodeScalars
        var result = ""
        // Whole stretches are copied between the characters that something else stands for.
        var start = text.startIndex
        for index in scalars.indices {
            guard let replacement = replacement(of: index, in: scalars) else { continue }
            result += text[start..<index]
            result += replacement
            start = scalars.index(after: index)
        }
        return result + text[start...]
    }

    /// True if nothing in a text can need escaping, judged by its bytes alone: most texts are seen to need none.
    private static func isPlain(_ text: String) -> Bool {
        HiddenCharacters.areCertainlyAbsent(from: text) && !text.utf8.contains { "&<>\"'".utf8.contains($0) }
    }

    private static func replacement(of index: String.Index, in scalars: String.UnicodeScalarView) -> String? {
        let scalar = scalars[index]
        return switch scalar.value {
        case 0x26: "&amp;"
        case 0x3C: "&lt;"
        case 0x3E: "&gt;"
        case 0x22: "&quot;"
        case 0x27: "&#39;"
        case 0x09, 0x0A: nil
        case 0x0D: "&#13;"
        case 0..<0x20: String(picture(of: scalar))
        case 0x7F: "\u{2421}"
        default:
            // Isolated by itself, so that it reads from left to right amid text that does not.
            HiddenCharacters.hide(scalars, at: index)
                ? "\u{2066}[U+\(scalar.value.hexadecimal(digits: 1, uppercase: true))]\u{2069}" : nil
        }
    }

    private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    }
}
