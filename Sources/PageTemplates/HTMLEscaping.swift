/// Makes text of anybody's harmless within a page, in elements and in quoted attributes alike.
///
/// Mustache's own escaping compares whole characters, so that a quotation mark with a combining accent on it is left as
/// it is and ends an attribute; this one looks at every scalar. What XML cannot hold or a screen does not show is
/// written out: control characters as their pictures, overrides of the writing direction as their numbers. Text that
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
            guard let replacement = replacement(of: scalars[index]) else { continue }
            result += text[start..<index]
            result += replacement
            start = scalars.index(after: index)
        }
        return result + text[start...]
    }

    /// Whether nothing in a text can need escaping, judged by its bytes alone: most texts are seen to need none.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case 0..<0x20, 0x7F, 0x26, 0x3C, 0x3E, 0x22, 0x27: false
            // First bytes of the characters below.
            case 0xC2, 0xE2, 0xEF: false
            default: true
            }
        }
    }

    private static func replacement(of scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x26: "&amp;"
        case 0x3C: "&lt;"
        case 0x3E: "&gt;"
        case 0x22: "&quot;"
        case 0x27: "&#39;"
        case 0x09, 0x0A: nil
        case 0x0D: "&#13;"
        case 0..<0x20: String(picture(of: scalar))
        case 0x7F: "\u{2421}"
        case 0x80..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029, 0xFFFE, 0xFFFF:
            // Isolated by itself, so that it reads from left to right amid text that does not.
            "\u{2066}[U+\(String(scalar.value, radix: 16, uppercase: true))]\u{2069}"
        default: nil
        }
    }

    private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    }
}
